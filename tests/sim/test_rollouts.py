import numpy as np
import pytest
from tests.sim.guards import unguarded

from glam.sim.embodiments import EMBODIMENTS
from glam.sim.rollouts import roll_out
from glam.sim.tasks import TASKS
from glam.sim.world import World
from glam_client.action_chunking import ActionChunking


@pytest.fixture(scope="module")
def worlds() -> list[World]:
    return [World(TASKS["lift"], EMBODIMENTS["kinova"], (32, 32)) for _ in range(2)]


def standing_still(worlds: list[World]):
    """A policy that repeats where the arm is."""

    def act(images, poses, states):
        del images, poses
        return np.repeat(states[:, None], 5, axis=1)

    return act


def test_an_episode_ends_at_the_step_limit_and_says_where_it_failed(worlds: list[World]) -> None:
    first, second = roll_out(worlds, [7, 8], standing_still(worlds), ActionChunking(5), unguarded)
    assert (first.seed, second.seed) == (7, 8)
    assert first.steps == TASKS["lift"].max_episode_steps
    assert not first.is_success
    assert first.failed_stage == "reach"
    assert first.poses.shape == (first.steps, 10)


def test_only_the_first_actions_of_a_chunk_are_executed(worlds: list[World]) -> None:
    calls = []

    def act(images, poses, states):
        calls.append(len(images))
        return standing_still(worlds)(images, poses, states)

    roll_out(worlds[:1], [7], act, ActionChunking(2), unguarded)
    assert len(calls) == -(-TASKS["lift"].max_episode_steps // 2)


def test_what_was_planned_before_counts_in_the_steps_that_both_chunks_predict(worlds: list[World]) -> None:
    """Chunks of five that say 0, 1, 2, ...: of the second, three steps are known from the first."""
    worlds[0].reset(7)
    start, looks, passed = worlds[0].last_action.copy(), [], []

    def act(images, poses, states):
        looks.append(len(images))
        return np.repeat(start[None, None] + np.float32(0.001 * (len(looks) - 1)), 5, axis=1)

    def guard(world: World):
        return lambda action: passed.append(1e3 * (action - start)[0]) or start

    roll_out(worlds[:1], [7], act, ActionChunking(2, temporal_ensemble_weight=0.5), guard)
    # 0 0 | (0 1 1 of the second with 0 0 0 remembered) .5 .5 | (.5 1 1 with 2) 1.25 1.5
    np.testing.assert_allclose(passed[:6], [0, 0, 0.5, 0.5, 1.25, 1.5], atol=1e-3)


def test_a_non_finite_action_fails_the_episode_before_it_reaches_the_robot(worlds: list[World]) -> None:
    def act(images, poses, states):
        del images, poses
        return np.full((len(states), 5, 8), np.nan, np.float32)

    (rollout,) = roll_out(worlds[:1], [7], act, ActionChunking(5), unguarded)
    assert rollout.steps == 0
    assert "nan" in rollout.failure
    assert not rollout.is_success


def test_every_action_passes_the_guard(worlds: list[World]) -> None:
    held = []

    def guard(world: World):
        start = world.last_action.copy()
        held.append(start)
        return lambda action: start

    (rollout,) = roll_out(worlds[:1], [7], standing_still(worlds), ActionChunking(5), guard)
    assert np.array_equal(rollout.commands, np.repeat(held[0][None], rollout.steps, axis=0))
