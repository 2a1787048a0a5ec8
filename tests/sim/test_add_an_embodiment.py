"""docs/add_an_embodiment.md is run as it stands."""

from dataclasses import replace

import numpy as np
import pytest
from tests.sim.guides import followed

from glam.core import simulated
from glam.core.errors import GlamError
from glam.data.check import check_dataset, has_errors
from glam.data.reader import Dataset
from glam.data.schema import ACTION, EE_POSE
from glam.sim.demonstrator import demonstrate
from glam.sim.embodiments import EMBODIMENTS, find_embodiment
from glam.sim.expert import Disturbance
from glam.sim.retargeting import Retargeter
from glam.sim.rollouts import replay_episode
from glam.sim.tasks import TASKS
from glam.sim.world import World
from glam.stages.collect import CollectConfig, collect

NAME = "kinova-slim"


@pytest.fixture
def embodiment(tmp_path, monkeypatch):
    with followed("add_an_embodiment.md", simulated.EMBODIMENTS, tmp_path, monkeypatch) as (name, found):
        monkeypatch.setitem(EMBODIMENTS, name, found)
        assert name == found.name == NAME
        yield found


@pytest.fixture
def world(embodiment):
    made = World(TASKS["lift"], embodiment, (32, 32))
    yield made
    made.close()


def test_demonstrations_by_the_embodiment_of_the_page_are_collected_checked_and_replayed(world, tmp_path):
    root = tmp_path / "set"
    done = collect(CollectConfig("lift", NAME, seed=1000, image_size=32), root, 2, workers=1)
    assert (done.episodes, done.discarded) == (2, 0)
    assert not has_errors(check_dataset(root))
    dataset = Dataset.open(root)
    assert dataset.schema.action_names == (*(f"arm_joint_{number}.pos" for number in range(1, 8)), "arm_gripper.pos")
    for episode, record in enumerate(dataset.episodes):
        recorded = dataset.vectors(episode)
        again = replay_episode(world, record.facts["seed"], recorded[ACTION])
        assert again.is_success
        assert again.poses[:-1].tobytes() == recorded[EE_POSE].tobytes()


def test_the_gripper_of_the_page_holds_a_cube_firmly_and_at_its_true_width(world):
    shown = demonstrate(world, 1001, Disturbance(probability=0.0))
    assert shown.is_success
    assert shown.frames[0].ee_pose[9] == pytest.approx(0.75, abs=0.01)  # 75 of 100 mm
    assert shown.frames[-1].ee_pose[9] == pytest.approx(0.5, abs=0.02)  # the cube is 5 cm wide
    before = world.position("cube") - world.hand("arm").position
    for _ in range(20):
        world.step(world.last_action)
    assert np.linalg.norm(world.position("cube") - world.hand("arm").position - before) < 0.001


def test_no_command_of_the_page_is_faster_than_the_joints(world):
    actions = demonstrate(world, 1002, Disturbance()).actions
    speed, _ = world.motion_limits()
    assert (np.abs(np.diff(actions, axis=0)) * 10 <= speed).all()


def test_paths_of_the_hand_held_gripper_are_retargeted_to_the_embodiment_of_the_page(embodiment, world_of):
    shown = demonstrate(world_of("lift", "umi"), 1000, Disturbance())
    path = Retargeter(NAME, ("arm",)).follow(np.stack([frame.ee_pose for frame in shown.frames]))
    assert path.misses[:, 0].max() < 3e-4
    assert Retargeter(NAME, ("arm",)).fingerprint != Retargeter("kinova", ("arm",)).fingerprint


def test_an_embodiment_without_a_posture_is_not_retargeted_to(embodiment, monkeypatch):
    monkeypatch.setitem(EMBODIMENTS, NAME, replace(find_embodiment(NAME), posture=()))
    with pytest.raises(GlamError, match=r"'kinova-slim' to retarget to; known are kinova, kinova-lab$"):
        Retargeter(NAME, ("arm",))


def test_the_help_lists_the_embodiment_of_the_page(embodiment):
    assert "or kinova-slim (robot arm with a slim gripper)" in simulated.EMBODIMENTS.choices
