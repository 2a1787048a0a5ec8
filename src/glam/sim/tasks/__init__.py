"""The tasks, by name. A new task is one file here and one line below; see docs/add_a_task.md."""

from glam.core.errors import UnknownNameError
from glam.sim.tasks.knock_down import KnockDown
from glam.sim.tasks.lift import Lift
from glam.sim.tasks.pick_place import PickPlace
from glam.sim.tasks.stack_three import StackThree
from glam.sim.tasks.stack_two import StackTwo
from glam.sim.tasks.task import Task

TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Lift(),
        PickPlace(),
        KnockDown(),
        StackTwo(),
        StackThree(),
    )
}


def find_task(name: str) -> Task:
    """The task of this name."""
    if name not in TASKS:
        raise UnknownNameError("task", name, list(TASKS))
    return TASKS[name]
