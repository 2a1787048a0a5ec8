"""A trained policy through `glam serve` as a process of its own: nothing is lost on the way, and a robot notices."""

import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from tests.interop.lerobot import foreign
from tests.serving.conftest import running

from glam.data.reader import Dataset
from glam.data.schema import ACTION, EE_POSE, STATE
from glam.interop.lerobot.mapping import ImportOptions
from glam.policies import trained
from glam.recipes import policy
from glam.sim.embodiments import find_embodiment
from glam.sim.kinematics import Chain
from glam.sim.rollouts import roll_out
from glam.sim.tasks import find_task
from glam.sim.world import World
from glam.stages.adopt import AdoptConfig, prepare
from glam.stages.collect import CollectConfig, collect
from glam.stages.evaluate import guard
from glam.stages.serve import load_served
from glam.stages.train_policy import Inputs, train_policy
from glam_client.action_chunking import ActionChunking
from glam_client.client import PolicyClient
from glam_client.controller import RobotController
from glam_client.interface import Observation
from glam_client.live_pose import LivePose
from glam_client.safety import AxisLimits, Limits

EXAMPLE = Path(__file__).parents[2] / "examples/drive_simulated_kinova.py"
SEED = 50_000_000
TIMEOUT = 2.0
TOKEN = "correct-horse-battery"


class Serving(NamedTuple):
    """A server and what it serves."""

    run: Path
    process: subprocess.Popen[str]
    address: str
    token_file: Path

    def client(self) -> PolicyClient:
        return PolicyClient(self.address, TOKEN)


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    root = tmp_path_factory.mktemp("serving")
    collect(CollectConfig("lift", "kinova", 0, image_size=32), root / "data", 3, workers=1)
    run = train_policy(policy("mip", "smoke"), Inputs(root / "data"), root / "run")
    token_file = root / "token"
    token_file.write_text(f"{TOKEN}\n")
    token_file.chmod(0o600)
    command = [sys.executable, "-m", "glam", "serve", "--policy", run, "--port", "0", "--token-file", token_file]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline().rsplit(" ", 1)[-1].strip()
        process.stdout.readline()
        yield Serving(run, process, address, token_file)
        process.kill()


def example():
    spec = importlib.util.spec_from_file_location("drive_simulated_kinova", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example_drives_the_simulated_robot_exactly_as_an_evaluation_does(serving: Serving) -> None:
    world = World(find_task("lift"), find_embodiment("kinova"))
    with serving.client() as client:
        act, chunking = trained.load(serving.run).act, ActionChunking(min(5, client.interface.chunk_size))
        (expected,) = roll_out([world], [SEED], act, chunking, guard)
        world.reset(SEED)
        commands = example().drive(world, client)
    assert np.array(commands).tobytes() == expected.commands.tobytes()
    world.close()


def test_the_example_is_a_program(serving: Serving) -> None:
    command = [sys.executable, EXAMPLE, "lift", "--server", serving.address, "--token-file", serving.token_file]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"no success after {find_task('lift').max_episode_steps} steps\n"


def test_the_example_is_short() -> None:
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) <= 61


def test_a_robot_holds_when_the_server_freezes_and_goes_on_when_told(serving: Serving) -> None:
    with serving.client() as client:
        controller, since = drive_until_frozen(client, serving.process.pid)
        try:
            while controller.command(time.monotonic()).status != "stale":
                assert time.monotonic() - since < 30 * TIMEOUT  # how fast it really is: benchmarks/serve_watchdog.py
                time.sleep(0.01)
            assert "silent" in controller.failure
        finally:
            os.kill(serving.process.pid, signal.SIGCONT)
        deadline = time.monotonic() + 60.0
        while client.silence() > TIMEOUT / 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert controller.command(time.monotonic()).status == "stale"
        controller.resume(client)
        look(controller, client).result(timeout=10.0)
        assert controller.command(time.monotonic()).status in {"passed", "limited"}


