"""Where an attempt failed, by attempts that stop half-way: the hand then stays where it is."""

from itertools import pairwise

import numpy as np
import pytest
from tests.sim.guards import unguarded

from glam.sim.demonstrator import expert_actions
from glam.sim.expert import Disturbance
from glam.sim.rollouts import roll_out
from glam.sim.tasks import TASKS
from glam_client.action_chunking import ActionChunking

SEED = 1000
LAG = 3
"""Steps for which an arm goes on after its last command."""


def expert_attempt(world):
    """Actions of a demonstration, and the first step after which each milestone held."""
    world.reset(SEED)
    actions, first = [], {}
    for step, action in enumerate(expert_actions(world, Disturbance())):
        world.step(action)
        actions.append(action)
        for stage, is_met in world.task.milestones(world).items():
            if is_met:
                first.setdefault(stage, step)
    return np.array(actions), first


@pytest.mark.parametrize("task", TASKS)
def test_an_attempt_fails_at_the_first_milestone_that_it_never_reaches(task, world_of):
    world = world_of(task, "kinova")
    actions, first = expert_attempt(world)
    stages = list(world.task.milestones(world))
    assert [first[stage] for stage in stages] == sorted(first.values())
    stages = [stage for before, stage in pairwise([None, *stages]) if first[stage] - first.get(before, 0) > LAG]
    assert stages[0] == "reach"
    for stage in stages:
        done = actions[: first[stage] - LAG]
        still = np.repeat(done[-1:], world.task.max_episode_steps - len(done), axis=0)
        chunk = np.concatenate([done, still])[None]
        (cut,) = roll_out(
            [world], [SEED], lambda *_, chunk=chunk: chunk, ActionChunking(world.task.max_episode_steps), unguarded
        )
        assert (cut.is_success, cut.failed_stage) == (False, stage)
