"""The tasks, by name. A new one is one file here and one line in `glam.core.simulated`; see docs/add_a_task.md."""

from pkgutil import resolve_name

from glam.core import simulated
from glam.core.errors import UnknownNameError
from glam.sim.tasks.task import Task

TASKS: dict[str, Task] = {name: resolve_name(entry.place)() for name, entry in simulated.TASKS.items()}


def find_task(name: str) -> Task:
    """The task of this name."""
    if name not in TASKS:
        raise UnknownNameError("task", name, list(TASKS))
    return TASKS[name]
