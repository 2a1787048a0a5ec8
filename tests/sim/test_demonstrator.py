import numpy as np

from glam.sim.demonstrator import demonstrate, expert_actions
from glam.sim.expert import Disturbance


def test_recorded_actions_are_those_that_were_executed(world_of, monkeypatch):
    world = world_of("lift", "kinova")
    executed = []
    step = type(world).step

    def noting(self, action):
        executed.append(action.copy())
        step(self, action)

    monkeypatch.setattr(type(world), "step", noting)
    shown = demonstrate(world, 1000, Disturbance())
    assert shown.actions.dtype == np.float32
    assert shown.actions.tobytes() == np.array(executed).tobytes()
    assert len(shown.frames) == len(shown.actions)


def test_each_frame_was_seen_before_its_action(world_of):
    world = world_of("lift", "umi")
    shown = demonstrate(world, 1000, Disturbance())
    world.reset(1000)
    for frame, action in zip(shown.frames, shown.actions, strict=True):
        assert world.ee_pose().tobytes() == frame.ee_pose.tobytes()
        world.step(action)


def test_disturbances_change_what_is_done_and_not_what_comes_of_it(world_of):
    world = world_of("stack-two", "umi")
    calm = demonstrate(world, 1000, Disturbance(probability=0.0))
    jolted = demonstrate(world, 1000, Disturbance(probability=0.3))
    assert calm.is_success
    assert jolted.is_success
    assert len(jolted.actions) > len(calm.actions)


def test_without_disturbances_the_hand_never_leaps(world_of):
    world = world_of("lift", "umi")
    world.reset(1000)
    places = [action[:3] for action in expert_actions(world, Disturbance(probability=0.0))]
    assert np.linalg.norm(np.diff(places, axis=0), axis=1).max() < 2 * 1.875 * 0.23 / 10


def test_the_first_action_starts_where_the_hand_is(world_of):
    world = world_of("stack-two", "umi")
    world.reset(1000)
    first = next(iter(expert_actions(world, Disturbance())))
    assert np.linalg.norm(first[:3] - world.hand("arm").position) < 0.02


def test_an_attempt_ends_after_max_episode_steps(world_of, monkeypatch):
    world = world_of("lift", "umi")
    monkeypatch.setattr(type(world.task), "max_episode_steps", 7)
    shown = demonstrate(world, 1000, Disturbance())
    assert len(shown.actions) == 7
    assert not shown.is_success
