"""Flag `--engine`: the machines on which a command works through a dataset."""

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from glam.core.workers import Pool

EngineName = Literal["local", "ray"]


def pool_of(engine: EngineName) -> "Pool | None":
    """The cluster, or None for this machine; connects with it now, before any work."""
    if engine == "local":
        return None
    from glam.core.on_ray import RayPool

    return RayPool()
