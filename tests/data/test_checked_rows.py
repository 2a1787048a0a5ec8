"""No changed byte of an array gets past its checksums, and each block is looked at once."""

import numpy as np
import pytest

from glam.data import cache_upkeep
from glam.data.cache_upkeep import CheckedRows, block_rows, checksums, is_intact

ROWS = 10


class DamagedError(Exception):
    pass


def fail(row):
    raise DamagedError(row)


@pytest.fixture
def array(monkeypatch):
    monkeypatch.setattr(cache_upkeep, "BLOCK_BYTES", 40)  # three rows of 12 bytes: the last block has one
    return np.random.default_rng(0).integers(0, 256, (ROWS, 2, 6), np.uint8)


def test_rows_are_those_of_the_array_however_they_are_asked_for(array):
    rows = CheckedRows(array, checksums(array), fail)
    assert (len(rows), rows.shape, rows.dtype, block_rows(array)) == (ROWS, array.shape, array.dtype, 3)
    for index in (3, -1, slice(2, 9, 3), slice(None), np.array([[1, 9], [0, -10]]), np.arange(ROWS) % 2 == 0):
        np.testing.assert_array_equal(rows[index], array[index])
    np.testing.assert_array_equal(np.asarray(rows), array)


@pytest.mark.parametrize("row", range(ROWS))
def test_a_changed_byte_is_found_when_its_block_is_read_and_not_before(array, row):
    sums = checksums(array)
    array[row, 1, 5] ^= 1
    assert not is_intact(array, sums)
    block = 3 * (row // 3)
    others = np.array([other for other in range(ROWS) if other // 3 != row // 3])
    rows = CheckedRows(array, sums, fail)
    np.testing.assert_array_equal(rows[others], array[others])
    for index in (block, np.array([block]), np.array([block - ROWS]), slice(block, block + 1), slice(None)):
        with pytest.raises(DamagedError, match=f"^{block}$"):
            rows[index]


def test_a_block_is_checked_once(array, monkeypatch):
    rows = CheckedRows(array, checksums(array), fail)
    checked = []
    monkeypatch.setattr(cache_upkeep, "_checksum", lambda block: checked.append(len(block)) or rows._sums[0])
    for index in (0, 1, 2, slice(0, 3)):
        rows[index]
    assert checked == [3]


def test_checksums_of_another_array_are_refused(array):
    with pytest.raises(DamagedError):
        CheckedRows(array, checksums(array)[:-1], fail)
    assert is_intact(array[:0], [])
    assert CheckedRows(array[:0], [], fail)[:].shape == (0, 2, 6)
