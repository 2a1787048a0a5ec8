"""The embodiments, by name."""

from glam.core.errors import UnknownNameError
from glam.sim.embodiments.embodiment import Embodiment
from glam.sim.embodiments.kinova import KINOVA
from glam.sim.embodiments.kinova_lab import KINOVA_LAB
from glam.sim.embodiments.umi import UMI

EMBODIMENTS: dict[str, Embodiment] = {body.name: body for body in (KINOVA, UMI, KINOVA_LAB)}


def find_embodiment(name: str) -> Embodiment:
    """The embodiment of this name."""
    if name not in EMBODIMENTS:
        raise UnknownNameError("embodiment", name, list(EMBODIMENTS))
    return EMBODIMENTS[name]
