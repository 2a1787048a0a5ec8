"""The embodiments, by name. A new one is one file here and one line in `glam.core.simulated`.

See docs/add_an_embodiment.md.
"""

from glam.core import simulated
from glam.sim.embodiments.embodiment import Embodiment

EMBODIMENTS: dict[str, Embodiment] = {name: simulated.EMBODIMENTS[name] for name in simulated.EMBODIMENTS}


def find_embodiment(name: str) -> Embodiment:
    """The embodiment of this name; an unknown one is refused with the names there are."""
    return simulated.EMBODIMENTS.find(name)
