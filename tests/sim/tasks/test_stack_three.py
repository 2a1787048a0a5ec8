import pytest

from glam.sim.demonstrator import expert_actions
from glam.sim.expert import Disturbance
from glam.sim.objects import CUBE_SIDE


@pytest.fixture(params=["kinova", "umi"])
def tower(request, diorama):
    """Green on red on blue at rest, hands away."""
    scene = diorama("stack-three", request.param)
    for level, cube in enumerate(("blue", "red", "green")):
        scene.put(cube, (0.45, 0.0, (level + 0.5) * CUBE_SIDE))
    scene.run(5)
    return scene


def test_a_tower_of_three_that_stands_by_itself_is_done(tower):
    assert tower.is_done


@pytest.mark.parametrize("cube", ["blue", "red", "green"])
@pytest.mark.parametrize("arm", ["left", "right"])
def test_a_hand_on_any_cube_of_the_tower_is_not_done(tower, arm, cube):
    tower.grip(arm, cube)
    assert tower.world.is_held(cube)
    assert not tower.is_done


@pytest.mark.parametrize("cube", ["blue", "red", "green"])
def test_a_tower_in_motion_is_not_done(tower, cube):
    tower.speed(cube, (0.05, 0.0, 0.0))
    assert not tower.is_done


def test_a_tower_of_two_is_not_done(tower):
    tower.put("green", (0.45, 0.2, CUBE_SIDE / 2))
    assert not tower.is_done


def test_the_order_of_the_cubes_matters(tower):
    red, green = tower.world.position("red"), tower.world.position("green")
    tower.put("red", green)
    tower.put("green", red)
    tower.run(3)
    assert not tower.is_done


def test_each_arm_places_one_cube_and_the_left_one_first(world_of):
    world = world_of("stack-three", "umi")
    world.reset(1000)
    holders: dict[str, set[str]] = {"red": set(), "green": set(), "blue": set()}
    last_touched: dict[str, int] = {}
    for step, action in enumerate(expert_actions(world, Disturbance())):
        world.step(action)
        for cube in holders:
            touching = {arm for arm in world.arms if world.touches(arm, cube)}
            holders[cube] |= touching
            if touching:
                last_touched[cube] = step
    assert world.is_success
    assert holders == {"red": {"left"}, "green": {"right"}, "blue": set()}
    assert last_touched["red"] < last_touched["green"]
