from dataclasses import replace

import numpy as np
import pytest

from glam.sim.embodiments.kinova import KINOVA
from glam.sim.embodiments.kinova_lab import KINOVA_LAB
from glam.sim.tasks import find_task
from glam.sim.world import World


def joints_after(world: World, actions: list) -> list:
    world.reset(7)
    for action in actions:
        world.step(action)
    return world.state().tolist()


def test_a_command_takes_effect_exactly_one_control_step_late():
    lab = World(find_task("lift"), KINOVA_LAB, (32, 32))
    prompt = World(find_task("lift"), replace(KINOVA_LAB, latency=0), (32, 32))
    lab.reset(7)
    hold = lab.last_action.copy()
    other = hold.copy()
    other[0] += 0.1
    assert joints_after(lab, [other]) == joints_after(lab, [hold])
    assert joints_after(lab, [other, hold]) == joints_after(prompt, [hold, other])
    assert joints_after(lab, [other, hold, hold]) == joints_after(prompt, [hold, other, hold])
    assert joints_after(lab, [other, hold]) != joints_after(lab, [hold, hold])


def test_the_servos_are_weaker_and_follow_further_behind():
    lags = []
    for body in (KINOVA, replace(KINOVA_LAB, latency=0)):
        world = World(find_task("lift"), body, (32, 32))
        world.reset(7)
        action = world.last_action.copy()
        action[0] += 0.1
        world.step(action)
        lags.append(action[0] - world.state()[0])
    assert lags[1] > 1.15 * lags[0] > 0.0


def test_objects_are_heavier_and_slip_more():
    usual, lab = (World(find_task("lift"), body, (32, 32)) for body in (KINOVA, KINOVA_LAB))
    assert lab.model.body("cube").mass[0] == pytest.approx(1.3 * usual.model.body("cube").mass[0])
    assert lab.model.geom("cube").friction[0] == pytest.approx(0.8 * usual.model.geom("cube").friction[0])
    assert lab.model.body("arm_shoulder").mass[0] == usual.model.body("arm_shoulder").mass[0]


def test_every_episode_has_its_own_cameras_within_a_centimetre_and_two_degrees():
    world = World(find_task("lift"), KINOVA_LAB, (32, 32))
    nominal = World(find_task("lift"), KINOVA, (32, 32))
    nominal.reset(0)
    places, turns = [], []
    for seed in range(40):
        world.reset(seed)
        for camera in ("front", "overhead"):
            places.append(world.data.camera(camera).xpos - nominal.data.camera(camera).xpos)
            relative = nominal.data.camera(camera).xmat.reshape(3, 3).T @ world.data.camera(camera).xmat.reshape(3, 3)
            turns.append(np.arccos(np.clip((np.trace(relative) - 1) / 2, -1, 1)))
    assert 0.005 < np.linalg.norm(places, axis=1).max() <= 0.01 + 1e-9
    assert np.deg2rad(1.0) < max(turns) <= np.deg2rad(2.0) + 1e-6
    assert len({tuple(place) for place in places}) == len(places)


def test_it_looks_unlike_the_simulated_laboratory():
    images = []
    for body in (KINOVA, KINOVA_LAB):
        world = World(find_task("lift"), body, (32, 32))
        world.reset(0)
        images.append(world.images().astype(float))
        world.close()
    assert np.abs(images[0] - images[1]).mean() > 30
