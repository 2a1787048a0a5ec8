"""Datasets that the real library wrote about a robot we do not know become ours, and it reads what they became."""

import importlib.util
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from lerobot.datasets.lerobot_dataset import LeRobotDataset

from glam.data.check import check_dataset
from glam.data.reader import Dataset
from glam.data.schema import ACTION, EE_POSE, STATE
from glam.interop.lerobot.mapping import Wishes, parse_map
from glam.stages.adopt import AdoptConfig, prepare


def load(name):
    """A module of our tests by its file: in this environment another package may be called `tests`."""
    path = Path(__file__).parents[2] / f"{name.replace('.', '/')}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


pictures, foreign = load("tests.data.tiny").pictures, load("tests.interop.lerobot.foreign")
SIZE = (64, 96)
POSE = ["ee.x", "ee.y", "ee.z", "ee.wx", "ee.wy", "ee.wz", "ee.gripper_pos"]
PAGE = (Path(__file__).parents[2] / "docs/bring_your_own_data.md").read_text(encoding="utf-8")


def camera(size=SIZE):
    return {"dtype": "video", "shape": (*size, 3), "names": ["height", "width", "channels"]}


def vector(names):
    return {"dtype": "float32", "shape": (len(names),), "names": names}


def write(root, features, rows):
    dataset = LeRobotDataset.create("others/set", fps=foreign.FPS, features=features, root=root, robot_type="crane")
    for index, episode in enumerate(rows):
        films = {
            key: pictures(tuple(kind["shape"][:2]), len(next(iter(episode.values()))), index)
            for key, kind in features.items()
            if kind["dtype"] == "video"
        }
        for frame in range(len(next(iter(episode.values())))):
            cells = {key: values[frame].astype(np.float32) for key, values in episode.items()}
            dataset.add_frame(cells | {key: film[frame] for key, film in films.items()} | {"task": foreign.TASK})
        dataset.save_episode()
    dataset.finalize()


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    root = tmp_path_factory.mktemp("room")
    arm = {
        "observation.images.top": camera(),
        "observation.images.wrist": camera((64, 64)),
        STATE: vector(list(foreign.MOTORS)),
        ACTION: vector(list(foreign.MOTORS)),
    }
    joints = [foreign.joints(index) for index in range(3)]
    write(root / "my-robot", arm, [{STATE: part, ACTION: np.roll(part, -1, axis=0)} for part in joints])
    turns = [np.tile([np.pi, 0.0, 0.0], (len(part), 1)) for part in joints]
    poses = [
        {STATE: np.hstack([foreign.tip(part), turn, part[:, 2:]])} for part, turn in zip(joints, turns, strict=True)
    ]
    write(root / "gripper-videos", {"observation.images.main": camera(), STATE: vector(POSE)}, poses)
    (root / "robot.urdf").write_text(foreign.URDF)
    return root


def test_a_set_of_the_real_library_becomes_ours_and_the_library_reads_it(room, tmp_path):
    names = parse_map(["observation.images.front=observation.images.main"])
    out = prepare(AdoptConfig(Wishes(names), rate=10, size=64), room / "gripper-videos", tmp_path / "set").write().root
    assert check_dataset(out) == ()
    theirs, ours = LeRobotDataset("glam/adopted", root=out), Dataset.open(out)
    assert theirs.fps == ours.schema.fps == 10
    assert len(theirs) == len(ours) == 11 + 16 + 13
    row = 0
    for index in range(3):
        angles = foreign.joints(index)[::3]
        vectors = ours.vectors(index)[EE_POSE]
        np.testing.assert_allclose(vectors[:, :3], foreign.tip(angles), atol=1e-5)
        np.testing.assert_allclose(vectors[:, 9], angles[:, 2] / 100.0, atol=1e-5)
        np.testing.assert_array_equal(np.stack([theirs[row + k][EE_POSE] for k in range(len(angles))]), vectors)
        row += len(angles)


def test_frames_are_those_of_their_moment(room, tmp_path):
    names = parse_map(["observation.images.front=observation.images.main"])
    out = prepare(AdoptConfig(Wishes(names), rate=10), room / "gripper-videos", tmp_path / "set").write().root
    shown = pictures(SIZE, foreign.LENGTHS[1], 1)
    found = Dataset.open(out).images(1, "observation.images.front")
    distance = np.abs(shown[None].astype(float) - found[:, None]).mean((2, 3, 4))
    frames = np.arange(1, len(found) - 1)
    right, before, after = (distance[frames, 3 * frames + shift] for shift in (0, -1, 1))
    assert (right < np.minimum(before, after)).mean() > 0.8  # what moves slowest looks the same in two frames


def test_the_page_s_commands_run_on_sets_of_the_real_library(room, tmp_path, monkeypatch, capsys):
    pytest.importorskip("mujoco")
    cli = pytest.importorskip("glam.cli")  # needs tyro and rich
    section = PAGE[PAGE.index("## LeRobot datasets") : PAGE.index("## Recordings in other formats")]
    blocks = "\n".join(re.findall(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)).replace("\\\n", " ")
    monkeypatch.chdir(room)
    monkeypatch.setenv("GLAM_CACHE", str(tmp_path / "cache"))
    for line in filter(None, blocks.splitlines()):
        words = shlex.split(line, comments=True)
        brief = ["--scale", "smoke", "--threads", "1"] if words[1:2] == ["train-world-model"] else []
        monkeypatch.setattr(sys, "argv", [*words, *brief])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        assert not stop.value.code, (line, capsys.readouterr().err)
