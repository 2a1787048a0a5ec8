"""What is read in place is checked; `test_reader` and `interop/lerobot/test_source` read whole episodes."""

from dataclasses import replace

import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.data.reader import Dataset, image_in, read_rows, vectors_in


@pytest.fixture
def record(target_set):
    return Dataset.open(target_set).episodes[1]


def test_rows_are_those_of_the_episode(record, tiny):
    rows = read_rows(record, ["action"], 10)
    np.testing.assert_array_equal(vectors_in(record, rows, "action", 3), tiny.episode(1).vectors["action"])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"first_row": 99}, "frame 0: index is 4 instead of 99"),
        ({"index": 3}, "frame 0: episode_index is 1 instead of 3"),
        ({"length": 9}, "5 of 9 rows"),
        ({"task_indices": frozenset()}, "task_index is not that of its task"),
    ],
)
def test_rows_of_another_episode_are_refused(record, change, sentence):
    with pytest.raises(GlamError, match=sentence):
        read_rows(replace(record, **change), ["action"], 10)


def test_times_that_are_not_of_the_rate_are_refused(record):
    with pytest.raises(GlamError, match=r"frame 1: timestamp is 0.1.* s instead of 0.05 s"):
        read_rows(record, [], 20)


def test_vectors_of_another_size_are_refused(record):
    with pytest.raises(GlamError, match="action has 3 entries of float32 instead of 4 numbers"):
        vectors_in(record, read_rows(record, ["action"], 10), "action", 4)


@pytest.mark.parametrize("cell", [None, {"bytes": None}, {"bytes": b"no image"}])
def test_a_cell_without_a_image_is_named(record, cell):
    with pytest.raises(GlamError, match=r"episode 1, frame 0: observation.masks.front"):
        image_in(record, [cell], 0, "observation.masks.front")
