from collections.abc import Mapping

import numpy as np
import pytest

from glam.sim.demonstrator import expert_actions
from glam.sim.embodiments import find_embodiment
from glam.sim.expert import Disturbance
from glam.sim.objects import BOTTLE_HALF_SIZE
from glam.sim.tasks.knock_down import KnockDown, push_over, thin_axis
from glam.sim.world import World

THIN, WIDE, TALL = BOTTLE_HALF_SIZE


@pytest.mark.parametrize(("degrees", "is_done"), [(0, False), (60, False), (74, False), (76, True), (90, True)])
def test_a_still_bottle_has_fallen_when_it_lies_not_when_it_leans(diorama, degrees, is_done):
    scene = diorama("knock-down")
    scene.put("bottle", (0.45, 0.0, 0.3), tilt=np.deg2rad(degrees))
    assert scene.is_done == is_done


def test_a_bottle_standing_on_its_head_is_not_lying(diorama):
    scene = diorama("knock-down")
    scene.put("bottle", (0.45, 0.0, TALL), tilt=np.pi)
    assert not scene.is_done


def test_a_lying_bottle_that_still_slides_is_not_down_until_it_rests(diorama):
    scene = diorama("knock-down")
    scene.put("bottle", (0.45, 0.0, THIN), tilt=np.pi / 2)
    scene.speed("bottle", (0.6, 0.0, 0.0))
    assert not scene.is_done
    scene.run(1)
    assert not scene.world.task.is_done(scene.world)
    scene.run(10)
    assert scene.world.task.is_done(scene.world)


def test_a_standing_bottle_keeps_standing(diorama):
    scene = diorama("knock-down")
    scene.put("bottle", (0.45, 0.0, TALL))
    scene.run(20)
    assert scene.world.rotation("bottle")[2, 2] > 0.9999
    assert not scene.is_done


class Strike(KnockDown):
    """A push at an angle to the thin side."""

    def __init__(self, degrees: float, half_width: float) -> None:
        self.angle, self.half_width = np.deg2rad(degrees), half_width

    def plans(self, world: World, experts: Mapping) -> Mapping:
        x, y, _ = thin_axis(world)
        c, s = np.cos(self.angle), np.sin(self.angle)
        direction = np.array([c * x - s * y, s * x + c * y, 0.0])
        return {"arm": push_over(world, experts["arm"], direction, self.half_width)}


@pytest.mark.parametrize("embodiment", ["kinova", "umi", "kinova-lab"])
@pytest.mark.parametrize(("degrees", "half_width", "falls"), [(0, THIN, True), (90, WIDE, False)])
def test_the_bottle_falls_when_struck_across_its_thin_side_only(embodiment, degrees, half_width, falls):
    world = World(Strike(degrees, half_width), find_embodiment(embodiment))
    for seed in (1000, 1001):
        world.reset(seed)
        start = world.position("bottle")
        for action in expert_actions(world, Disturbance()):
            world.step(action)
        assert world.is_success == falls
        assert np.linalg.norm(world.position("bottle") - start) > 0.03  # it was struck


def test_the_thin_axis_is_level_of_unit_length_and_points_to_the_right(world_of):
    world = world_of("knock-down", "umi")
    for seed in range(10):
        world.reset(seed)
        axis = thin_axis(world)
        assert np.linalg.norm(axis) == pytest.approx(1.0)
        assert axis[2] == 0.0
        assert axis[1] < 0.0
        assert abs(axis @ world.rotation("bottle")[:, 0]) == pytest.approx(1.0)
