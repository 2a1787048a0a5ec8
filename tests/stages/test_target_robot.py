"""Any robot is retargeted to: by its model, or without one where its actions are steps of the tool."""

import logging
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.interop.lerobot import foreign

from glam.core.errors import GlamError
from glam.core.geometry import six_from_rotation
from glam.core.workers import no_progress
from glam.data.cache import decoded
from glam.data.demonstrations import Split
from glam.data.reader import Dataset
from glam.data.windows import labelled
from glam.interop.lerobot.mapping import ImportOptions
from glam.policies.sources import LabelledPolicySource, PolicySource
from glam.sim.kinematics import Chain
from glam.stages.adopt import AdoptConfig, prepare
from glam.stages.retarget import retarget
from glam.stages.target_robot import RobotModel, retargeter_of


@pytest.fixture(scope="module")
def crane(tmp_path_factory: pytest.TempPathFactory):
    """A set of a robot that nobody knows, adopted with its model."""
    room = tmp_path_factory.mktemp("crane")
    model = room / "robot.urdf"
    model.write_text(foreign.URDF)
    chain = Chain.open(model, "tip")
    foreign.arm(room / "theirs")
    prepare(AdoptConfig(ImportOptions(), size=16), room / "theirs", room / "crane", {"": chain}).write()
    root = room / "crane"
    return root, labelled(decoded(Dataset.open(root), 16), "crane"), chain


def target_of(frames, root: Path) -> LabelledPolicySource:
    first = range(len(frames.episodes) - 1)
    return LabelledPolicySource(str(root), frames, Split(frames.episodes.select(first), frames.episodes.select([2])))


def own(frames) -> PolicySource:
    return PolicySource("aux", frames, Split(frames.episodes, frames.episodes))


def test_the_model_of_an_unknown_robot_gives_its_actions_for_paths(crane) -> None:
    root, frames, chain = crane
    found = retarget(root, target_of(frames, root), [own(frames)], no_progress, RobotModel({"": chain}))
    wrong = np.abs(found.sources[0].actions - frames.action)[:-1]
    assert found.report["auxiliary"][0]["left_out"] == 0
    assert found.report["held_out_target"]["normalized"] < 0.02
    assert np.median(wrong[:, :2]) < 2e-3


def test_without_a_model_the_sentence_says_what_to_give(crane) -> None:
    root, frames, _ = crane
    with pytest.raises(GlamError, match=r"joints of 'crane'; give with --kinematics the file .* --tool-frame tip"):
        retargeter_of(root, frames)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"tool": (0.0, 0.0, 0.0, 90.0, 0.0, 0.0)}, "0 mm and 90 degrees off its recorded pose"),
        ({"base": (0.0, 0.0, 0.5, 0.0, 0.0, 0.0)}, "500 mm and 0 degrees off its recorded pose"),
        ({"angles": "degrees"}, "off its recorded pose; check --kinematics"),
        ({"joints": ("shoulder.pos",)}, "--joints: give 2 of shoulder.pos, slide.pos, gripper.pos"),
    ],
)
def test_a_model_that_does_not_fit_the_recorded_poses_is_refused(crane, changes, sentence) -> None:
    root, frames, chain = crane
    with pytest.raises(GlamError, match=sentence):
        retargeter_of(root, frames, RobotModel({"": chain}, **changes))


def test_an_entry_that_is_neither_joint_nor_gripper_is_refused(crane) -> None:
    root, frames, chain = crane
    names = ("shoulder.pos", "slide.pos", "wheel")
    other = replace(frames, schema=replace(frames.schema, action_names=names, state_names=names))
    found = retargeter_of(root, other, RobotModel({"": chain}))
    assert found.grippers == (2,)  # one nameless entry of one arm can only be its gripper
    wider = replace(
        frames,
        schema=replace(frames.schema, action_names=(*names, "lamp")),
        action=np.column_stack([frames.action, frames.action[:, 0]]),
    )
    with pytest.raises(GlamError, match="wheel, lamp, which is neither a joint of the model nor a gripper"):
        retargeter_of(root, wider, RobotModel({"": chain}))


def test_steps_of_the_tool_need_no_model(crane, caplog: pytest.LogCaptureFixture) -> None:
    root, frames, chain = crane
    names = ("dx", "dy", "grip")
    steps = np.diff(frames.ee_pose[:, :2], axis=0, append=0.0)
    steps[frames.episodes.ends - 1] = 0.0
    schema = replace(frames.schema, action_names=names, delta_actions=names[:2])
    action = np.column_stack([40.0 * steps, frames.ee_pose[:, 9]]).astype(np.float32)
    target = target_of(replace(frames, schema=schema, action=action), root)
    fast = frames.ee_pose.copy()
    fast[:, :3] *= 3.0
    with caplog.at_level(logging.WARNING):
        found = retarget(root, target, [own(frames), own(replace(frames, ee_pose=fast))], no_progress)
    assert found.report["convention"] == "world"
    assert found.report["entries"] == {"dx": "arm position", "dy": "arm position"}
    assert found.report["held_out_target"]["normalized"] < 0.01
    np.testing.assert_allclose(found.sources[0].actions[:-1, :2], action[:-1, :2], atol=0.03)
    assert found.sources[1].actions.max() <= action.max() + 1e-6
    assert "are longer than any that the target's actions take" in caplog.text
    with pytest.raises(GlamError, match="deltas, which need no model"):
        retarget(root, target, [own(frames)], no_progress, RobotModel({"": chain}))


def test_a_six_joint_model_turns_its_tool_too(tmp_path: Path) -> None:
    body, close = "", ""
    for number, axis in enumerate(("0 0 1", "0 1 0", "0 1 0", "1 0 0", "0 1 0", "1 0 0")):
        body += f"<body name='b{number}' pos='0.1 0 0.1'><joint name='j{number}' axis='{axis}'/>"
        close += "</body>"
    path = tmp_path / "six.xml"
    path.write_text(f"<mujoco><worldbody>{body}<site name='tip' pos='.1 0 0'/>{close}</worldbody></mujoco>")
    chain = Chain.open(path, "tip")
    angles = np.array([[0.1, 0.4, 0.3, -0.2, 0.5, 0.3]])
    (place,), (rotation,) = chain.poses(angles)
    solver = chain.solver(angles[0] + 0.2)
    found = solver.solve(place, rotation, angles[0] + 0.2)
    places, rotations = chain.poses(found[None])
    np.testing.assert_allclose(places[0], place, atol=1e-3)
    np.testing.assert_allclose(six_from_rotation(rotations[0]), six_from_rotation(rotation), atol=5e-3)
