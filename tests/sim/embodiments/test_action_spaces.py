"""Velocities, deltas of the tool and torques drive the same arm through the same demonstrations."""

import gymnasium
import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.sim.demonstrator import demonstrate, schema_of
from glam.sim.embodiments import find_embodiment
from glam.sim.expert import Disturbance
from glam.sim.rollouts import replay_episode
from glam.sim.tasks import find_task
from glam.sim.world import World
from glam.stages.evaluate import guard

SPACES = ("joint-velocities", "tool-deltas", "joint-torques")


@pytest.fixture(params=SPACES)
def world(request):
    made = World(find_task("lift"), find_embodiment("kinova").acting_by(request.param), (8, 8))
    yield made
    made.close()


def test_the_expert_succeeds_and_its_recording_can_be_repeated_bit_for_bit(world):
    done = demonstrate(world, 1000, Disturbance())
    assert done.is_success
    again = replay_episode(world, 1000, done.actions)
    assert again.is_success
    assert (again.poses[:-1] == [frame.ee_pose for frame in done.frames]).all()


def test_all_entries_but_the_gripper_are_deltas(world):
    schema = schema_of(world)
    assert schema.delta_actions == schema.action_names[:-1]
    assert schema.action_names[-1] == "arm_gripper.pos"
    assert find_embodiment("kinova").acting_as(schema.action_names).bind_arm is world.embodiment.bind_arm


def test_the_arm_holds_still_at_rest(world):
    world.reset(0)
    before = world.ee_pose()
    for _ in range(10):
        world.step(world.last_action)
    assert np.abs(world.ee_pose() - before).max() < 2e-3


def test_the_safety_filter_passes_what_the_expert_does_and_limits_the_rest(world):
    done = demonstrate(world, 1001, Disturbance())
    world.reset(1001)
    safe = guard(world)
    assert all((safe(action) == action).all() for action in done.actions)
    wild = np.full(len(world.last_action), 1e3, np.float32)
    low, high = world.action_limits()
    for _ in range(5):
        command = safe(wild)
        assert ((command >= low) & (command <= high)).all()


def test_the_usual_actions_are_joint_positions():
    kinova = find_embodiment("kinova")
    assert kinova.acting_by("joint-positions") is kinova
    assert kinova.acting_as(("arm_joint_1.pos",)) is kinova
    with pytest.raises(GlamError, match="--action-space springs: kinova has joint-positions, joint-velocities"):
        kinova.acting_by("springs")
    with pytest.raises(GlamError, match="--action-space joint-velocities: umi has its usual ones alone"):
        find_embodiment("umi").acting_by("joint-velocities")


def test_an_environment_takes_them():
    env = gymnasium.make("glam/Lift-Kinova-v0", image_size=8, action_space="tool-deltas")
    env.reset(seed=0)
    assert env.action_space.shape == (7,)
    assert np.abs(env.action_space.high[:3] - 0.05).max() < 1e-6
    env.close()
