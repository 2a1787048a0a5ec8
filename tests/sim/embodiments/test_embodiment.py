import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.core.geometry import rotation_from_six, rotation_z
from glam.sim.demonstrator import demonstrate
from glam.sim.embodiments import find_embodiment
from glam.sim.embodiments.embodiment import HandPose
from glam.sim.expert import Disturbance


def test_the_code_of_a_pose_is_position_rotation_and_opening():
    rotation = rotation_z(0.4)
    code = HandPose(np.array([1.0, 2.0, 3.0]), rotation, 0.25).code(stroke=0.08)
    assert code.shape == (10,)
    assert code[:3].tolist() == [1.0, 2.0, 3.0]
    assert rotation_from_six(code[3:9]) == pytest.approx(rotation)
    assert code[9] == pytest.approx(0.2)  # 2 of 10 cm


def test_hands_of_different_stroke_hold_the_same_cube_at_the_same_opening(world_of):
    openings = []
    for embodiment in ("kinova", "umi"):
        shown = demonstrate(world_of("lift", embodiment), 1000, Disturbance(probability=0.0))
        openings.append(shown.frames[-1].ee_pose[9])
    assert openings == pytest.approx([0.5, 0.5], abs=0.02)  # the cube is 5 cm wide


def test_an_unknown_embodiment_is_refused_with_the_names_there_are():
    with pytest.raises(GlamError, match="choose one of human-hand, kinova, kinova-lab, umi"):
        find_embodiment("panda")


@pytest.mark.parametrize("embodiment", ["kinova", "umi", "kinova-lab"])
@pytest.mark.parametrize("opening", [0.0, 0.4, 1.0])
def test_a_gripper_command_is_reached_as_a_fraction_of_the_stroke(world_of, embodiment, opening):
    world = world_of("lift", embodiment)
    world.reset(0)
    action = world.last_action.copy()
    action[-1] = opening
    for _ in range(12):
        world.step(action)
    assert world.hand("arm").opening == pytest.approx(opening, abs=0.02)
    fingers = [world.data.joint(f"arm_{side}_finger").qpos[0] for side in ("left", "right")]
    assert fingers[0] == pytest.approx(fingers[1], abs=1e-3)


@pytest.mark.parametrize("embodiment", ["kinova", "umi", "kinova-lab"])
def test_commands_beyond_the_limits_are_cut_off(world_of, embodiment):
    world = world_of("lift", embodiment)
    low, high = world.action_limits()
    arm = world.arms["arm"]
    assert (low < high).all()
    assert (arm.controls(high + 1.0) == arm.controls(high)).all()
    assert (arm.controls(low - 1.0) == arm.controls(low)).all()
