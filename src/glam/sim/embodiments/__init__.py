"""The embodiments, by name. A new one is one file here and one line in `glam.core.simulated`.

See docs/add_an_embodiment.md.
"""

from pkgutil import resolve_name

from glam.core import simulated
from glam.core.errors import UnknownNameError
from glam.sim.embodiments.embodiment import Embodiment

EMBODIMENTS: dict[str, Embodiment] = {name: resolve_name(entry.place) for name, entry in simulated.EMBODIMENTS.items()}


def find_embodiment(name: str) -> Embodiment:
    """The embodiment of this name."""
    if name not in EMBODIMENTS:
        raise UnknownNameError("embodiment", name, list(EMBODIMENTS))
    return EMBODIMENTS[name]
