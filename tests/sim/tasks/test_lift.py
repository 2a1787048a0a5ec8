import numpy as np
import pytest

from glam.sim.grasping import WORK_AREA
from glam.sim.objects import CUBE_SIDE
from glam.sim.tasks.lift import CLEARANCE

HANDS = pytest.mark.parametrize("embodiment", ["kinova", "umi"])
LIFTED = CLEARANCE + CUBE_SIDE / 2


@HANDS
@pytest.mark.parametrize(("height", "is_done"), [(LIFTED - 0.001, False), (LIFTED + 0.001, True)])
def test_a_held_cube_is_lifted_from_the_clearance_on(diorama, embodiment, height, is_done):
    scene = diorama("lift", embodiment)
    scene.put("cube", (0.45, 0.0, height))
    scene.grip("arm", "cube")
    assert scene.is_done == is_done
    assert scene.world.is_held("cube")


@HANDS
def test_a_cube_thrown_into_the_air_is_not_lifted(diorama, embodiment):
    scene = diorama("lift", embodiment)
    scene.put("cube", (0.45, 0.0, LIFTED + 0.10))
    assert not scene.is_done


@HANDS
def test_a_cube_gripped_on_the_table_is_not_lifted(diorama, embodiment):
    scene = diorama("lift", embodiment)
    scene.put("cube", (0.45, 0.0, CUBE_SIDE / 2))
    scene.grip("arm", "cube")
    assert not scene.is_done
    assert scene.world.is_held("cube")


def test_a_lifted_cube_that_is_let_go_counts_no_longer(diorama):
    scene = diorama("lift")
    scene.put("cube", (0.45, 0.0, LIFTED + 0.03))
    scene.grip("arm", "cube")
    scene.world.last_action[-1] = 0.0
    scene.run(scene.world.task.hold_steps)
    assert scene.world.is_success
    scene.world.last_action[-1] = 1.0
    scene.run(3)
    assert not scene.world.is_success


def test_cubes_start_on_the_table_within_the_work_area(world_of):
    world = world_of("lift", "umi")
    for seed in range(20):
        world.reset(seed)
        x, y, z = world.position("cube")
        assert WORK_AREA[0][0] <= x <= WORK_AREA[1][0]
        assert WORK_AREA[0][1] <= y <= WORK_AREA[1][1]
        assert z == pytest.approx(CUBE_SIDE / 2)
        yaw = np.arctan2(world.rotation("cube")[1, 0], world.rotation("cube")[0, 0])
        assert abs(yaw) <= np.pi / 4 + 1e-9
