import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glam.core.geometry import rotation_from_vector
from glam.sim.embodiments import find_embodiment
from glam.sim.embodiments.embodiment import POINTING_DOWN, HandPose
from glam.sim.embodiments.kinova import ROBOTIQ_85
from glam.sim.embodiments.umi import JAW, UMI, hinge_angles

ANGLE = st.floats(-3.0, 3.0)


def rotation_from_hinges(angles):
    """What the hinges make of the hand: yaw about z, then pitch about y, then roll about x."""
    z, y, x = (rotation_from_vector(angle * axis) for angle, axis in zip(angles, np.identity(3)[::-1], strict=True))
    return z @ y @ x @ POINTING_DOWN


@given(st.tuples(ANGLE, st.floats(-1.5, 1.5), ANGLE))
def test_hinge_angles_come_back_from_the_rotation_they_make(angles):
    assert hinge_angles(rotation_from_hinges(np.array(angles))) == pytest.approx(np.array(angles), abs=1e-6)


@given(st.tuples(ANGLE, ANGLE, ANGLE))
def test_a_rotation_comes_back_from_its_hinge_angles(vector):
    rotation = rotation_from_vector(np.array(vector))
    assert rotation_from_hinges(hinge_angles(rotation)) == pytest.approx(rotation, abs=1e-6)


def test_all_hinges_at_zero_point_the_hand_down():
    assert rotation_from_hinges(np.zeros(3)) == pytest.approx(POINTING_DOWN)
    assert hinge_angles(POINTING_DOWN) == pytest.approx(np.zeros(3))


@pytest.fixture
def world(world_of):
    world = world_of("lift", "umi")
    world.reset(0)
    return world


@pytest.mark.parametrize("vector", [(0.0, 0.0, 0.0), (0.3, -0.2, 0.7), (-0.4, 0.5, -1.0)])
def test_the_hand_goes_to_the_pose_it_is_sent_to(world, vector):
    rotation = rotation_from_vector(np.array(vector)) @ POINTING_DOWN
    target = HandPose(np.array([0.45, 0.05, 0.30]), rotation, 0.5)
    for _ in range(20):
        world.step(world.arms["arm"].action_towards(target, world.last_action))
    hand = world.hand("arm")
    assert hand.position == pytest.approx(target.position, abs=1e-3)
    assert hand.rotation == pytest.approx(rotation, abs=0.01)


def test_yaw_goes_on_from_the_last_action_instead_of_jumping_by_a_turn(world):
    arm = world.arms["arm"]
    nearly, beyond = (rotation_from_hinges(np.array([yaw, 0.0, 0.0])) for yaw in (3.1, 3.2))
    last = arm.action_towards(HandPose(np.zeros(3), nearly, 1.0), np.array([0, 0, 0, 3.0, 0, 0, 1.0]))
    then = arm.action_towards(HandPose(np.zeros(3), beyond, 1.0), last)
    assert then[3] - last[3] == pytest.approx(0.1)


def test_there_is_no_robot_state(world):
    assert world.arms["arm"].state_names == ()
    assert world.state().shape == (0,)
    assert world.observe().state.shape == (0,)
    assert not UMI.is_labelled


def test_the_hand_differs_from_the_kinovas_in_fingers_stroke_and_colours():
    assert JAW.stroke > ROBOTIQ_85.stroke
    assert JAW.pad_half_size != ROBOTIQ_85.pad_half_size
    assert JAW.palm_half_size != ROBOTIQ_85.palm_half_size
    assert np.abs(np.subtract(JAW.palm_colour, ROBOTIQ_85.palm_colour)).min() > 0.5


def test_a_demonstrator_opens_the_hand_as_wide_as_the_kinovas_and_no_wider(world_of):
    widths = [world_of("lift", name).arms["arm"].stroke for name in ("kinova", "umi")]
    assert widths[0] == widths[1]
    for name in ("kinova", "umi"):
        world = world_of("lift", name)
        world.reset(0)
        assert world.ee_pose()[9] == pytest.approx(0.85, abs=0.005)  # in units of 10 cm


def test_the_hand_floats_without_sinking(world):
    start = world.hand("arm").position
    for _ in range(20):
        world.step(world.last_action)
    assert world.hand("arm").position == pytest.approx(start, abs=1e-4)


def test_umi_is_found_by_its_name():
    assert find_embodiment("umi") is UMI
