from dataclasses import replace

import numpy as np
import pytest
from tests.evaluation.episodes import run

from glam.evaluation.foresight import area_under_curve, foresight


def test_an_area_is_the_share_of_pairs_in_the_right_order() -> None:
    found = area_under_curve(np.array([3.0, 1.0]), np.array([0.0, 1.0, 2.0]))
    assert found.estimate == pytest.approx((3 + 1.5) / 6)
    assert found.low < found.estimate < found.high


def test_only_chunks_that_all_episodes_have_are_looked_at() -> None:
    """Otherwise failures, which last longer, would have more doubt by their length alone."""
    records = [
        replace(record, doubts=(1.0 + 0.1 * number,) * (3 if record.is_success else 9))
        for number, record in enumerate(run([True, False, True, False]))
    ]
    found = foresight(records)
    assert found is not None
    assert (found.chunks, found.failures, found.successes) == (3, 2, 2)
    assert found.area.estimate == 0.75
    assert found.sentence.startswith("doubt over the first 3 chunks foresees failure with an area of 0.75 [")


def test_nothing_is_said_without_doubt_or_without_failures() -> None:
    assert foresight(run([True, False])) is None
    assert foresight([replace(record, doubts=(1.0,)) for record in run([True, True])]) is None
