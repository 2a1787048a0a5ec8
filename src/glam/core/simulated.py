"""Registries of the simulated tasks and embodiments, and seeds of their scenes.

A new task or embodiment is one file in `glam.sim` and one line here (docs/add_a_task.md, docs/add_an_embodiment.md).
The definitions import MuJoCo. This module does not, so `--help` is quick and needs no library to render with.

A seed gives a scene: where objects and hands start. No scene of a demonstration is ever one of a trial:

| seeds            | scenes of                                                                     |
|------------------|-------------------------------------------------------------------------------|
| below 40,000,000 | demonstrations                                                                |
| from 40,000,000  | validation: trials by which settings are chosen, as often as one likes        |
| from 50,000,000  | nothing any more: the tests of version 0.1, which 110 evaluations have shown  |
| from 60,000,000  | tests: trials of final tables only                                            |
| from 100,000,000 | demonstrations whose first attempts failed, each 100,000,000 on               |
"""

from typing import Literal

from glam.core.errors import GlamError
from glam.core.registry import Registry, RegistryEntry

TASKS = Registry(
    "task",
    {
        "lift": RegistryEntry("glam.sim.tasks.lift:Lift", "raise the red one of four cubes"),
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
        "human-hand": RegistryEntry(
            "glam.sim.embodiments.human_hand:HUMAN_HAND", "thumb and index finger of a person, without actions"
        ),
        "kinova-lab": RegistryEntry("glam.sim.embodiments.kinova_lab:KINOVA_LAB", "stand-in for a real robot arm"),
    },
)


def check_task(whose: str, known: str, wanted: str) -> None:
    """Refuse another task than is known from a dataset; a description that names no simulated task says nothing."""
    if known in TASKS and known != wanted:
        raise GlamError(f"{whose} {known}, and --task is {wanted}; give --task {known}")


Split = Literal["validation", "test"]

FIRST_VALIDATION_SEED = 40_000_000
FIRST_TEST_SEED = 60_000_000
FIRST_SEEDS: dict[Split, int] = {"validation": FIRST_VALIDATION_SEED, "test": FIRST_TEST_SEED}
SPLIT_SIZE = 10_000_000
"""Scenes of each split."""
ATTEMPT_STRIDE = 100_000_000


def scene_seeds(split: Split, first: int, count: int) -> range:
    """Seeds of some scenes of a split, of which `first` is the number of the first one, counted from 0."""
    if not (first >= 0 and count >= 1 and first + count <= SPLIT_SIZE):
        raise GlamError(
            f"--first {first} and --episodes {count}: each split has the scenes 0 to {SPLIT_SIZE - 1}; "
            "--episodes must be at least 1"
        )
    start = FIRST_SEEDS[split] + first
    return range(start, start + count)


def seed_of_attempt(seed: int, attempt: int) -> int:
    """The seed of a demonstration that is attempted again from another scene."""
    return seed + attempt * ATTEMPT_STRIDE
