import json
import logging
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.core.workers import no_progress
from glam.data.cache import decoded
from glam.data.demonstrations import Split
from glam.data.reader import Dataset
from glam.data.windows import Frames, labelled
from glam.policies.sources import LabelledPolicySource, PolicySource
from glam.sim.retargeting import Retargeter
from glam.stages.retarget import retarget
from glam.stages.retargeted import Retargeting, joint_path
from glam.stages.target_robot import retargeter_of


def target_of(root: Path) -> LabelledPolicySource:
    frames = labelled(decoded(Dataset.open(root), 16), str(root))
    first = range(len(frames.episodes) - 1)  # a split that does not depend on the content, which names versions
    split = Split(frames.episodes.select(first), frames.episodes.select([len(first)]))
    return LabelledPolicySource(str(root), frames, split)


def auxiliary_of(root: Path) -> PolicySource:
    frames = decoded(Dataset.open(root), 16)
    return whole(frames, str(root))


def whole(frames: Frames, name: str) -> PolicySource:
    """A source that is learnt from as a whole."""
    return PolicySource(name, frames, Split(frames.episodes, frames.episodes))


def retargeted(trained, auxiliary: Frames) -> Retargeting:
    return retarget(trained.target, target_of(trained.target), [whole(auxiliary, "umi")], no_progress)


def moved(frames: Frames, rows: slice, metres: float, name: str) -> Frames:
    """The same set with some poses elsewhere."""
    pose = frames.ee_pose.copy()
    pose[rows, 0] += metres
    return replace(frames, ee_pose=pose, content_id=name)


def test_labels_made_of_the_targets_own_paths_are_its_actions(trained) -> None:
    target = target_of(trained.target)
    own = whole(target.frames, str(trained.target))
    found = retarget(trained.target, target, [own], no_progress)
    wrong = (found.sources[0].actions - target.frames.action)[target.frames.episodes.ends[-1] - 20 : -1]
    assert np.degrees(np.abs(wrong[:, :7]).mean()) < 0.5
    quality = found.report["held_out_target"]
    assert quality["normalized"] < 0.02
    assert quality["degrees"] < 0.5
    assert quality["gripper"] < 0.05


def test_an_action_takes_its_row_to_the_next_one(trained) -> None:
    """Index law: with the lag taken away, row t holds the joints of row t + 1, and never those of another episode."""
    frames = auxiliary_of(trained.auxiliary).frames
    found = retargeted(trained, frames)
    paths = joint_path(retargeter_of(trained.target, target_of(trained.target).frames), frames, no_progress)
    lag = np.array(list(found.report["lag"].values()))[:7]
    assert found.report["lead"] == 1
    first, last = frames.episodes.starts[1], frames.episodes.ends[1] - 1
    joints, actions = paths.reached[:, :7], found.sources[0].actions[:, :7]
    expected = joints[first + 1 : last + 1] + lag * (joints[first + 1 : last + 1] - joints[first:last])
    np.testing.assert_allclose(actions[first:last], expected, atol=1e-5)
    np.testing.assert_allclose(actions[last], joints[last], atol=1e-5)


def test_the_gripper_of_the_hand_becomes_commands_of_the_robot(trained) -> None:
    """The hand holds the cube half open; the robot is told to shut."""
    frames = auxiliary_of(trained.auxiliary).frames
    gripper = retargeted(trained, frames).sources[0].actions[:, 7]
    ends = frames.episodes.ends - 1
    assert (frames.ee_pose[ends, 9] > 0.3).all()
    np.testing.assert_allclose(gripper[ends], 0.0, atol=1e-3)
    np.testing.assert_allclose(gripper[frames.episodes.starts], 1.0, atol=1e-3)


def test_an_episode_with_a_pose_out_of_reach_is_left_out(trained, caplog: pytest.LogCaptureFixture) -> None:
    frames = auxiliary_of(trained.auxiliary).frames
    far = moved(frames, slice(int(frames.episodes.starts[1]) + 3, int(frames.episodes.starts[1]) + 4), 2.0, "one far")
    found = retargeted(trained, far)
    assert found.sources[0].source.train.starts.tolist() == frames.episodes.starts[[0, 2]].tolist()
    outcome = found.report["auxiliary"][0]
    assert (outcome["unreached"], outcome["left_out"], outcome["episodes"]) == (1, 1, 3)
    assert outcome["worst_mm"] > 1000
    assert not caplog.records


def test_many_poses_out_of_reach_are_worth_a_sentence(trained, caplog: pytest.LogCaptureFixture) -> None:
    frames = auxiliary_of(trained.auxiliary).frames
    with caplog.at_level(logging.WARNING):
        retargeted(trained, moved(frames, slice(0, int(frames.episodes.ends[0])), 2.0, "many far"))
    assert "frames are out of reach of kinova; 1 of 3 episodes are left out" in caplog.text


def test_a_set_wholly_out_of_reach_is_refused(trained) -> None:
    far = moved(auxiliary_of(trained.auxiliary).frames, slice(None), 2.0, "all far")
    with pytest.raises(GlamError, match="umi: every episode has a pose out of reach of kinova"):
        retargeted(trained, far)


def test_a_gripper_that_is_not_measured_is_refused(trained) -> None:
    frames = auxiliary_of(trained.auxiliary).frames
    pose = frames.ee_pose.copy()
    pose[:, 9] = 0.0
    with pytest.raises(GlamError, match="umi: the gripper of arm never moves"):
        retargeted(trained, replace(frames, ee_pose=pose, content_id="no gripper"))


def test_a_set_with_other_cameras_is_refused(trained) -> None:
    frames = auxiliary_of(trained.auxiliary).frames
    other = replace(frames, schema=replace(frames.schema, cameras=("front",)))
    with pytest.raises(GlamError, match="umi: cameras is"):
        retargeted(trained, other)


def test_for_an_unknown_robot_the_sentence_says_what_to_give(trained, tmp_path: Path) -> None:
    root = tmp_path / "aloha"
    (root / "meta").mkdir(parents=True)
    frames = target_of(trained.target).frames
    (root / "meta/info.json").write_text(json.dumps({"robot_type": "aloha"}))
    with pytest.raises(GlamError, match=r"aloha: .* joints of 'aloha'; give with --kinematics its URDF or MJCF"):
        retargeter_of(root, frames)


def test_actions_of_another_kind_are_refused(trained) -> None:
    frames = target_of(trained.target).frames
    other = replace(frames, schema=replace(frames.schema, action_names=("dx", "dy")))
    with pytest.raises(GlamError, match=r"action is dx, dy, but kinova takes arm_joint_1\.pos"):
        retargeter_of(trained.target, other)


def test_inverse_kinematics_is_done_once_for_a_dataset(trained, monkeypatch: pytest.MonkeyPatch) -> None:
    frames = auxiliary_of(trained.auxiliary).frames
    first = retargeted(trained, frames)
    monkeypatch.setattr(Retargeter, "follow", lambda *_: pytest.fail("solved again"))
    second = retargeted(trained, frames)
    assert first.sources[0].digest == second.sources[0].digest
    assert first.report == second.report
