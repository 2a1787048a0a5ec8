"""Registry of the simulated tasks and embodiments: where each is defined, and a few words for `--help`.

A new task or embodiment is one file in `glam.sim` and one line here (docs/add_a_task.md, docs/add_an_embodiment.md).
The definitions import MuJoCo. This module does not, so `--help` is quick and needs no library to render with.
"""

from collections.abc import Iterable
from typing import NamedTuple


class Entry(NamedTuple):
    """One line of the registry."""

    place: str
    """`module:name` of the definition."""
    summary: str


TASKS = {
    "lift": Entry("glam.sim.tasks.lift:Lift", "raise a cube"),
    "pick-place": Entry("glam.sim.tasks.pick_place:PickPlace", "a cube into a bowl"),
    "knock-down": Entry("glam.sim.tasks.knock_down:KnockDown", "tip a bottle over"),
    "stack-two": Entry("glam.sim.tasks.stack_two:StackTwo", "a cube on another"),
    "stack-three": Entry("glam.sim.tasks.stack_three:StackThree", "three cubes, two arms"),
}
EMBODIMENTS = {
    "kinova": Entry("glam.sim.embodiments.kinova:KINOVA", "robot arm"),
    "umi": Entry("glam.sim.embodiments.umi:UMI", "hand-held gripper without actions"),
    "kinova-lab": Entry("glam.sim.embodiments.kinova_lab:KINOVA_LAB", "stand-in for a real robot arm"),
}


def one_of(choices: Iterable[str]) -> str:
    """A choice in words: `a, b or c`."""
    *others, last = choices
    return f"{', '.join(others)} or {last}" if others else last


def described(registry: dict[str, Entry]) -> str:
    """All names with their summaries: `a (this) or b (that)`."""
    return one_of(f"{name} ({entry.summary})" for name, entry in registry.items())
