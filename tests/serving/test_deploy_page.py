"""The code of docs/deploy.md is run as it stands; its commands are in tests/commands/test_bring_your_own_data.py."""

import re
import threading
import time
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from tests.interop.lerobot import foreign
from tests.serving.conftest import INTERFACE, running
from tests.serving.crane import Crane, load_page, write_page

from glam.core.errors import GlamError
from glam_client.interface import ActionChunk, Observation
from glam_client.pose_conversion import ArmRecipe, PoseRecipe

SERVED = replace(INTERFACE, cameras=("front",), state_names=foreign.MOTORS, action_names=foreign.MOTORS)
START = np.array([0.0, 0.0, 50.0])


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.chdir(tmp_path)
    write_page(tmp_path)
    return load_page(tmp_path)


def run(robot: Crane, address: str, seconds: float) -> str:
    said: str = robot.page.run(robot, address, Path("limits.json"), seconds)
    return said


def test_the_loop_of_the_page_follows_the_policy_and_ends_at_rest(page: ModuleType) -> None:
    robot = Crane(page, START)
    with running(interface=SERVED) as server:
        assert run(robot, server.address, 2.0) == "the time is up"
    path = np.array([START, *robot.commands])
    assert path[-1, 0] > 0.02  # this policy always asks for more
    assert (path[-1] == path[-2]).all()
    assert np.abs(np.diff(path, 2, axis=0)[:, 0]).max() <= 2.0 * 0.1**2 + 1e-12


def test_the_loop_of_the_page_stops_when_the_server_goes(page: ModuleType) -> None:
    robot, said = Crane(page, START), []
    with running(interface=SERVED) as server:
        loop = threading.Thread(target=lambda: said.append(run(robot, server.address, 60.0)))
        loop.start()
        deadline = time.monotonic() + 60.0
        while len(robot.commands) < 5 and time.monotonic() < deadline:
            time.sleep(0.05)
    loop.join(timeout=60.0)
    assert re.search("silent|lost|no new chunk", said[0])


def test_the_loop_of_the_page_never_sends_what_it_could_not_read(page: ModuleType) -> None:
    robot = Crane(page, START)
    robot.now = np.array([0.0, 0.0, np.nan])
    with running(interface=SERVED) as server, pytest.raises(GlamError, match="must be 10 finite numbers"):
        run(robot, server.address, 2.0)
    assert robot.commands == []


@pytest.mark.parametrize("delta_actions", [(), foreign.MOTORS[:1]])
def test_the_loop_of_the_page_drives_a_policy_without_poses(page: ModuleType, delta_actions: tuple[str, ...]) -> None:
    robot = Crane(page, START, lambda readings: np.empty(0))
    with running(interface=replace(SERVED, pose_size=0, delta_actions=delta_actions)) as server:
        assert run(robot, server.address, 2.0) == "the time is up"
    assert np.abs(robot.commands)[:, 0].max() > 0.0
    if delta_actions:
        assert robot.commands[-1][0] == 0.0


def test_the_page_s_poses_are_made_as_the_server_says(page: ModuleType) -> None:
    numbers = tuple(("observation.tool", number) for number in range(7))
    arm = ArmRecipe("arm", numbers, "quaternion-xyzw", gripper=(("observation.tool", 7),), opened=0.1)
    recipe = PoseRecipe({"observation.tool": ("x", "y", "z", "qx", "qy", "qz", "qw", "gripper")}, (arm,))
    with running(interface=replace(INTERFACE, poses=recipe)) as server:
        live_pose = page.pose_maker(server.address)
    pose = live_pose({"observation.tool": [0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 1.0, 0.05]})
    assert pose.tolist() == pytest.approx([0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5])
    assert list(live_pose.recipe.features) == ["observation.tool"]


class Counted:
    """A simulation that notes what it is told, and a server of chunks that hold the time of their observation."""

    def __init__(self) -> None:
        self.done: list[tuple[float, ...]] = []
        self.interface = SimpleNamespace(fps=1)

    def images(self) -> dict[str, np.ndarray]:
        return {}

    def pose(self) -> np.ndarray:
        return np.empty(0)

    state = pose

    def step(self, action: np.ndarray) -> None:
        self.done.append(tuple(action))

    def ask(self, seen: Observation) -> Future[ActionChunk]:
        answer: Future[ActionChunk] = Future()
        actions = np.array([[seen.time, number] for number in range(4)], np.float32)
        answer.set_result(ActionChunk(actions, np.zeros(4)))
        return answer


def test_a_simulation_in_lock_step_takes_the_first_actions_of_each_chunk(
    page: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = Counted()
    monkeypatch.setattr(page, "PolicyClient", lambda _: nullcontext(both))
    page.lock_step(both, "ws://nowhere", 7)
    assert both.done == [(0, 0), (0, 1), (0, 2), (3, 0), (3, 1), (3, 2), (6, 0)]
