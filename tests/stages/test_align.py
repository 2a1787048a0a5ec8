"""An aligned copy is a dataset with other poses and the same films."""

import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.data.check import check_dataset, has_errors
from glam.data.demonstrations import lineage
from glam.data.matching import compare, lines
from glam.data.reader import Dataset
from glam.data.schema import EE_POSE
from glam.sim.sensors import PERFECT_TRACKER, Tracker
from glam.stages.align import align, sentence
from glam.stages.collect import CollectConfig, collect


def recorded(root, embodiment, seed, episodes, tracker=PERFECT_TRACKER):
    return collect(
        CollectConfig("pick-place", embodiment, seed, image_size=48, tracker=tracker), root, episodes, workers=1
    ).root


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    return recorded(tmp_path_factory.mktemp("align") / "kinova", "kinova", 0, 8)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    root = tmp_path_factory.mktemp("align") / "own"
    return recorded(root, "umi", 100_000, 4, Tracker(has_own_frame=True, gripper_readings=(0.0, 0.5)))


def test_poses_of_own_frames_come_back_into_the_targets(target, own, tmp_path):
    out = tmp_path / "new"
    words = sentence(align(own, target, out))
    assert words.startswith("4 episodes aligned: one frame tells the tool to")
    assert "openings times 2.0" in words or "openings times 1.9" in words
    true = Dataset.open(recorded(tmp_path / "true", "umi", 100_000, 4))
    found, before = Dataset.open(out), Dataset.open(own)
    for episode in range(2):
        poses = [one.vectors(episode)[EE_POSE] for one in (found, true, before)]
        far = [float(np.linalg.norm(part[:, :3] - poses[1][:, :3], axis=1).mean()) for part in (poses[0], poses[2])]
        assert far[0] < 0.05 < far[1]
        assert np.abs(poses[0][:, 9] - poses[1][:, 9]).max() < 0.1
        key = "observation.images.front"
        assert (found.images(episode, key) == before.images(episode, key)).all()
        assert found.episodes[episode].facts == before.episodes[episode].facts
    assert lineage(found) == (found.content_id, before.content_id)
    assert not has_errors(check_dataset(out))
    comparison = compare([target, out])
    assert comparison.frames[0].case == "aligned"
    assert lines(comparison)[-1].startswith("method: glam or glam-o, and inverse kinematics (retarget) to compare")


def test_the_check_says_that_these_poses_must_be_aligned_and_nothing_of_the_workspace(target, own):
    comparison = compare([target, own])
    assert comparison.frames[0].case == "own"
    topics = [mismatch.topic for mismatch in comparison.mismatches if mismatch.severity == "warning"]
    assert topics == ["frame", "gripper"]
    assert lines(comparison)[-1].startswith("method: align first")


def test_sets_that_nothing_can_align_are_refused(target, own, tmp_path):
    lift = collect(CollectConfig("lift", "umi", image_size=16), tmp_path / "lift", 1, workers=1).root
    with pytest.raises(GlamError, match="both sets need masks of the same objects"):
        align(lift, target, tmp_path / "new")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(GlamError, match="not an empty folder"):
        align(own, target, tmp_path / "full")
    two = collect(CollectConfig("stack-three", "umi", image_size=16), tmp_path / "two", 1, workers=1).root
    with pytest.raises(GlamError, match="only sets with one arm can be aligned"):
        align(two, two, tmp_path / "new")
