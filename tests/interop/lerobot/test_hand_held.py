"""Sets of hand-held grippers are read by their own conventions, as their public code has them."""

import numpy as np
import pytest
from tests.interop.lerobot import foreign
from tests.interop.lerobot.foreign import camera, feature

from glam.core.errors import GlamError
from glam.data.check import check_dataset
from glam.data.reader import Dataset
from glam.data.schema import EE_POSE
from glam.interop.lerobot.lost_frames import LostFrames
from glam.interop.lerobot.mapping import ImportOptions, parse_map
from glam.interop.lerobot.source import LeRobotSource
from glam.stages.adopt import AdoptConfig, prepare
from glam_client.resizing import resize

LENGTH = 90
GRABETTE = ["x", "y", "z", "ax", "ay", "az"]
JOINTS = ["proximal", "distal"]
HANDUMI = [f"{arm}_{part}" for arm in ("left", "right") for part in ("x", "y", "z", "qx", "qy", "qz", "qw")]
HANDUMI += ["left_gripper_width", "right_gripper_width"]
VALID = ["left_device_tracked", "left_pose_valid", "right_device_tracked", "right_pose_valid", "hmd_tracked"]
GRIPPER = parse_map(["observation.ee_pose.gripper=observation.joints[proximal]"])


def pose(index):
    angles = foreign.joints(index, LENGTH)
    turns = np.tile([np.pi / 2, 0.0, 0.0], (LENGTH, 1))
    return np.concatenate([foreign.tip(angles), turns], axis=1), angles


def grabette(root, lost=(), kind="pose"):
    """Two episodes; `lost` are frames of the first one."""
    rows = []
    for index in range(2):
        places, angles = pose(index)
        flags = np.zeros((LENGTH, 1), np.float32)
        flags[list(lost if index == 0 else ())] = 1.0
        fingers = np.stack([angles[:, 2], angles[:, 2]], axis=1) / 100.0
        row = {"observation.joints": fingers, "is_lost": flags}
        row |= {"observation.pose": places, "action": fingers} if kind == "pose" else {}
        row |= {"action": np.concatenate([places, fingers], axis=1)} if kind == "action" else {}
        rows.append(row)
    vectors = {"observation.joints": feature(2, JOINTS), "is_lost": feature(1)}
    vectors |= {"observation.pose": feature(6, GRABETTE), "action": feature(2, JOINTS)} if kind == "pose" else {}
    vectors |= {"action": feature(8, GRABETTE + JOINTS)} if kind == "action" else {}
    features = {"observation.images.cam0": camera(), **vectors}
    return foreign.write(root, features, rows, robot="grabette")


def handumi(root, lost=()):
    rows = []
    for index in range(2):
        places, angles = pose(index)
        quaternion = np.tile([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)], (LENGTH, 1))
        arm = np.concatenate([places[:, :3], quaternion], axis=1)
        valid = np.ones((LENGTH, len(VALID)), np.float32)
        valid[list(lost if index == 0 else ()), 3] = 0.0
        valid[:, 4] = 0.0  # the headset is not the hands
        widths = np.tile(angles[:, 2:] / 1000.0, (1, 2))
        device = np.concatenate([places[:, :3] + 5.0, quaternion], axis=1)
        other = arm + np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        state = np.concatenate([arm, other, widths], axis=1)
        rows.append({"observation.tracking.left_device_controller_pose": device, "observation.state": state,
                     "observation.valid": valid, "action": state})  # fmt: skip
    features = {
        "observation.images.left_wrist": camera(),
        "observation.tracking.left_device_controller_pose": feature(7, ["x", "y", "z", "qx", "qy", "qz", "qw"]),
        "observation.state": feature(16, HANDUMI),
        "observation.valid": feature(len(VALID), VALID),
        "action": feature(16, HANDUMI),
    }
    return foreign.write(root, features, rows, robot="handumi")


def adopted(source, out, said=None, **options):
    config = AdoptConfig(ImportOptions(**options), rate=10, size=16)
    tell = said.append if said is not None else lambda _: None
    dataset = Dataset.open(prepare(config, source, out, tell=tell).write().root)
    assert {finding.code for finding in check_dataset(dataset.root)} <= {"gripper-constant"}
    return dataset


