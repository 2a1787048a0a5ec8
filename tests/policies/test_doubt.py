import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.policies.doubt import Doubt, fitted


def usual(count: int, seed: int) -> np.ndarray:
    """Frames on a curve in a space of twenty dimensions, with noise."""
    draw = np.random.default_rng(seed)
    time = draw.uniform(0.0, 6.0, count)
    axes = np.random.default_rng(0).normal(size=(3, 20))
    curve = np.stack([np.sin(time), np.cos(time), time / 3], axis=1)
    return (curve @ axes + 0.05 * draw.normal(size=(count, 20))).astype(np.float32)


@pytest.fixture(scope="module")
def doubt() -> Doubt:
    return fitted(usual(400, 1), usual(300, 2))


def test_one_in_twenty_usual_frames_has_a_doubt_above_one(doubt: Doubt) -> None:
    assert 0.02 < (doubt.of(usual(1000, 3)) > 1.0).mean() < 0.1


def test_what_was_never_seen_has_much_doubt(doubt: Doubt) -> None:
    away = usual(50, 4) + 3.0 * np.random.default_rng(5).normal(size=(50, 20)).astype(np.float32)
    assert doubt.of(away).min() > 3.0


def test_it_comes_back_from_json_to_the_last_bit(doubt: Doubt) -> None:
    again = Doubt.from_json(doubt.to_json())
    assert again.of(usual(20, 6)).tobytes() == doubt.of(usual(20, 6)).tobytes()


@pytest.mark.parametrize("change", [{"unit": None}, {"mean": {}}, {"known": {"shape": [3], "float32": "AAAA"}}])
def test_damage_is_an_error(doubt: Doubt, change: dict[str, object]) -> None:
    with pytest.raises(GlamError, match="doubt of the policy is damaged"):
        Doubt.from_json(doubt.to_json() | change)


def test_frames_that_are_all_alike_give_no_division_by_zero() -> None:
    same = np.ones((10, 20), np.float32)
    assert np.isfinite(fitted(same, same).of(same + 1.0)).all()
