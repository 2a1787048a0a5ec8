"""Named configs: a method at a preset. `cpu` is for two cores, `paper` for a GPU, `smoke` takes seconds."""
