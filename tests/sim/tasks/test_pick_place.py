import numpy as np
import pytest

from glam.sim.demonstrator import demonstrate
from glam.sim.expert import Disturbance
from glam.sim.objects import CUBE_SIDE


@pytest.fixture(params=["kinova", "umi"])
def in_the_bowl(request, diorama):
    """A cube that has come to rest in the bowl, hand away."""
    scene = diorama("pick-place", request.param)
    scene.put("bowl", (0.45, 0.0, 0.0))
    scene.put("cube", (0.45, 0.0, 0.045))
    scene.run(15)
    return scene


def test_a_cube_that_rests_in_the_bowl_is_placed(in_the_bowl):
    assert in_the_bowl.is_done


def test_a_cube_still_in_the_fingers_is_not_placed(in_the_bowl):
    in_the_bowl.grip("arm", "cube")
    assert not in_the_bowl.is_done
    assert in_the_bowl.world.is_held("cube")


def test_a_cube_released_but_moving_is_not_placed(in_the_bowl):
    in_the_bowl.speed("cube", (0.019, 0.0, 0.0))
    assert in_the_bowl.is_done
    in_the_bowl.speed("cube", (0.021, 0.0, 0.0))
    assert not in_the_bowl.is_done


def test_a_bowl_that_is_pushed_about_does_not_count(in_the_bowl):
    in_the_bowl.speed("bowl", (0.0, 0.05, 0.0))
    assert not in_the_bowl.is_done


@pytest.mark.parametrize("place", [(0.45, 0.0, 0.06), (0.52, 0.0, 0.06), (0.45, 0.2, CUBE_SIDE / 2)])
def test_a_cube_above_on_the_rim_of_or_beside_the_bowl_is_not_placed(in_the_bowl, place):
    in_the_bowl.put("cube", place)
    assert not in_the_bowl.is_done


def test_a_dropped_cube_stays_in_the_bowl_wherever_it_is_let_go_inside(diorama):
    scene = diorama("pick-place")
    for angle in np.arange(0.0, 2 * np.pi, np.pi / 3):
        scene.put("bowl", (0.45, 0.0, 0.0))
        scene.put("cube", (0.45 + 0.02 * np.cos(angle), 0.02 * np.sin(angle), 0.06))
        scene.run(15)
        assert scene.is_done


def test_cube_and_bowl_start_apart_by_an_open_hand(world_of):
    world = world_of("pick-place", "umi")
    for seed in range(20):
        world.reset(seed)
        assert np.linalg.norm((world.position("cube") - world.position("bowl"))[:2]) >= 0.16


@pytest.mark.parametrize("embodiment", ["kinova", "umi"])
def test_the_hand_is_opened_wide_enough_for_a_cube_that_is_held_by_its_diagonal(world_of, embodiment):
    """What demonstrations show is all that a policy can do, also with a cube that it has gripped badly."""
    world = world_of("pick-place", embodiment)
    shown = demonstrate(world, 1000, Disturbance(probability=0.0))
    assert shown.is_success
    assert world.hand("arm").opening * world.arms["arm"].stroke > np.sqrt(2) * CUBE_SIDE
