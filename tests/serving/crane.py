"""The robot of docs/bring_your_own_data.md, and what docs/deploy.md has it driven with."""

import importlib.util
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray
from tests import pages
from tests.interop.lerobot import foreign

PAGE = pages.page("deploy.md")
Array = NDArray[np.float64]
MakePose = Callable[[Mapping[str, Array]], Array]


def anywhere(readings: Mapping[str, Array]) -> Array:
    """A pose that changes with the readings, so that what cannot be read shows in it."""
    return np.full(10, readings["observation.state"].sum())


class Crane:
    """A robot that reaches every target at once."""

    def __init__(self, page: ModuleType, start: Array, live_pose: MakePose = anywhere) -> None:
        self.page, self.start, self.now, self.live_pose = page, start, start, live_pose
        self.commands: list[Array] = []

    def images(self) -> dict[str, NDArray[np.uint8]]:
        return {"front": np.full((64, 96, 3), 128, np.uint8)}

    def pose(self) -> Array:
        return self.live_pose({"observation.state": self.now})

    def state(self) -> Array:
        return self.now

    def commanded(self) -> Array:
        return self.start

    def send(self, command: Array) -> None:
        self.commands.append(command)
        self.now = command


def write_page(folder: Path) -> None:
    """The files that a reader of the page makes, beside the model of the robot."""
    (limits,) = pages.blocks(PAGE, "json")
    patient = json.loads(limits) | {"timeout": 20.0}  # a machine that runs tests may pause at any moment
    (folder / "limits.json").write_text(json.dumps(patient), encoding="utf-8")
    (folder / "robot_loop.py").write_text("\n".join(pages.blocks(PAGE, "python")), encoding="utf-8")
    (folder / "robot.urdf").write_text(foreign.URDF, encoding="utf-8")


def load_page(folder: Path) -> ModuleType:
    """The code of the page; looks for the model of the robot where the process stands."""
    spec = importlib.util.spec_from_file_location("robot_loop", folder / "robot_loop.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
