import numpy as np
import pyarrow as pa
import pytest
from tests.data import tiny

from glam.core.errors import GlamError
from glam.data.reader import Dataset
from glam.data.vector_copy import VectorCopy


@pytest.fixture
def copy(tmp_path):
    tiny.record(tmp_path / "set", 2)
    source = Dataset.open(tmp_path / "set")
    values = np.arange(2.0 * len(source), dtype=np.float32).reshape(-1, 2)
    return VectorCopy(source, "observation.more", ("a", "b"), values)


def test_the_feature_is_declared_with_its_names_and_every_row_has_its_own_values(copy):
    assert copy._features({})["observation.more"]["names"] == ["a", "b"]
    rows = copy._rows(copy.source.root, pa.table({"index": [3, 1]}))
    assert rows["observation.more"].to_pylist() == [[6.0, 7.0], [2.0, 3.0]]


def test_rows_that_belong_to_no_episode_are_refused(copy):
    with pytest.raises(GlamError, match="has rows that belong to no episode"):
        copy._rows(copy.source.root, pa.table({"index": [99]}))
