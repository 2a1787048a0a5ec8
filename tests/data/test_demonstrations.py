from dataclasses import replace

import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.data import recording
from glam.data.demonstrations import MixedSampler, Reading, Shared, episodes_of, hold_out, require_hands
from glam.data.matching import can_work, compare, lines
from glam.data.reader import Dataset
from glam.data.windows import EpisodeTable


def test_a_dataset_is_decoded_restricted_and_split(tiny, tmp_path):
    tiny.record(tmp_path / "set", 5)
    wanted = Shared(("overhead",), has_pose=True, has_masks=False)
    dataset = Dataset.open(tmp_path / "set")
    found = Reading(pixels=8, held_out=0.4, seed=3, workers=1).open(dataset, wanted)
    assert found.name == str(tmp_path / "set")
    assert (list(found.frames.images), found.frames.masks) == (["observation.images.overhead"], {})
    expected = hold_out(found.frames.episodes, dataset.content_id, 0.4, 3)
    assert len(expected.held_out) == 2
    np.testing.assert_array_equal(found.train.starts, expected.train.starts)
    np.testing.assert_array_equal(found.split.held_out.starts, expected.held_out.starts)


def test_an_episode_of_one_frame_is_refused_by_the_training_and_by_the_check_of_a_pair(tiny, tmp_path, monkeypatch):
    tiny.record(tmp_path / "sound", 3)
    monkeypatch.setattr(tiny, "length", lambda index: 4 - 3 * (index == 1))
    monkeypatch.setattr(recording, "require_valid", lambda *_: None)  # others write what we would not
    tiny.record(tmp_path / "set", 3)
    short = Dataset.open(tmp_path / "set")
    wanted = Shared(("front",), has_pose=True, has_masks=True)
    with pytest.raises(GlamError, match=r"set: episode 1 has 1 frame; a transition needs 2: leave the episode out"):
        Reading(pixels=8, held_out=0.4, seed=3, workers=1).open(short, wanted)
    for roots in (("sound", "set"), ("set", "sound")):
        found = compare([tmp_path / root for root in roots])
        assert not can_work(found)
        assert any("set has an episode of 1 frame" in line for line in lines(found))


def test_every_batch_has_as_many_items_of_each_source():
    sampler = MixedSampler(np.arange(7), [np.arange(100, 130), np.arange(200, 210)], 3, 8, seed=0)
    for step in range(20):
        target, (first, second) = sampler.indices(step)
        assert (len(target), len(first), len(second)) == (3, 6, 2)
        assert target.max() < 7 <= 100 <= first.min() <= first.max() < 130 <= 200 <= second.min()


def test_items_are_a_function_of_seed_and_step():
    first, again, other = (MixedSampler(np.arange(50), [np.arange(50)], 10, 10, seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.indices(4)[0], again.indices(4)[0])
    assert not np.array_equal(first.indices(4)[0], other.indices(4)[0])
    assert not np.array_equal(first.indices(4)[0], first.indices(4)[1][0])


def test_a_source_without_items_is_refused():
    with pytest.raises(GlamError, match="share"):
        MixedSampler(np.arange(5), [np.arange(0)], 2, 2, seed=0)


def test_episodes_are_given_by_the_indices_of_their_frames():
    table = EpisodeTable.of_lengths([2, 3, 4]).select([0, 2])
    assert [frames.tolist() for frames in episodes_of(table)] == [[0, 1], [5, 6, 7, 8]]


@pytest.mark.parametrize(("shows", "has_pose"), [(False, False), (True, False), (False, True)])
def test_a_source_whose_fingertips_are_all_hidden_is_refused_unless_it_has_poses(tiny, tmp_path, shows, has_pose):
    schema = replace(tiny.AUXILIARY, has_pose=has_pose, track_cameras=("front",))
    tiny.record(tmp_path / "set", 2, schema)
    dataset = Dataset.open(tmp_path / "set")
    wanted = Shared(("front",), has_pose=has_pose, has_masks=False, track_cameras=("front",))
    found = Reading(pixels=8, held_out=0.4, seed=3, workers=1).open(dataset, wanted)
    flags = np.full(len(found.frames.ee_tracks), float(shows), np.float32)
    tracks = np.stack([part for _ in range(2) for part in (0.5 * flags, 0.5 * flags, flags)], axis=1)
    source = replace(found, frames=replace(found.frames, ee_tracks=tracks))
    if shows or has_pose:
        require_hands(source)
        return
    with pytest.raises(GlamError, match=r"set: every fingertip is hidden in all frames of front; track again with"):
        require_hands(source)
