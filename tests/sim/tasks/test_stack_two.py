import numpy as np
import pytest

from glam.sim.objects import CUBE_SIDE


@pytest.fixture(params=["kinova", "umi"])
def tower(request, diorama):
    """Red on blue at rest, hand away."""
    scene = diorama("stack-two", request.param)
    scene.put("blue", (0.45, 0.0, CUBE_SIDE / 2))
    scene.put("red", (0.45, 0.0, 1.5 * CUBE_SIDE))
    scene.run(5)
    return scene


def test_cubes_stacked_released_and_still_are_done(tower):
    assert tower.is_done


def test_a_stacked_cube_still_gripped_is_not_done(tower):
    tower.grip("arm", "red")
    assert not tower.is_done
    assert tower.world.is_held("red")


def test_a_hand_on_the_lower_cube_is_not_done(tower):
    tower.grip("arm", "blue")
    assert tower.world.is_held("blue")
    assert not tower.is_done


@pytest.mark.parametrize("cube", ["red", "blue"])
def test_a_tower_in_motion_is_not_done(tower, cube):
    tower.speed(cube, (0.0, 0.05, 0.0))
    assert not tower.is_done


def test_a_cube_hanging_over_by_more_than_half_is_not_done(tower):
    on = tower.world.position("red")
    tower.put("red", (on[0] + 0.024, on[1], on[2]))
    assert tower.is_done
    tower.put("red", (on[0] + 0.026, on[1], on[2]))
    assert not tower.is_done


def test_a_cube_above_the_other_without_touching_is_not_done(tower):
    on = tower.world.position("red")
    tower.put("red", (on[0], on[1], on[2] + 0.003))
    assert not tower.is_done


def test_cubes_side_by_side_or_the_wrong_way_round_are_not_done(diorama):
    scene = diorama("stack-two")
    scene.put("blue", (0.45, 0.0, CUBE_SIDE / 2))
    scene.put("red", (0.45, 0.0501, CUBE_SIDE / 2))
    assert not scene.is_done
    scene.put("red", (0.45, 0.0, CUBE_SIDE / 2))
    scene.put("blue", (0.45, 0.0, 1.5 * CUBE_SIDE))
    scene.run(5)
    assert not scene.is_done


def test_success_takes_a_whole_second_of_standing(diorama):
    scene = diorama("stack-two")
    scene.put("blue", (0.45, 0.0, CUBE_SIDE / 2))
    scene.put("red", (0.45, 0.0, 1.5 * CUBE_SIDE))
    scene.run(9)
    assert scene.is_done
    assert not scene.world.is_success
    scene.run(1)
    assert scene.world.is_success


def test_cubes_start_apart_and_at_any_yaw_that_their_symmetry_allows(world_of):
    world, yaws = world_of("stack-two", "umi"), []
    for seed in range(40):
        world.reset(seed)
        assert np.linalg.norm(world.position("red") - world.position("blue")) >= 0.13
        yaws += [np.arctan2(*world.rotation(cube)[1::-1, 0]) for cube in ("red", "blue")]
    assert np.abs(yaws).max() <= np.pi / 4
    assert min(yaws) < -np.pi / 5
    assert max(yaws) > np.pi / 5
