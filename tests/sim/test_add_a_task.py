"""docs/add_a_task.md is run as it stands."""

import sys
from dataclasses import replace

import pytest
from tests.sim.guides import followed

from glam.core import simulated
from glam.sim.demonstrator import demonstrate
from glam.sim.embodiments import find_embodiment
from glam.sim.expert import Disturbance
from glam.sim.tasks import TASKS
from glam.sim.world import World
from glam.stages.collect import CollectConfig, collect


@pytest.fixture
def registered(tmp_path, monkeypatch):
    """The module of the page's task, registered by the page's own line."""
    with followed("add_a_task.md", simulated.TASKS, tmp_path, monkeypatch) as (name, task):
        monkeypatch.setitem(TASKS, name, task())
        assert name == task.name == "push"
        yield sys.modules[task.__module__]


@pytest.mark.parametrize("embodiment", ["kinova", "umi"])
def test_the_task_of_the_page_is_collected(registered, tmp_path, embodiment):
    config = CollectConfig("push", embodiment, seed=1000, image_size=32)
    done = collect(config, tmp_path / "set", 2, workers=1)
    assert (done.episodes, done.discarded) == (2, 0)


def test_the_task_of_the_page_is_not_done_before_it_is(registered, diorama):
    scene = diorama("push")
    side = registered.LINE - registered.CUBE_SIDE / 2
    scene.put("cube", (0.45, side + 0.001, 0.025))
    assert not scene.is_done
    scene.put("cube", (0.45, side - 0.001, 0.025))
    assert scene.is_done
    scene.speed("cube", (0.05, 0.0, 0.0))
    assert not scene.is_done
    scene.speed("cube", (0.0, 0.0, 0.0))
    scene.grip("arm", "cube")
    assert not scene.is_done


def test_the_expert_of_the_page_never_grips(registered):
    world = World(TASKS["push"], find_embodiment("umi"), (32, 32))
    shown = demonstrate(world, 1001, replace(Disturbance(), probability=0.5))
    assert shown.is_success
    assert max(frame.ee_pose[9] for frame in shown.frames[len(shown.frames) // 2 :]) < 0.1
    world.close()
