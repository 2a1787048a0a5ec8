"""Named configs: a method at a scale. `cpu` is for two cores, `paper` for a GPU, `smoke` takes seconds."""
