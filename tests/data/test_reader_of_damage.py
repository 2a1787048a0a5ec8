"""What is damaged is an error that says where, and never wrong data."""

import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.data.spoiling import rewrite_rows, without_manifest

from glam.core.errors import GlamError
from glam.data import image_codecs, layout, tables
from glam.data.image_codecs import encode_image
from glam.data.reader import Dataset

FRONT = "observation.images.front"


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"index": pa.array([4, 5, 7, 8, 9])}, "episode 1, frame 2: index is 7 instead of 6"),
        ({"frame_index": pa.array([0, 1, 1, 2, 3])}, "episode 1, frame 2: frame_index is 1 instead of 2"),
        ({"episode_index": pa.array([1, 1, 1, 1, 2])}, "episode 1, frame 4: episode_index is 2 instead of 1"),
        ({"timestamp": pa.array([0.0, 0.1, 0.3, 0.3, 0.4])}, "episode 1, frame 2: timestamp is 0.3 s instead of 0.2 s"),
        ({"timestamp": pa.array([0.0, np.nan, 0.2, 0.3, 0.4])}, "episode 1, frame 1: timestamp is nan s"),
        ({"task_index": pa.array([1, 1, 0, 1, 1])}, "task_index is not that of its task 'Lift the other cube.'"),
        ({"action": pa.array([[1.0, 2.0]] * 5)}, "action has 2 entries of float64 instead of 3 numbers"),
        ({"action": pa.array([[1.0]] * 4 + [[1.0, 2.0]])}, "action has lists of different lengths"),
        ({"action": pa.array([[1.0, 2.0, 3.0]] * 4 + [None])}, "action has empty cells"),
        ({"action": pa.array([["a", "b", "c"]] * 5)}, "action has 3 entries of object"),
    ],
)
def test_rows_that_are_not_the_episode_are_never_returned(target_set, columns, sentence):
    without_manifest(target_set)
    rewrite_rows(target_set, 1, **columns)
    with pytest.raises(GlamError) as refused:
        Dataset.open(target_set).vectors(1)
    assert sentence in str(refused.value)
    assert "file-001.parquet" in str(refused.value)


def test_missing_rows_are_counted(target_set):
    without_manifest(target_set)
    path = target_set / layout.data_file(1)
    path.write_bytes(tables.parquet_bytes(pq.read_table(path, use_threads=False).slice(0, 4)))
    with pytest.raises(GlamError, match="episode 1: 4 of 5 rows"):
        Dataset.open(target_set).vectors(1)


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        ({"bytes": b"nothing", "path": None}, "frame 2: observation.masks.front: the image cannot be read"),
        ({"bytes": None, "path": "x.png"}, "frame 2: observation.masks.front holds no image"),
        ({"bytes": encode_image(np.zeros((16, 16, 1), np.uint8)), "path": None}, "has shape (16, 16, 1) instead"),
    ],
)
def test_a_bad_mask_is_reported_with_its_frame(target_set, cell, sentence):
    without_manifest(target_set)
    rows = pq.read_table(target_set / layout.data_file(0), use_threads=False)["observation.masks.front"].to_pylist()
    rewrite_rows(target_set, 0, **{"observation.masks.front": pa.array([*rows[:2], cell, rows[3]], tables.IMAGE)})
    with pytest.raises(GlamError) as refused:
        Dataset.open(target_set).masks(0, "observation.masks.front")
    assert sentence in str(refused.value)


def test_a_video_of_another_size_is_refused(tiny, target_set):
    without_manifest(target_set)
    (target_set / layout.video_file(FRONT, 0)).write_bytes(image_codecs.encode_video(tiny.images((32, 16), 4, 0), 10))
    with pytest.raises(GlamError, match="frames of 32x16 pixels"):
        Dataset.open(target_set).images(0, FRONT)


def test_a_video_one_frame_short_is_refused(tiny, target_set):
    without_manifest(target_set)
    (target_set / layout.video_file(FRONT, 0)).write_bytes(
        image_codecs.encode_video(tiny.episode(0).images[FRONT][:3], 10)
    )
    with pytest.raises(GlamError, match="ends after 3 of 4 frames"):
        Dataset.open(target_set).images(0, FRONT)


def everything(root):
    dataset = Dataset.open(root)
    return [dataset.episode(record.index) for record in dataset.episodes]


def is_same(first, second):
    return all(
        getattr(a, group).keys() == getattr(b, group).keys()
        and all(np.array_equal(getattr(a, group)[key], getattr(b, group)[key]) for key in getattr(a, group))
        for a, b in zip(first, second, strict=True)
        for group in ("vectors", "images", "masks")
    )


def mutated(content, chance):
    """One random fault: a flipped bit, random bytes, a zeroed or doubled block, or a missing end."""
    position = chance.randrange(len(content))
    length = chance.randrange(1, 40)
    return chance.choice(
        [
            content[:position] + bytes([content[position] ^ (1 << chance.randrange(8))]) + content[position + 1 :],
            content[:position] + chance.randbytes(length) + content[position + length :],
            content[:position] + bytes(length) + content[position + length :],
            content[: position + length] + content[position:],
            content[:position],
        ]
    )


def test_no_random_damage_to_a_set_of_ours_gives_wrong_data(tiny, auxiliary_set):
    chance = random.Random(0)
    healthy = everything(auxiliary_set)
    contents = tiny.content(auxiliary_set)
    refused = 0
    for name in chance.choices(sorted(contents), k=150):
        (auxiliary_set / name).write_bytes(mutated(contents[name], chance))
        try:
            assert is_same(everything(auxiliary_set), healthy), name
        except GlamError:
            refused += 1
        (auxiliary_set / name).write_bytes(contents[name])
    assert refused > 140


def test_random_damage_to_a_set_without_manifest_never_ends_in_a_traceback(tiny, auxiliary_set):
    chance = random.Random(1)
    contents = tiny.content(without_manifest(auxiliary_set))
    refused = 0
    for name in chance.choices(sorted(contents), k=150):
        (auxiliary_set / name).write_bytes(mutated(contents[name], chance))
        try:
            everything(auxiliary_set)
        except GlamError:
            refused += 1
        (auxiliary_set / name).write_bytes(contents[name])
    assert refused > 50
