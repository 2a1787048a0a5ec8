import numpy as np
import pytest

from glam.core.geometry import rotation_from_vector
from glam.sim.demonstrator import demonstrate
from glam.sim.embodiments import find_embodiment
from glam.sim.embodiments.embodiment import POINTING_DOWN, HandPose
from glam.sim.embodiments.human_hand import HUMAN_HAND, TOOL_OFFSET
from glam.sim.expert import Disturbance
from glam.sim.jaw import TIP_BEYOND_TOOL


@pytest.fixture
def world(world_of):
    world = world_of("lift", "human-hand")
    world.reset(0)
    return world


def tips(world):
    """Places of index finger and thumb in the frame of the tool. (2, 3)."""
    hand = world.hand("arm")
    return (np.array([world.data.site(f"arm_{side}_tip").xpos for side in ("left", "right")]) - hand.position) @ (
        hand.rotation
    )


def sent(world, target, steps=20):
    for _ in range(steps):
        world.step(world.arms["arm"].action_towards(target, world.last_action))


@pytest.mark.parametrize("opening", [0.0, 0.4, 1.0])
def test_the_hand_goes_to_the_pose_and_opening_it_is_sent_to(world, opening):
    rotation = rotation_from_vector(np.array([0.3, -0.2, 0.7])) @ POINTING_DOWN
    target = HandPose(np.array([0.45, 0.05, 0.30]), rotation, opening)
    sent(world, target)
    hand = world.hand("arm")
    assert hand.position == pytest.approx(target.position, abs=1e-3)
    assert hand.rotation == pytest.approx(rotation, abs=0.01)
    assert hand.opening == pytest.approx(opening, abs=0.03)


def test_the_tips_of_index_finger_and_thumb_go_along_arcs(world):
    """A pad of a parallel jaw keeps its distance to the palm; a fingertip does not."""
    start = HandPose(np.array([0.45, 0.0, 0.30]), POINTING_DOWN, 1.0)
    places = {}
    for opening in (1.0, 0.5, 0.0):
        sent(world, start._replace(opening=opening))
        places[opening] = tips(world)
    (index, thumb), shut = places[1.0], places[0.0]
    assert index[1] > 0.04 > -0.04 > thumb[1]
    assert shut[0, 1] == pytest.approx(-shut[1, 1], abs=4e-3)
    assert places[0.5][:, 2] == pytest.approx([TIP_BEYOND_TOOL] * 2, abs=2e-3)
    assert (places[0.5][:, 2] - places[0.0][:, 2] > 3e-3).all()
    assert TOOL_OFFSET + TIP_BEYOND_TOOL > 0.18


@pytest.mark.parametrize("task", ["lift", "pick-place", "knock-down", "stack-two"])
def test_the_expert_does_the_tasks_of_one_arm_with_it(world_of, task):
    assert demonstrate(world_of(task, "human-hand"), 1000, Disturbance()).is_success


def test_there_are_neither_actions_nor_robot_state_in_its_recordings(world):
    assert world.state().shape == (0,)
    assert not HUMAN_HAND.is_labelled
    assert find_embodiment("human-hand") is HUMAN_HAND
