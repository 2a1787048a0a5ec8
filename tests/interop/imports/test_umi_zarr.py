"""Replay buffers of UMI and diffusion policy mean what their convention says."""

import numpy as np
import pytest
from tests.interop.imports import foreign, references

from glam.core.errors import GlamError
from glam.interop.imports import umi_zarr
from glam.interop.imports.conversion import plan, poses
from glam.interop.imports.recordings import Hints

ROWS = sum(foreign.LENGTHS)


def read(reader, tmp_path, arrays, lengths=foreign.LENGTHS, **hints):
    file = foreign.replay_buffer(tmp_path / "demo.zarr.zip", arrays, lengths)
    return umi_zarr.read(reader, file, Hints(**hints))


def test_everything_is_as_zarr_and_scipy_read_it(reader, tmp_path):
    found = read(reader, tmp_path, foreign.umi_arrays(), source_rate=20.0)
    made = plan(found, None, None)
    episodes = [references.of_episode(made.episode(index)) for index in range(3)]
    assert references.equal(episodes, references.umi(found.source), 1e-6)
    assert made.schema.role == "auxiliary"
    assert episodes[2].vectors.keys() == {"observation.ee_pose"}
    wanted = foreign.expected_pose(foreign.path(foreign.LENGTHS[2], 2))
    assert episodes[2].vectors["observation.ee_pose"] == pytest.approx(wanted, abs=1e-5)


def test_the_rate_of_umi_is_that_of_its_camera_and_a_warning_says_so(reader, tmp_path, caplog):
    found = read(reader, tmp_path, foreign.umi_arrays())
    assert found.rate == pytest.approx(59.94, abs=1e-3)
    assert "59.94 Hz" in caplog.text
    assert plan(found, None, None).schema.fps == 60
    assert len(plan(found, 20, None).times[1]) == 3  # 0.13 s


def test_two_grippers_are_two_arms_with_their_cameras(reader, tmp_path):
    found = read(reader, tmp_path, foreign.umi_arrays(robots=2), source_rate=20.0)
    assert found.arms == ("robot0", "robot1")
    assert list(found.tracks[0].images) == ["camera0", "camera1"]
    pose = poses(found.tracks[0].motion)
    assert pose[:, 10:13] == pytest.approx(pose[:, :3] + 1.0, abs=1e-6)


def diffusion_policy(**more):
    """As the real-robot data of diffusion policy."""
    umi = foreign.umi_arrays()
    pose = np.concatenate([umi["robot0_eef_pos"], umi["robot0_eef_rot_axis_angle"]], axis=1)
    moments = np.concatenate([1e9 + np.arange(length) * 0.1 for length in foreign.LENGTHS])
    arrays = {"camera_0": umi["camera0_rgb"], "robot_eef_pose": pose, "timestamp": moments, "action": pose + 1}
    return arrays | more


def test_diffusion_policy_gives_a_target_set_with_the_rate_of_its_time_stamps(reader, tmp_path, caplog):
    joints = np.random.default_rng(0).standard_normal((ROWS, 6))
    found = read(reader, tmp_path, diffusion_policy(robot_joint=joints))
    assert found.rate == pytest.approx(10.0)
    assert "no gripper was recorded" in caplog.text
    made = plan(found, None, None)
    assert (made.schema.role, made.schema.cameras) == ("target", ("camera_0",))
    assert made.schema.state_names[-2:] == ("arm.joint6", "arm.gripper")
    vectors = made.episode(1).vectors
    assert vectors["action"] == pytest.approx(diffusion_policy()["action"][7:16])
    assert vectors["observation.state"][:, :6] == pytest.approx(joints[7:16], abs=1e-6)
    assert np.all(vectors["observation.ee_pose"][:, 9] == 0.0)


def test_without_time_stamps_its_rate_must_be_given(reader, tmp_path):
    arrays = diffusion_policy()
    del arrays["timestamp"]
    with pytest.raises(GlamError, match="has no rate"):
        read(reader, tmp_path, arrays)


def without(*keys):
    return {key: values for key, values in foreign.umi_arrays().items() if key not in keys}


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (without("camera0_rgb"), "has no images such as data/camera0_rgb"),
        (without("robot0_eef_pos"), "has no data/robot_eef_pose"),
        (without("robot0_gripper_width"), "has no data/robot0_gripper_width"),
        (without("robot0_eef_rot_axis_angle"), "has no data/robot0_eef_rot_axis_angle"),
        (foreign.umi_arrays() | {"robot0_eef_pos": np.zeros((ROWS, 2), "f4")}, r"has shape \(22, 2\)"),
        (foreign.umi_arrays() | {"robot0_eef_pos": np.zeros((5, 3), "f4")}, "has 5 frames instead of 22"),
        (foreign.umi_arrays() | {"camera0_rgb": np.zeros((ROWS, 4, 4, 3), "f4")}, "camera0_rgb is float32"),
        (foreign.umi_arrays() | {"robot0_gripper_width": np.full((ROWS, 1), -1.0)}, "say with --gripper"),
        (foreign.umi_arrays() | {"action": np.full((ROWS, 3), np.inf)}, "action is inf in frame 0"),
    ],
)
def test_what_is_wrong_is_named(reader, tmp_path, arrays, message):
    codec = foreign.imagecodecs.numcodecs.Png() if arrays.get("camera0_rgb", np.empty(0, "u1")).dtype == "u1" else None
    file = foreign.replay_buffer(tmp_path / "demo.zarr.zip", arrays, image_codec=codec or foreign.numcodecs_zlib())
    with pytest.raises(GlamError, match=rf"demo\.zarr\.zip: .*{message}"):
        plan(umi_zarr.read(reader, file, Hints(source_rate=20.0)), None, None)


@pytest.mark.parametrize("lengths", [(0, 22), (30, -8), (11, 10)])
def test_episodes_must_end_one_after_the_other_and_at_the_end(reader, tmp_path, lengths):
    with pytest.raises(GlamError, match=r"growing numbers of frames|instead of 21"):
        read(reader, tmp_path, foreign.umi_arrays(), lengths, source_rate=20.0)
