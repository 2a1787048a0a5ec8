import numpy as np
import pytest
from tests.interop.lerobot import foreign

from glam.core.errors import GlamError
from glam.interop.imports.recordings import Hints
from glam.interop.lerobot.adoption import adopt
from glam.interop.lerobot.mapping import ImportOptions, parse_map


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    return foreign.arm(tmp_path_factory.mktemp("foreign") / "arm")


@pytest.fixture(scope="module")
def glove(tmp_path_factory):
    return foreign.glove(tmp_path_factory.mktemp("foreign") / "glove")


def adopted(root, rate=None, chains=(), map=(), **options):
    return adopt(root, ImportOptions(parse_map(map), **options), dict(chains), rate)


def test_a_recording_has_what_the_dataset_holds(arm):
    found = adopted(arm).recording
    assert (found.robot, found.rate, found.has_pose, found.arms) == ("crane", 30.0, False, ("arm",))
    assert found.state_names == found.action_names == foreign.MOTORS
    assert [track.name for track in found.tracks] == ["episode 0", "episode 1", "episode 2"]
    assert {track.task for track in found.tracks} == {foreign.TASK}
    np.testing.assert_allclose(found.tracks[1].motion.state, foreign.joints(1), rtol=1e-6)
    assert list(found.tracks[0].images) == ["top", "wrist"]


def test_a_pose_is_read_with_its_opening_as_a_share_of_the_widest(glove):
    motion = adopted(glove).recording.tracks[0].motion
    angles = foreign.joints(0)
    np.testing.assert_allclose(motion.positions[:, 0], foreign.tip(angles), atol=1e-6)
    np.testing.assert_allclose(np.abs(motion.quaternions[:, 0]), [[1.0, 0.0, 0.0, 0.0]] * len(angles), atol=1e-6)
    np.testing.assert_allclose(motion.openings[:, 0], angles[:, 2] / 100.0, atol=1e-6)


def test_what_closed_and_open_read_may_be_said_also_the_other_way_round(glove):
    motion = adopted(glove, hints=Hints(gripper=(100.0, 0.0))).recording.tracks[0].motion
    np.testing.assert_allclose(motion.openings[:, 0], 1.0 - foreign.joints(0)[:, 2] / 100.0, atol=1e-6)


def test_millimetres_become_metres(glove, tmp_path):
    rows = []
    for k in range(2):
        numbers = np.hstack([1000.0 * foreign.tip(foreign.joints(k)), np.zeros((foreign.LENGTHS[k], 4))])
        rows.append({"observation.state": numbers})
    far = foreign.glove(tmp_path / "far", rows=rows)
    with pytest.raises(
        GlamError, match=r"far: episode 0: the position of frame 0 is not within 100 m; is it in metres"
    ):
        adopted(far)
    motion = adopted(far, lengths="millimetres").recording.tracks[0].motion
    np.testing.assert_allclose(motion.positions[:, 0], foreign.tip(foreign.joints(0)), atol=1e-5)


def test_a_frame_is_moved_to_that_of_the_world(glove):
    motion = adopted(glove, base=(1.0, 0.0, 0.0, 0.0, 0.0, 90.0)).recording.tracks[0].motion
    x, y, z = foreign.tip(foreign.joints(0)).T
    np.testing.assert_allclose(motion.positions[:, 0], np.stack([1.0 - y, x, z], axis=1), atol=1e-6)


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    """A set whose actions are delta_actions."""
    rows = [
        {"observation.state": foreign.joints(k), "action": np.diff(foreign.joints(k), axis=0, append=0.0)}
        for k in range(2)
    ]
    return foreign.arm(tmp_path_factory.mktemp("foreign") / "steps", rows=rows)


