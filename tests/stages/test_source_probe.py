from dataclasses import replace

import pytest

from glam.core.errors import GlamError
from glam.data.cache import decoded
from glam.stages import source_probe
from glam.stages.collect import CollectConfig, collect
from glam.stages.source_probe import probe_actions, probe_sources


def test_a_source_cannot_be_told_from_itself(trained):
    found = probe_sources(trained.run, [trained.auxiliary, trained.auxiliary])
    assert found.latents == found.poses == found.level == found.decoded == pytest.approx(0.5)


def test_the_same_scenes_by_two_embodiments_are_compared(trained, tmp_path):
    config = CollectConfig("lift", "umi", 0, image_size=32)
    same = collect(config, tmp_path / "same", 3, workers=1).root
    found = probe_sources(trained.run, [trained.target, same])
    assert 0.3 <= found.latents <= 1.0
    assert 0.3 <= found.poses <= 1.0


def test_a_hand_that_only_tilts_is_told_by_its_latents_and_not_once_it_is_level(trained, monkeypatch):
    tilts = iter([0.0, 0.5])

    def tilted(dataset, pixels):
        frames = decoded(dataset, pixels)
        poses = frames.ee_pose.copy()
        poses[:, [frames.schema.pose_names.index(name) for name in ("arm.r31", "arm.r32")]] = next(tilts)
        return replace(frames, ee_pose=poses)

    monkeypatch.setattr(source_probe, "decoded", tilted)
    found = probe_sources(trained.run, [trained.auxiliary, trained.auxiliary])
    assert found.latents > 0.6
    assert found.poses > 0.8  # the normalizer sees few episodes, and which ones depends on the set
    assert found.level == pytest.approx(0.5)


def test_other_scenes_are_refused(trained):
    with pytest.raises(GlamError, match="same scenes"):
        probe_sources(trained.run, [trained.target, trained.auxiliary])


def test_one_source_is_not_enough(trained):
    with pytest.raises(GlamError, match="two sources"):
        probe_sources(trained.run, [trained.target])


def test_nearly_true_actions_of_the_same_scenes_are_compared_and_a_robot_is_not_told_from_itself(trained, tmp_path):
    same = collect(CollectConfig("lift", "umi", 0, image_size=32), tmp_path / "same", 3, workers=1).root
    assert 0.3 <= probe_actions(trained.target, same) <= 0.9
    assert probe_actions(trained.target, trained.target) == pytest.approx(0.5)


def test_nearly_true_actions_of_other_scenes_are_refused(trained):
    with pytest.raises(GlamError, match="same scenes"):
        probe_actions(trained.target, trained.auxiliary)