@pytest.mark.parametrize("kind", ["pose", "action"])
def test_a_grabette_set_is_auxiliary_with_the_pose_of_its_camera(tmp_path, kind):
    said = []
    dataset = adopted(grabette(tmp_path / "source", kind=kind), tmp_path / "set", said, names=GRIPPER)
    assert said[0].startswith("convention: Grabette")
    assert dataset.schema.role == "auxiliary"
    places, angles = pose(1)
    found = dataset.vectors(1)[EE_POSE]
    np.testing.assert_allclose(found[:, :3], places[::3, :3], atol=1e-5)
    np.testing.assert_allclose(found[:, 3:9], np.tile([1, 0, 0, 0, 0, 1], (len(found), 1)), atol=1e-5)
    np.testing.assert_allclose(found[:, 9], angles[::3, 2] / angles[:, 2].max(), atol=1e-2)


def test_what_a_grabette_set_leaves_open_is_said(tmp_path):
    said = []
    adopted(grabette(tmp_path / "source"), tmp_path / "set", said)
    assert any("--map observation.ee_pose.gripper=observation.joints[proximal]" in line for line in said)
    assert any("no gripper is recorded" in line for line in said)


def test_a_handumi_set_has_both_hands_in_the_workspace_and_widths_in_metres(tmp_path):
    said = []
    dataset = adopted(handumi(tmp_path / "source"), tmp_path / "set", said)
    assert said[0].startswith("convention: HandUMI")
    assert (dataset.schema.role, dataset.schema.arms) == ("auxiliary", ("left", "right"))
    places, angles = pose(0)
    found = dataset.vectors(0)[EE_POSE]
    np.testing.assert_allclose(found[:, :3], places[::3, :3], atol=1e-5)
    np.testing.assert_allclose(found[:, 10:13], places[::3, :3] + [0.0, 1.0, 0.0], atol=1e-5)
    np.testing.assert_allclose(found[:, 9], angles[::3, 2] / 100.0, atol=1e-5)


@pytest.mark.parametrize("write", [grabette, handumi])
def test_lost_frames_split_an_episode_and_short_gaps_do_not(tmp_path, write):
    gaps = {"short": range(40, 44), "long": range(40, 50)}
    sources = {name: write(tmp_path / name, lost=lost) for name, lost in gaps.items()}
    said = []
    whole = adopted(sources["short"], tmp_path / "one", said)
    assert [record.length for record in whole.episodes] == [30, 30]
    assert any(line.startswith("lost: 4 frames (2.2 %) in 1 of 2 episodes") for line in said)
    split = adopted(sources["long"], tmp_path / "two")
    assert [record.facts["source"] for record in split.episodes] == [
        "episode 0, frames 0 to 39",
        "episode 0, frames 50 to 89",
        "episode 1",
    ]
    places, _ = pose(0)
    np.testing.assert_allclose(split.vectors(1)[EE_POSE][:, :3], places[50::3, :3], atol=1e-5)
    dropped = adopted(sources["long"], tmp_path / "three", lost=LostFrames("drop"))
    assert [record.facts["source"] for record in dropped.episodes] == ["episode 1"]
    kept = adopted(sources["long"], tmp_path / "four", lost=LostFrames("keep"))
    assert [record.length for record in kept.episodes] == [30, 30]


def test_the_images_of_a_piece_are_those_of_its_moments(tmp_path):
    root, key = grabette(tmp_path / "source", lost=range(30, 42)), "observation.images.cam0"
    source = LeRobotSource.open(root)
    every = np.concatenate(list(source.frames(source.episodes([key])[0], key).pieces(0, LENGTH)))
    piece = adopted(root, tmp_path / "set").images(0, key).astype(float)
    shown = resize(every, (16, 16)).astype(float)
    moments = 42 + 3 * np.arange(len(piece))
    right, other = (np.abs(piece - shown[moments - shift]).mean() for shift in (0, 5))
    assert right < other / 4


def test_a_set_that_was_lost_throughout_is_refused(tmp_path):
    every = grabette(tmp_path / "source", lost=range(LENGTH))
    rows = adopted(every, tmp_path / "set")
    assert [record.facts["source"] for record in rows.episodes] == ["episode 1"]
    features = {"observation.images.cam0": camera(), "observation.pose": feature(6, GRABETTE), "is_lost": feature(1)}
    content = [{"observation.pose": pose(0)[0], "is_lost": np.ones((LENGTH, 1))}]
    lost = foreign.write(tmp_path / "lost", features, content, robot="grabette")
    with pytest.raises(GlamError, match="tracking is lost in every episode; --lost keep adopts them"):
        adopted(lost, tmp_path / "none")
