"""A dataset of painted films."""

import pytest
from tests.interop.segmenters import recorded

from glam.data.reader import Dataset


@pytest.fixture(scope="session")
def squares(tmp_path_factory):
    """Three episodes of a red square that moves and a blue one that does not, seen by two cameras; no masks."""
    return recorded.squares(tmp_path_factory.mktemp("squares") / "set")


@pytest.fixture(scope="session")
def squares_set(squares):
    return Dataset.open(squares)
