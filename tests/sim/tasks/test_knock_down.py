from collections.abc import Mapping

import numpy as np
import pytest

from glam.core.geometry import rotation_z
from glam.sim.demonstrator import expert_actions
from glam.sim.embodiments import find_embodiment
from glam.sim.expert import Disturbance
from glam.sim.objects import BOTTLE_HALF_SIZE
from glam.sim.tasks.knock_down import LEAST_AHEAD, KnockDown, nearer_push, push_over
from glam.sim.world import World

THIN, _, TALL = BOTTLE_HALF_SIZE


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


def test_the_hand_starts_clearly_on_one_side_of_the_bottle_whoever_holds_it(world_of):
    for embodiment in ("kinova", "umi"):
        world = world_of("knock-down", embodiment)
        for seed in range(30):
            world.reset(seed)
            ahead = world.rotation("bottle")[:, 0] @ (world.position("bottle") - world.hand("arm").position)
            assert abs(ahead) >= LEAST_AHEAD - 1e-3


class Strike(KnockDown):
    """A push at an angle to the thin side."""

    def __init__(self, degrees: float) -> None:
        self.turn = rotation_z(np.deg2rad(degrees))

    def plans(self, world: World, experts: Mapping) -> Mapping:
        expert = experts["arm"]
        return {"arm": push_over(world, expert, self.turn @ nearer_push(world, expert.at.position))}


@pytest.mark.parametrize("embodiment", ["kinova", "umi", "kinova-lab"])
@pytest.mark.parametrize("degrees", [0, 5, -5, 30, -30, 90])
def test_the_bottle_falls_when_pushed_across_its_thin_side_only(embodiment, degrees):
    world = World(Strike(degrees), find_embodiment(embodiment), (8, 8))
    world.reset(1000)
    start = world.position("bottle")
    for action in expert_actions(world, Disturbance(probability=0.0)):
        world.step(action)
    assert world.is_success == (abs(degrees) <= 5)
    assert np.linalg.norm(world.position("bottle") - start) > 0.03  # it was pushed


def test_the_push_is_across_the_thin_side_and_begins_on_the_side_of_the_hand(world_of):
    world = world_of("knock-down", "umi")
    for seed in range(10):
        world.reset(seed)
        hand = world.hand("arm").position
        direction = nearer_push(world, hand)
        assert np.linalg.norm(direction) == pytest.approx(1.0)
        assert direction[2] == 0.0
        assert abs(direction @ world.rotation("bottle")[:, 0]) == pytest.approx(1.0)
        assert direction @ (world.position("bottle") - hand) >= 0.0


def test_the_bottle_starts_at_any_angle(world_of):
    world = world_of("knock-down", "umi")
    angles = []
    for seed in range(40):
        world.reset(seed)
        axis = world.rotation("bottle")[:, 0]
        angles.append(np.rad2deg(np.arctan2(axis[1], axis[0])) % 180.0)
    counts, _ = np.histogram(angles, bins=4, range=(0.0, 180.0))
    assert (counts > 0).all()
