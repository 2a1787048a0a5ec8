import numpy as np
import pytest

from glam.sim.demonstrator import demonstrate
from glam.sim.expert import Disturbance
from glam.sim.rollouts import replay_episode


@pytest.mark.parametrize("embodiment", ["kinova", "umi", "kinova-lab"])
def test_recorded_actions_repeat_their_episode_bit_for_bit(world_of, embodiment):
    world = world_of("lift", embodiment)
    shown = demonstrate(world, 1000, Disturbance())
    again = replay_episode(world, 1000, shown.actions)
    assert again.is_success
    assert again.poses[:-1].tobytes() == np.stack([frame.ee_pose for frame in shown.frames]).tobytes()
    assert len(again.poses) == len(shown.actions) + 1


def test_actions_that_break_the_episode_are_no_success(world_of):
    world = world_of("lift", "umi")
    actions = demonstrate(world, 1000, Disturbance()).actions
    actions[-1] = np.nan
    assert not replay_episode(world, 1000, actions).is_success


def test_success_may_show_while_the_last_action_is_held(world_of):
    world = world_of("lift", "umi")
    actions = demonstrate(world, 1000, Disturbance()).actions
    assert replay_episode(world, 1000, actions[: -world.task.hold_steps]).is_success
    assert not replay_episode(world, 1000, actions[:5]).is_success
