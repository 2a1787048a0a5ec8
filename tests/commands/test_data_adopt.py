"""`glam data adopt` and `glam data check --target --aux` as a user types them."""

from pathlib import Path

import numpy as np
import pytest
from tests.interop.lerobot import foreign
from tests.typed import Glam

from glam.data.reader import Dataset
from glam.data.schema import EE_POSE

TOP, MAIN = "observation.images.front=observation.images.top", "observation.images.front=observation.images.main"


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sets")
    foreign.arm(root / "arm")
    foreign.glove(root / "glove")
    (root / "crane.urdf").write_text(foreign.URDF)
    return root


def test_a_dry_run_tells_what_was_understood_and_makes_nothing(glam: Glam, sets: Path, tmp_path: Path) -> None:
    said = glam("data", "adopt", sets / "arm", "--out", tmp_path / "set", "--map", TOP, "--dry-run")
    assert said.code == 0
    assert said.lines[0] == "cameras: front from observation.images.top"
    assert any(line.startswith("warning: there is no end-effector pose") for line in said.lines)
    assert said.lines[-1] == "3 episodes, 114 frames at 30 Hz: a target set, with actions"
    assert not (tmp_path / "set").exists()


def test_sets_are_adopted_and_found_to_work_together(glam: Glam, sets: Path, tmp_path: Path) -> None:
    common = ("--rate", 10, "--size", 16)
    model = ("--kinematics", sets / "crane.urdf", "--tool-frame", "tip")
    said = glam("data", "adopt", sets / "arm", "--out", tmp_path / "arm", "--map", TOP, *common, *model)
    assert said.code == 0
    assert said.lines[-2:] == ["3 episodes, 40 frames at 10 Hz: a target set, with actions", str(tmp_path / "arm")]
    said = glam("data", "adopt", sets / "glove", "--out", tmp_path / "glove", "--map", MAIN, *common)
    assert said.lines[-2:] == [
        "3 episodes, 40 frames at 10 Hz: an auxiliary set, without actions",
        str(tmp_path / "glove"),
    ]
    said = glam("data", "check", "--target", tmp_path / "arm", "--aux", tmp_path / "glove")
    assert (said.code, said.lines[-2]) == (0, "verdict: these datasets can be trained on together, with glam")
    poses = [Dataset.open(tmp_path / name).vectors(1)[EE_POSE] for name in ("arm", "glove")]
    np.testing.assert_allclose(poses[0][:, :3], poses[1][:, :3], atol=1e-5)


def test_several_sets_are_adopted_in_one_call(glam: Glam, sets: Path, tmp_path: Path) -> None:
    words = ("--out", tmp_path / "all", "--rate", 10, "--size", 16)
    said = glam("data", "adopt", sets / "arm", sets / "glove", *words)
    assert said.code == 0
    assert [line for line in said.lines if line.startswith("3 episodes, 40 frames")] == [
        "3 episodes, 40 frames at 10 Hz: a target set, with actions",
        "3 episodes, 40 frames at 10 Hz: an auxiliary set, without actions",
    ]
    assert [Dataset.open(tmp_path / "all" / name).schema.role for name in ("arm", "glove")] == ["target", "auxiliary"]
    assert "SRC: two datasets have the same name" in glam("data", "adopt", sets / "arm", sets / "arm", *words).error


def test_sets_that_cannot_work_together_end_with_code_two(glam: Glam, sets: Path, tmp_path: Path) -> None:
    glam("data", "adopt", sets / "arm", "--out", tmp_path / "arm", "--map", TOP, "--rate", 10, "--size", 16)
    glam("data", "adopt", sets / "glove", "--out", tmp_path / "glove", "--size", 16)
    said = glam("data", "check", "--target", tmp_path / "arm", "--aux", tmp_path / "glove")
    assert said.code == 2
    errors = [line.split(":")[0] for line in said.lines if line.startswith("error ")]
    assert errors == ["error    rate", "error    cameras"]
    assert said.lines[-1] == "verdict: these datasets cannot be trained on together yet; 2 of the above must be fixed"


def test_frames_are_moved_by_numbers_that_may_be_negative(glam: Glam, sets: Path, tmp_path: Path) -> None:
    base = ("--base", -0.5, 0, 0, 0, 0, -90)
    said = glam("data", "adopt", sets / "glove", "--out", tmp_path / "set", "--size", 16, "--rate", 10, *base)
    assert said.code == 0
    x, y, _ = foreign.tip(foreign.joints(0)[::3]).T
    pose = Dataset.open(tmp_path / "set").vectors(0)[EE_POSE]
    np.testing.assert_allclose(pose[:, :2], np.stack([y - 0.5, -x], axis=1), atol=1e-5)


def test_both_arms_of_a_robot_are_found_in_one_model(glam: Glam, tmp_path: Path) -> None:
    bodies = "".join(
        f'<body pos="0 {y} 0"><joint name="{side}_lift" type="slide" axis="0 0 1"/><site name="{side}_tip"/></body>'
        for side, y in (("left", 0.3), ("right", -0.3))
    )
    (tmp_path / "robot.xml").write_text(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    names = ["left_lift", "left_gripper", "right_lift", "right_gripper"]
    features = {"observation.images.front": foreign.camera(), "observation.state": foreign.feature(4, names)}
    state = np.random.default_rng(0).uniform(0.0, 1.0, (6, 4)).astype(np.float32)
    source = foreign.write(tmp_path / "source", features, [{"observation.state": state}])
    frames = ("--tool-frame", "left=left_tip", "--tool-frame", "right=right_tip", "--gripper", 0, 1)
    said = glam("data", "adopt", source, "--out", tmp_path / "set", "--kinematics", tmp_path / "robot.xml", *frames)
    assert said.code == 0
    dataset = Dataset.open(tmp_path / "set")
    assert dataset.schema.arms == ("left", "right")
    pose = dataset.vectors(0)[EE_POSE].reshape(6, 2, 10)
    np.testing.assert_allclose(pose[:, :, 1], [[0.3, -0.3]] * 6, atol=1e-6)
    np.testing.assert_allclose(pose[:, :, 2], state[:, [0, 2]], atol=1e-6)
    np.testing.assert_allclose(pose[:, :, 9], state[:, [1, 3]], atol=1e-6)
