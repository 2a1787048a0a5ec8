from dataclasses import replace

import numpy as np
import pytest
from tests.data import tiny

from glam.data.check import check_dataset
from glam.data.demonstrations import lineage
from glam.data.reader import Dataset
from glam.data.tracked_set import TrackedSet
from glam.data.tracks import EE_TRACKS, tracks_of

EPISODES = 3


@pytest.fixture
def source(tmp_path):
    tiny.record(tmp_path / "source", EPISODES)
    return Dataset.open(tmp_path / "source")


def tracks(dataset, index, cameras=2):
    rng, length = np.random.default_rng(index), dataset.episodes[index].length
    shape = length, 2 * cameras
    return tracks_of(rng.uniform(size=(*shape, 2)), rng.uniform(size=shape) > 0.1)


def made(source, root, only=range(EPISODES), **changes):
    copy = TrackedSet.of(source, root, **({"cameras": ("front", "overhead"), "notes": {"clicks": [1]}} | changes))
    with copy.making():
        for index in copy.missing():
            if index in only:
                copy.save(index, tracks(source, index, len(copy.schema.track_cameras)))
        if not copy.missing():
            copy.publish()
    return copy


def test_the_copy_is_the_source_with_tracks(source, tmp_path):
    made(source, tmp_path / "copy")
    copy = Dataset.open(tmp_path / "copy")
    assert copy.schema == replace(source.schema, track_cameras=("front", "overhead"))
    for index in range(EPISODES):
        found, told = copy.vectors(index), source.vectors(index)
        assert (found[EE_TRACKS] == tracks(source, index)).all()
        assert all((found[key] == told[key]).all() for key in told)
        assert (copy.masks(index, "observation.masks.front") == source.masks(index, "observation.masks.front")).all()
    assert not [
        one for one in check_dataset(tmp_path / "copy") if one.code in ("checksum", "stats", "column", "manifest")
    ]


def test_tracks_of_a_set_are_replaced_by_new_ones(source, tmp_path):
    made(source, tmp_path / "first")
    first = Dataset.open(tmp_path / "first")
    made(first, tmp_path / "second", cameras=("overhead",))
    assert Dataset.open(tmp_path / "second").schema.track_cameras == ("overhead",)


def test_a_copy_has_the_episodes_of_its_source(source, tmp_path):
    made(source, tmp_path / "copy")
    assert source.content_id in lineage(Dataset.open(tmp_path / "copy"))
