from functools import partial

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from glam_client.errors import GlamError
from glam_client.pose_conversion import IN_PLACE, Poses, from_joints, from_numbers, placed, quaternions_from

TURNS = Rotation.from_euler("xyz", [[0.1, -0.4, 2.0], [3.0, 0.2, -1.0], [0.0, 0.0, 0.0]])
CODES = {
    "quaternion-xyzw": TURNS.as_quat(),
    "quaternion-wxyz": np.roll(TURNS.as_quat(), 1, axis=1),
    "rotation-vector": TURNS.as_rotvec(),
    "roll-pitch-yaw": TURNS.as_euler("xyz"),
    "six": TURNS.as_matrix()[:, :, :2].transpose(0, 2, 1).reshape(-1, 6),
    "matrix": TURNS.as_matrix().reshape(-1, 9),
}


class Chain:
    joints = ("turn", "lift")
    limits = np.array([[-1.0, 1.0], [-np.inf, np.inf]])
    digest = ""

    def poses(self, positions):
        places = np.stack([positions[:, 1], positions[:, 0], 0.0 * positions[:, 0]], axis=1)
        return places, Rotation.from_euler("z", positions[:, 0]).as_matrix()


def same(quaternions, rotation):
    assert (Rotation.from_quat(quaternions) * rotation.inv()).magnitude().max() < 1e-6


@pytest.mark.parametrize("code", CODES)
def test_every_way_to_write_a_rotation_is_read(code):
    same(quaternions_from(code, CODES[code], in_degrees=False, where=""), TURNS)


@pytest.mark.parametrize("code", ["rotation-vector", "roll-pitch-yaw"])
def test_angles_may_be_degrees(code):
    same(quaternions_from(code, np.degrees(CODES[code]), in_degrees=True, where=""), TURNS)


def test_a_recorded_pose_is_its_numbers():
    numbers = np.hstack([[[1.0, 2.0, 3.0]] * 3, CODES["rotation-vector"]])
    poses = from_numbers("rotation-vector", numbers, in_degrees=False, where="")
    np.testing.assert_array_equal(poses.positions, numbers[:, :3])
    same(poses.quaternions, TURNS)


def test_joints_go_through_the_model_in_rad():
    poses = from_joints(Chain(), np.array([[90.0, 45.0]]), in_degrees=True, where="")
    np.testing.assert_allclose(poses.positions, [[np.pi / 4, np.pi / 2, 0.0]])
    same(poses.quaternions, Rotation.from_euler("z", [np.pi / 2]))


@pytest.mark.parametrize(
    ("read", "size"), [(partial(from_joints, Chain()), 2), (partial(from_numbers, "roll-pitch-yaw"), 6)]
)
def test_degrees_that_are_not_called_so_are_refused(read, size):
    with pytest.raises(GlamError, match=r"episode 3: .* beyond two turns in frame 1; say --angles degrees"):
        read(np.array([[0.0] * size, [90.0] * size]), in_degrees=False, where="episode 3")


def test_poses_are_moved_to_another_point_and_another_frame():
    poses = Poses(np.array([[0.1, 0.2, 0.3]] * 3), TURNS.as_quat())
    base, tool = (0.5, -0.2, 0.1, 10.0, 20.0, 90.0), (0.0, 0.0, 0.12, 180.0, 0.0, 45.0)
    found = placed(poses, base, tool)
    at_base, at_tool = (Rotation.from_euler("xyz", place[3:], degrees=True) for place in (base, tool))
    wanted = np.array(base[:3]) + at_base.apply(poses.positions + TURNS.apply(tool[:3]))
    np.testing.assert_allclose(found.positions, wanted, atol=1e-12)
    same(found.quaternions, at_base * TURNS * at_tool)


def test_nothing_is_moved_by_default():
    poses = Poses(np.array([[0.1, 0.2, 0.3]] * 3), TURNS.as_quat())
    found = placed(poses, IN_PLACE, IN_PLACE)
    np.testing.assert_allclose(found.positions, poses.positions)
    same(found.quaternions, TURNS)