def test_targets_are_recognised_and_delta_actions_must_be_told(steps, arm):
    assert (adopted(arm).recording.delta_actions, adopted(arm).doubt) == ((), "")
    unclear = adopted(steps)
    assert unclear.sentences[2].endswith(", absolute or delta")
    assert "cannot find out whether action is absolute" in unclear.doubt
    told = adopted(steps, actions="delta")
    assert (told.recording.delta_actions, told.doubt) == ((0, 1), "")  # a gripper is told where to be
    assert told.sentences[2].endswith("], delta but for gripper.pos")
    assert (adopted(steps, actions="absolute").recording.delta_actions, unclear.recording.delta_actions) == ((), ())


def test_a_gripper_without_a_telling_name_may_be_named(steps):
    found = adopted(steps, actions="delta", map=["action.gripper=action[1]"]).recording
    assert found.delta_actions == (0, 2)


@pytest.mark.parametrize(
    ("actions", "theirs", "sentence"),
    [
        ("absolute", "action[2]", r"--map action\.gripper: needs --actions delta"),
        ("delta", "observation.state[2]", r"observation\.state\[gripper\.pos\] is no part of action"),
    ],
)
def test_a_gripper_that_makes_no_difference_is_refused(steps, actions, theirs, sentence):
    with pytest.raises(GlamError, match=sentence):
        adopted(steps, actions=actions, map=[f"action.gripper={theirs}"])


def test_what_was_understood_is_said(arm, glove):
    said = adopted(arm, map=["observation.images.front=observation.images.top"]).sentences
    assert said[0] == "cameras: front from observation.images.top"
    assert said[2] == "action: action[shoulder.pos, slide.pos, gripper.pos], absolute"
    assert any(
        sentence.startswith("warning: there is no end-effector pose, so only methods whose") for sentence in said
    )
    assert said[-1] == "not used: observation.images.wrist"
    assert any(
        "as rotation-vector; gripper observation.state[ee.gripper_pos]" in one for one in adopted(glove).sentences
    )
    assert adopted(arm, role="auxiliary").sentences[-1].startswith("the set is auxiliary: action")


def test_a_set_without_a_gripper_is_warned_about(tmp_path):
    names = ["x", "y", "z", "rx", "ry", "rz"]
    features = {"observation.images.main": foreign.camera(), "observation.state": foreign.feature(6, names)}
    root = foreign.write(tmp_path / "set", features, [{"observation.state": np.zeros((5, 6))}])
    found = adopted(root)
    assert "warning: no gripper is recorded for arm" in " ".join(found.sentences)
    assert not found.recording.tracks[0].motion.openings.any()


def test_episodes_that_are_too_short_for_a_transition_are_left_out(tmp_path):
    rows = [{"observation.state": np.zeros((length, 7))} for length in (5, 1, 3)]
    root = foreign.glove(tmp_path / "set", rows=rows)
    found = adopted(root)
    assert [track.name for track in found.recording.tracks] == ["episode 0", "episode 2"]
    assert found.sentences[-1] == "left out: 1 episode of less than two frames"
    assert len(adopted(root, rate=10).recording.tracks) == 1
    with pytest.raises(GlamError, match="none of its 3 episodes lasts two frames"):
        adopted(root, rate=2)


def test_a_target_must_have_a_state_or_a_pose(tmp_path):
    features = {"observation.images.main": foreign.camera(), "action": foreign.feature(2)}
    root = foreign.write(tmp_path / "set", features, [{"action": np.zeros((5, 2))}])
    with pytest.raises(GlamError, match=r"set: has action but neither observation.state nor a pose"):
        adopted(root)


def test_entries_of_one_name_are_told_apart(arm):
    found = adopted(arm, map=["observation.state=observation.state[0]+action[0]"]).recording
    assert found.state_names == ("observation.state.shoulder.pos", "action.shoulder.pos")


def test_the_task_is_the_dataset_s_or_what_is_said(tmp_path, arm):
    assert adopted(arm, hints=Hints(task="Stack.")).recording.tracks[0].task == "Stack."
    nameless = foreign.glove(tmp_path / "unnamed", tasks=[""] * 3)
    assert adopted(nameless).recording.tracks[0].task == "unnamed"