def test_a_signal_ends_the_server_in_order(serving: Serving) -> None:
    serving.process.send_signal(signal.SIGTERM)
    assert serving.process.wait(timeout=20.0) == 0
    assert serving.process.stdout.read().splitlines()[-1] == "stopped"


def test_what_actions_are_is_known_from_the_dataset_to_the_robot_also_without_a_pose(tmp_path: Path) -> None:
    rows = [
        {STATE: part, ACTION: np.column_stack([np.diff(part[:, :2], axis=0, append=part[-1:, :2]), part[:, 2]])}
        for part in (foreign.joints(0), foreign.joints(1))
    ]
    source = foreign.arm(tmp_path / "source", rows=rows)
    prepare(AdoptConfig(ImportOptions(actions="delta"), size=32), source, tmp_path / "data").write()
    run = train_policy(policy("mip", "smoke"), Inputs(tmp_path / "data"), tmp_path / "run")
    served = load_served(run)
    with running(served.act, interface=served.interface) as server, PolicyClient(server.address) as client:
        assert client.interface.delta_actions == foreign.MOTORS[:2]
        assert client.interface.pose_size == 0
        axes = tuple(AxisLimits(name, -200.0, 200.0, 1e4, 1e6) for name in client.interface.action_names)
        limits = Limits(axes, 1 / client.interface.fps, TIMEOUT)
        controller = RobotController(client, limits, np.zeros(3), ActionChunking(client.interface.chunk_size))
        look(controller, client, 0.0).result(timeout=60.0)
        moving = controller.command(0.0)
        assert moving.status == "passed"
        assert moving.values.all()
        controller.hold("enough")
        controller.command(0.1)
        assert controller.command(0.2).values.tolist() == [0.0, 0.0, moving.values[2]]


def test_how_poses_are_made_is_known_from_the_dataset_to_the_robot(tmp_path: Path) -> None:
    (tmp_path / "crane.urdf").write_text(foreign.URDF)
    chain = Chain.open(tmp_path / "crane.urdf", "tip")
    source = foreign.arm(tmp_path / "source")
    prepare(AdoptConfig(size=32), source, tmp_path / "data", {"": chain}).write()
    served = load_served(train_policy(policy("mip", "smoke"), Inputs(tmp_path / "data"), tmp_path / "run"))
    with running(served.act, interface=served.interface) as server, PolicyClient(server.address) as client:
        assert client.interface.delta_actions == ()
        live = LivePose(client.interface.poses, [chain])
        row = foreign.joints(1)[5].astype(np.float32)
        pose = live({STATE: row})
        np.testing.assert_allclose(pose, Dataset.open(tmp_path / "data").vectors(1)[EE_POSE][5], rtol=0.0, atol=2e-7)
        images = {camera: np.zeros((32, 32, 3), np.uint8) for camera in client.interface.cameras}
        chunk = client.ask(Observation(images, pose, row, 0.0)).result(timeout=60.0)
        assert np.isfinite(chunk.actions).all()


def drive_until_frozen(client: PolicyClient, pid: int) -> tuple[RobotController, float]:
    """A robot in the middle of a chunk, and when its server was frozen."""
    axes = tuple(AxisLimits(name, -7.0, 7.0, 10.0, 1000.0) for name in client.interface.action_names)
    limits = Limits(axes, 1 / client.interface.fps, TIMEOUT)
    controller = RobotController(client, limits, np.zeros(len(axes)), ActionChunking(client.interface.chunk_size))
    look(controller, client).result(timeout=10.0)
    assert controller.command(time.monotonic()).status in {"passed", "limited"}
    os.kill(pid, signal.SIGSTOP)
    return controller, time.monotonic()


def look(controller: RobotController, client: PolicyClient, now: float | None = None):
    interface = client.interface
    images = {camera: np.zeros((96, 96, 3), np.uint8) for camera in interface.cameras}
    pose, state = np.zeros(interface.pose_size), np.zeros(len(interface.state_names))
    return controller.observe(Observation(images, pose, state, time.monotonic() if now is None else now))
