from dataclasses import replace

import numpy as np
import pytest
from tests.sim.guards import unguarded

from glam.sim.demonstrator import demonstrate
from glam.sim.embodiments import EMBODIMENTS
from glam.sim.expert import Disturbance
from glam.sim.rollouts import Rollout, film, roll_out
from glam.sim.tasks import TASKS
from glam.sim.world import World
from glam_client.action_chunking import ActionChunking


def world_of(size: int, embodiment: str = "kinova") -> World:
    return World(TASKS["lift"], EMBODIMENTS[embodiment], (size, size))


def rollout_of(actions: np.ndarray, seed: int, embodiment: str = "kinova") -> Rollout:
    """Actions one after the other, the last one for ever."""
    calls = iter(range(10_000))

    def act(images, poses, states):
        step = 5 * next(calls)
        rows = np.minimum(np.arange(step, step + 5), len(actions) - 1)
        return actions[rows][None].astype(np.float32)

    (rollout,) = roll_out([world_of(32, embodiment)], [seed], act, ActionChunking(5), unguarded)
    return rollout


@pytest.fixture(scope="module")
def success() -> Rollout:
    return rollout_of(demonstrate(world_of(32), 7, Disturbance(probability=0.0)).actions, 7)


def test_a_film_has_a_frame_before_the_first_command_and_after_each_one(success: Rollout) -> None:
    assert success.is_success
    frames = np.stack(list(film(world_of(48), success)))
    assert frames.shape == (success.steps + 1, 2, 48, 48, 3)
    assert not np.array_equal(frames[0], frames[-1])


def test_a_world_of_another_size_in_which_others_were_filmed_shows_the_same_episode(success: Rollout) -> None:
    large = world_of(64)
    list(film(large, replace(rollout_of(np.zeros((1, 8)), 8), seed=8)))
    assert len(list(film(large, success))) == success.steps + 1


def test_noisy_cameras_do_not_change_what_happens() -> None:
    start = world_of(32, "kinova-lab")
    start.reset(3)
    rollout = rollout_of(start.last_action[None], 3, "kinova-lab")
    assert len(list(film(world_of(48, "kinova-lab"), rollout))) == rollout.steps + 1


@pytest.mark.parametrize(
    "lie",
    [
        lambda rollout: replace(rollout, seed=8),
        lambda rollout: replace(rollout, is_success=False),
        lambda rollout: replace(rollout, commands=rollout.commands + 1e-3),
    ],
)
def test_an_episode_that_goes_differently_is_no_film_of_it(success: Rollout, lie) -> None:
    with pytest.raises(AssertionError, match="went differently"):
        list(film(world_of(32), lie(success)))


def test_an_episode_that_broke_before_its_first_step_is_one_frame() -> None:
    rollout = rollout_of(np.full((1, 8), np.nan), 7)
    assert rollout.steps == 0
    assert len(list(film(world_of(32), rollout))) == 1
