"""Registries of the simulated tasks and embodiments.

A new task or embodiment is one file in `glam.sim` and one line here (docs/add_a_task.md, docs/add_an_embodiment.md).
The definitions import MuJoCo. This module does not, so `--help` is quick and needs no library to render with.
"""

from glam.core.errors import GlamError
from glam.core.registry import Registry, RegistryEntry

TASKS = Registry(
    "task",
    {
        "lift": RegistryEntry("glam.sim.tasks.lift:Lift", "raise a cube"),
        "pick-place": RegistryEntry("glam.sim.tasks.pick_place:PickPlace", "a cube into a bowl"),
        "knock-down": RegistryEntry("glam.sim.tasks.knock_down:KnockDown", "tip a bottle over"),
        "stack-two": RegistryEntry("glam.sim.tasks.stack_two:StackTwo", "a cube on another"),
        "stack-three": RegistryEntry("glam.sim.tasks.stack_three:StackThree", "three cubes, two arms"),
    },
)
EMBODIMENTS = Registry(
    "embodiment",
    {
        "kinova": RegistryEntry("glam.sim.embodiments.kinova:KINOVA", "robot arm"),
        "umi": RegistryEntry("glam.sim.embodiments.umi:UMI", "hand-held gripper without actions"),
        "kinova-lab": RegistryEntry("glam.sim.embodiments.kinova_lab:KINOVA_LAB", "stand-in for a real robot arm"),
    },
)


def check_task(whose: str, known: str, wanted: str) -> None:
    """Refuse another task than is known from a dataset; a description that names no simulated task says nothing."""
    if known in TASKS and known != wanted:
        raise GlamError(f"{whose} {known}, and --task is {wanted}; give --task {known}")
