"""docs/deploy.md is run as it stands."""

import importlib.util
import json
import re
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from tests.serving.conftest import observation, running

from glam.core.errors import GlamError

PAGE = (Path(__file__).parents[2] / "docs/deploy.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return found


class Robot:
    """Goes where it is told at once."""

    def __init__(self) -> None:
        self.commands: list[np.ndarray] = []
        self.state_now = np.array([0.0, 0.5])

    def pictures(self):
        return observation().pictures

    def pose(self):
        return np.zeros(10)

    def state(self):
        return self.state_now

    def commanded(self):
        return np.array([0.0, 0.5])

    def send(self, command: np.ndarray) -> None:
        self.commands.append(command)
        self.state_now = command


@pytest.fixture
def run(tmp_path: Path):
    limits = json.loads(block("json")) | {"timeout": 20.0}  # a machine that runs tests may pause at any moment
    (tmp_path / "limits.json").write_text(json.dumps(limits), encoding="utf-8")
    (tmp_path / "robot_loop.py").write_text(block("python"), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("robot_loop", tmp_path / "robot_loop.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return lambda robot, address, seconds: module.run(robot, address, tmp_path / "limits.json", seconds)


def test_the_loop_of_the_page_follows_the_policy_and_ends_at_rest(run, server) -> None:
    robot = Robot()
    assert run(robot, server.address, 2.0) == "the time is up"
    path = np.array([robot.commanded(), *robot.commands])
    assert path[-1, 0] > 0.02  # this policy always asks for more
    assert (path[-1] == path[-2]).all()
    assert np.abs(np.diff(path, 2, axis=0)[:, 0]).max() <= 2.0 * 0.1**2 + 1e-12


def test_the_loop_of_the_page_stops_when_the_server_goes(run) -> None:
    robot, said = Robot(), []
    with running() as server:
        loop = threading.Thread(target=lambda: said.append(run(robot, server.address, 60.0)))
        loop.start()
        deadline = time.monotonic() + 60.0
        while len(robot.commands) < 5 and time.monotonic() < deadline:
            time.sleep(0.05)
    loop.join(timeout=60.0)
    assert re.search("silent|lost|no chunk", said[0])


def test_the_loop_of_the_page_never_sends_what_it_could_not_read(run, server) -> None:
    robot = Robot()
    robot.state_now = np.array([np.nan, 0.5])
    with pytest.raises(GlamError, match="state must be 2 finite numbers"):
        run(robot, server.address, 2.0)
    assert robot.commands == []
