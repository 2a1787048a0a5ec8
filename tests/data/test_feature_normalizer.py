import json

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from glam.core.errors import GlamError
from glam.data.normalizer import FLOOR, FeatureNormalizer, fit, from_json, to_json

NUMBERS = st.floats(-1000, 1000, width=32)
ROWS = arrays(np.float32, st.tuples(st.integers(1, 20), st.just(3)), elements=NUMBERS)


def rows(count=500, seed=0):
    draws = np.random.default_rng(seed).standard_normal((count, 3))
    return (draws * [0.1, 2.0, 50.0] + [1.0, -3.0, 200.0]).astype(np.float32)


def test_normalized_numbers_have_zero_mean_and_unit_deviation():
    normal = fit("action", [rows()]).normalize(rows())
    assert normal.dtype == np.float32
    assert np.allclose(normal.mean(0), 0.0, atol=1e-4)
    assert np.allclose(normal.std(0), 1.0, atol=1e-4)


@given(source=ROWS)
def test_denormalizing_inverts_normalizing(source):
    normalizer = fit("action", [source])
    back = normalizer.denormalize(normalizer.normalize(source))
    assert back.dtype == np.float32
    assert np.allclose(back, source, rtol=1e-5, atol=1e-3)


@given(value=st.floats(width=32, allow_nan=False, allow_infinity=False), count=st.integers(1, 1000))
def test_a_constant_dimension_becomes_zero_and_comes_back_exactly(value, count):
    source = np.full((count, 1), value, np.float32)
    normalizer = fit("action", [source])
    assert (normalizer.normalize(source) == 0.0).all()
    assert np.array_equal(normalizer.denormalize(np.zeros_like(source)), source)


def test_a_dimension_that_hardly_moves_is_divided_by_the_floor():
    source = rows()
    source[:, 1] = 1.0 + 1e-6 * source[:, 1]
    assert fit("action", [source]).std[1] == np.float32(FLOOR)
    assert fit("action", [source], floor=0.5).std.tolist() == [0.5, 0.5, pytest.approx(source[:, 2].std(), rel=1e-4)]


def test_statistics_are_pooled_over_all_rows_of_all_sources():
    target, auxiliary = rows(50), rows(400, seed=1) + np.float32(10.0)
    pooled, together = fit("ee_pose", [target, auxiliary]), fit("ee_pose", [np.concatenate([target, auxiliary])])
    assert np.array_equal(pooled.mean, together.mean)
    assert np.array_equal(pooled.std, together.std)
    assert not np.allclose(pooled.mean, fit("ee_pose", [target]).mean, rtol=0.01)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused_by_name(value):
    source = rows()
    source[7, 2] = value
    with pytest.raises(GlamError, match=r"observation\.state: entry 2 is -?(nan|inf) in frame 7;"):
        fit("observation.state", [source])


def test_sources_of_different_widths_or_without_rows_are_refused_by_name():
    with pytest.raises(GlamError, match=r"action: sources of shapes \(5, 3\), \(5, 2\)"):
        fit("action", [rows(5), rows(5)[:, :2]])
    with pytest.raises(GlamError, match="action: no frames"):
        fit("action", [rows(0)])
    with pytest.raises(GlamError, match="action: no frames"):
        fit("action", [])


@given(source=ROWS)
def test_json_keeps_every_bit(source):
    normalizer = fit("action", [source])
    copy = from_json("action", json.loads(json.dumps(to_json(normalizer))))
    assert np.array_equal(copy.mean, normalizer.mean)
    assert np.array_equal(copy.std, normalizer.std)
    assert copy.mean.dtype == copy.std.dtype == np.float32


@pytest.mark.parametrize(
    "value",
    [
        None,
        {"mean": [0.0]},
        {"mean": [0.0], "std": [1.0], "max": [1.0]},
        {"mean": [0.0, 1.0], "std": [1.0]},
        {"mean": [0.0], "std": [0.0]},
        {"mean": [float("nan")], "std": [1.0]},
        {"mean": ["a"], "std": [1.0]},
        {"mean": 0.0, "std": 1.0},
    ],
)
def test_damaged_json_is_refused_by_name(value):
    with pytest.raises(GlamError, match="normalizer of action: needs lists mean and std"):
        from_json("action", value)


def test_the_same_arithmetic_serves_torch():
    normalizer = fit("action", [rows()])
    tensors = normalizer.map(torch.from_numpy)
    values = torch.from_numpy(rows()).requires_grad_()
    normal = tensors.normalize(values)
    normal.sum().backward()
    assert isinstance(tensors, FeatureNormalizer)
    assert np.array_equal(normal.detach().numpy(), normalizer.normalize(rows()))
    assert torch.equal(values.grad[0], 1 / tensors.std)
    assert torch.allclose(tensors.denormalize(normal), values, rtol=1e-5)
