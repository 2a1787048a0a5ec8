"""Gymnasium ids of all environments, such as `glam/StackTwo-Kinova-v0`."""

import gymnasium

from glam.sim.embodiments import EMBODIMENTS
from glam.sim.tasks import TASKS


def environment_id(task: str, embodiment: str) -> str:
    """`stack-two`, `kinova-lab` -> `glam/StackTwo-KinovaLab-v0`."""
    return f"glam/{_camel(task)}-{_camel(embodiment)}-v0"


def register_environments() -> None:
    """One id for each task and embodiment; the class is imported when the first one is made."""
    for task in TASKS.values():
        for embodiment in EMBODIMENTS:
            gymnasium.register(
                id=environment_id(task.name, embodiment),
                entry_point="glam.sim.env:ManipulationEnv",
                max_episode_steps=task.max_episode_steps,
                kwargs={"task": task.name, "embodiment": embodiment},
            )


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("-"))
