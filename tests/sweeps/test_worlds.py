"""Every task by every embodiment through the same checks."""

import json
import warnings
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from glam.sim.demonstrator import demonstrate, expert_actions
from glam.sim.embodiments import EMBODIMENTS, find_embodiment
from glam.sim.env import environment_id
from glam.sim.expert import Disturbance
from glam.sim.tasks import TASKS, find_task
from glam.sim.world import World

PAIRS = pytest.mark.parametrize(("task", "embodiment"), [(task, body) for task in TASKS for body in EMBODIMENTS])
RECORD = Path(__file__).parents[2] / "docs/results/worlds.json"


def make(task: str, embodiment: str, size: int = 32) -> World:
    return World(find_task(task), find_embodiment(embodiment), (size, size))


@PAIRS
def test_a_demonstration_succeeds_within_the_step_limit_and_repeats_bit_for_bit(task, embodiment):
    shown = []
    for _ in range(2):
        world = make(task, embodiment)
        shown.append(demonstrate(world, 1000, Disturbance()))
        world.close()
    one, other = shown
    assert one.is_success
    assert 10 < len(one.actions) < TASKS[task].max_episode_steps
    assert one.actions.tobytes() == other.actions.tobytes()
    for frame, again in zip(one.frames, other.frames, strict=True):
        assert all(a.tobytes() == b.tobytes() for a, b in zip(frame, again, strict=True))


@PAIRS
def test_gymnasiums_own_checker_is_content(task, embodiment):
    env = gymnasium.make(environment_id(task, embodiment), image_size=32)
    with warnings.catch_warnings():
        # Advice, not faults: poses have no bounds, and actions are in radians and metres.
        warnings.filterwarnings("ignore", message=".*A Box observation space (minimum|maximum) value is.*infinity.*")
        warnings.filterwarnings("ignore", message=".*we recommend using a symmetric and normalized space.*")
        check_env(env.unwrapped, skip_render_check=True)
    env.close()


@PAIRS
def test_nothing_succeeds_by_doing_nothing(task, embodiment):
    world = make(task, embodiment)
    for seed in (1000, 1001):
        world.reset(seed)
        for _ in range(world.task.hold_steps + 2):
            world.step(world.last_action)
            assert not world.is_success


@pytest.mark.parametrize("task", TASKS)
def test_milestones_are_passed_in_their_order_and_none_at_the_start(task):
    world = make(task, "umi")
    world.reset(1000)
    names = list(world.task.milestones(world))
    assert not any(world.task.milestones(world).values())
    first: dict[str, int] = {}
    for step, action in enumerate(expert_actions(world, Disturbance())):
        world.step(action)
        for name, holds in world.task.milestones(world).items():
            if holds:
                first.setdefault(name, step)
    assert list(first) == names
    assert sorted(first.values()) == list(first.values())


@PAIRS
def test_only_a_robot_has_state_and_labels(task, embodiment):
    world = make(task, embodiment)
    world.reset(0)
    assert (world.state().size > 0) == world.embodiment.is_labelled
    assert find_embodiment("kinova").is_labelled
    assert not find_embodiment("umi").is_labelled


@pytest.mark.parametrize("task", [task for task in TASKS if task != "knock-down"])  # which pushes
@pytest.mark.parametrize("embodiment", ["kinova", "umi"])
def test_a_gripper_that_never_closes_never_succeeds(task, embodiment):
    world = make(task, embodiment)
    sizes = [len(arm.action_names) for arm in world.arms.values()]
    grippers = np.cumsum(sizes) - 1
    for seed in (1000, 1001):
        world.reset(seed)
        for step, action in enumerate(expert_actions(world, Disturbance())):
            action[grippers] = 1.0
            world.step(action)
            assert not world.is_success
            assert step < 3 * world.task.max_episode_steps


@PAIRS
def test_every_object_is_well_visible_at_the_start(task, embodiment):
    world = make(task, embodiment, 96)
    world.reset(1000)
    pixels = (world.observe().masks > 0).sum(axis=(1, 2)).max(axis=0)
    assert (pixels >= 60).all()
    world.close()


@pytest.mark.parametrize("task", TASKS)
def test_the_step_limit_is_one_and_a_half_times_the_longest_recorded_demonstration(task):
    pairs = json.loads(RECORD.read_text())["demonstrations"]["result"]["pairs"]
    longest = max(pairs[name]["steps"]["longest"] for name in pairs if name.startswith(f"{task} "))
    limit = TASKS[task].max_episode_steps
    assert limit % 5 == 0
    assert 0 <= limit - 1.5 * longest < 5


def test_the_record_shows_what_is_claimed_of_the_experts():
    record = json.loads(RECORD.read_text())
    assert all(pair["successes"] >= 98 for pair in record["demonstrations"]["result"]["pairs"].values())
    for control in record["negative_controls"]["result"]["successes"].values():
        assert set(control.values()) == {0}
