import mujoco
import numpy as np
import pytest

from glam.core.geometry import rotation_z
from glam.sim.demonstrator import expert_actions
from glam.sim.expert import Disturbance, Expert
from glam.sim.grasping import GRASP_ABOVE_CENTRE, carry_pose, grasp_pose, scatter, yaw_of
from glam.sim.objects import CUBE_SIDE


@pytest.mark.parametrize("degrees", [-44, -30, 0, 20, 44])
@pytest.mark.parametrize("quarters", range(4))
def test_the_heading_of_a_cube_does_not_change_with_quarter_turns(degrees, quarters):
    rotation = rotation_z(np.deg2rad(degrees + 90 * quarters))
    assert yaw_of(rotation) == pytest.approx(np.deg2rad(degrees))


def test_the_hand_grasps_a_cube_from_above_along_its_sides(diorama):
    world = diorama("lift").world
    world.put_object("cube", (0.45, 0.1, CUBE_SIDE / 2), 0.3)
    mujoco.mj_forward(world.model, world.data)
    pose = grasp_pose(world, "cube", 0.006)
    side = rotation_z(0.3)
    assert pose.position == pytest.approx([0.45, 0.1, CUBE_SIDE / 2] + side @ [0.006, 0.0, GRASP_ABOVE_CENTRE])
    assert pose.rotation[:, 2] == pytest.approx([0.0, 0.0, -1.0])
    assert abs(pose.rotation[:, 1] @ side[:, 1]) == pytest.approx(1.0)
    assert pose.opening == 1.0


def test_a_grasp_beside_the_centre_is_made_up_for_when_placing(diorama):
    scene = diorama("stack-two")
    world = scene.world
    scene.put("red", (0.45, 0.0, 0.2))
    scene.hand("arm", (0.458, 0.0, 0.206), opening=0.4975)
    expert = Expert(lambda: world.hand("arm"), np.random.default_rng(0), Disturbance(probability=0.0), 10)
    goal = np.array([0.5, 0.1, 0.08])
    pose = carry_pose(world, expert, "red", goal, 0.5)
    grip = world.position("red") - world.hand("arm").position
    assert pose.position + rotation_z(0.5) @ grip == pytest.approx(goal, abs=1e-9)
    assert pose.rotation == pytest.approx(rotation_z(0.5) @ expert.at.rotation, abs=1e-6)


@pytest.mark.parametrize("seed", [1003, 1011])
def test_a_cube_gripped_off_its_centre_still_lands_in_the_middle(world_of, seed):
    world = world_of("stack-two", "umi")
    world.reset(seed)
    for action in expert_actions(world, Disturbance(probability=0.0)):
        world.step(action)
    offset = (world.position("red") - world.position("blue"))[:2]
    assert world.is_success
    assert np.linalg.norm(offset) < 0.006


GRIPPED = {"lift": "cube", "pick-place": "cube", "stack-two": "red", "stack-three": "red"}


@pytest.mark.parametrize("embodiment", ["kinova", "umi"])
@pytest.mark.parametrize("task", GRIPPED)
def test_an_expert_who_misses_closes_an_empty_hand_leaves_and_then_does_the_task(world_of, task, embodiment):
    world = world_of(task, embodiment)
    arm = world.task.arms[0]
    for seed in (1000, 1001, 1002):
        world.reset(seed)
        closed_empty, opened_again, held_before = False, False, False
        for action in expert_actions(world, Disturbance(probability=0.0, misses=1.0)):
            world.step(action)
            opening = world.hand(arm).opening
            closed_empty |= opening < 0.05
            opened_again |= closed_empty and opening > 0.9
            held_before |= not opened_again and world.is_held(GRIPPED[task])
        assert opened_again
        assert not held_before
        assert world.is_success


def test_an_expert_who_misses_may_notice_near_the_goal(world_of):
    """Policies that miss do so with the hand over the bowl: there too something must show a way back."""
    world = world_of("pick-place", "umi")
    nearest = []
    for seed in range(1000, 1010):
        world.reset(seed)
        closed, gaps = False, []
        for action in expert_actions(world, Disturbance(probability=0.0, misses=1.0)):
            world.step(action)
            hand = world.hand("arm")
            closed |= hand.opening < 0.05
            if closed and hand.opening > 0.9:
                break
            gaps.append(np.linalg.norm((hand.position - world.position("bowl"))[:2]))
        nearest.append(min(gaps))
    assert min(nearest) < 0.05
    assert max(nearest) > 0.12


def test_scattered_places_lie_in_the_rectangle_and_apart():
    rng = np.random.default_rng(0)
    for _ in range(50):
        places = scatter(rng, 3, (0.3, -0.2), (0.5, 0.2), apart=0.1)
        assert places.shape == (3, 2)
        assert (places >= (0.3, -0.2)).all()
        assert (places <= (0.5, 0.2)).all()
        gaps = [np.linalg.norm(places[i] - places[j]) for i in range(3) for j in range(i)]
        assert min(gaps) >= 0.1
