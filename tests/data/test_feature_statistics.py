import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from glam.data.tables import (
    STATISTIC_NAMES,
    histogram,
    histogram_from_lines,
    histogram_lines,
    of_histogram,
    row_statistics,
)


def test_statistics_of_rows_are_those_of_numpy():
    rows = np.random.default_rng(0).standard_normal((57, 4)).astype(np.float32)
    statistics = row_statistics(rows)
    exact = rows.astype(np.float64)
    assert tuple(statistics) == STATISTIC_NAMES
    assert statistics["count"] == [57]
    for name, expected in {
        "min": exact.min(0),
        "max": exact.max(0),
        "mean": exact.mean(0),
        "std": exact.std(0),
        "q01": np.quantile(exact, 0.01, axis=0),
        "q50": np.median(exact, 0),
        "q99": np.quantile(exact, 0.99, axis=0),
    }.items():
        np.testing.assert_allclose(statistics[name], expected, rtol=1e-12)


def test_a_scalar_column_has_statistics_of_length_one():
    assert row_statistics(np.arange(5))["mean"] == [2.0]


@given(st.integers(1, 40), st.integers(1, 4), st.integers(0, 1000))
def test_statistics_of_a_histogram_are_those_of_the_sampled_pixels(frames, channels, seed):
    film = np.random.default_rng(seed).integers(0, 256, (frames, 4, 6, channels)).astype(np.uint8)
    sample = film[np.linspace(0, frames - 1, min(frames, 16)).round().astype(int)].reshape(-1, channels) / 255
    statistics = of_histogram(histogram(film), pixels=24)
    assert set(statistics) == set(STATISTIC_NAMES)
    assert statistics["count"] == [min(frames, 16)]
    expected = {"min": sample.min(0), "max": sample.max(0), "mean": sample.mean(0), "std": sample.std(0)}
    expected |= {"q10": np.quantile(sample, 0.1, axis=0, method="inverted_cdf")}
    for name, values in expected.items():
        assert np.shape(statistics[name]) == (channels, 1, 1)
        np.testing.assert_allclose(np.ravel(statistics[name]), values, atol=1e-12)


def test_histograms_of_parts_add_up_to_that_of_the_whole():
    film = np.random.default_rng(0).integers(0, 256, (12, 4, 6, 3)).astype(np.uint8)
    np.testing.assert_array_equal(histogram(film), histogram(film[:5]) + histogram(film[5:]))


def test_histograms_survive_as_lines_of_text():
    counts = histogram(np.random.default_rng(0).integers(0, 256, (3, 4, 6, 2)).astype(np.uint8))
    assert [len(line.split()) for line in histogram_lines(counts)] == [256, 256]
    np.testing.assert_array_equal(histogram_from_lines(histogram_lines(counts)), counts)


def test_the_brightest_pixel_counts_in_every_quantile_of_a_white_film():
    statistics = of_histogram(histogram(np.full((2, 4, 4, 1), 255, np.uint8)), pixels=16)
    assert [statistics[name] for name in ("min", "q01", "q99", "max")] == [[[[1.0]]]] * 4
    assert statistics["std"] == [[[0.0]]]
