"""The tasks, by name. A new one is one file here and one line in `glam.core.simulated`; see docs/add_a_task.md."""

from glam.core import simulated
from glam.sim.tasks.task import Task

TASKS: dict[str, Task] = {name: simulated.TASKS[name]() for name in simulated.TASKS}


def find_task(name: str) -> Task:
    """The task of this name; an unknown one is refused with the names there are."""
    simulated.TASKS.find(name)
    return TASKS[name]
