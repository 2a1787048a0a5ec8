"""Statistics in LeRobot's form: exact over all rows for vectors; over a fixed subsample of frames for images.

Images are summarised as histograms of their 256 values. Histograms add up exactly, so the statistics of a whole set
do not depend on who recorded which episode, or on how many sittings it took.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Statistics = dict[str, list[Any]]

NAMES = ("min", "max", "mean", "std", "count", "q01", "q10", "q50", "q90", "q99")
LEVELS = 256
SAMPLED_FRAMES = 16
_QUANTILES = {"q01": 0.01, "q10": 0.10, "q50": 0.50, "q90": 0.90, "q99": 0.99}


def of_rows(rows: NDArray[Any]) -> Statistics:
    """Exact statistics of (N,) or (N, n) numbers, one entry per column."""
    table = rows.astype(np.float64).reshape(len(rows), -1)
    quantiles = np.quantile(table, list(_QUANTILES.values()), axis=0)
    return {
        "min": table.min(0).tolist(),
        "max": table.max(0).tolist(),
        "mean": table.mean(0).tolist(),
        "std": table.std(0).tolist(),
        "count": [len(table)],
    } | {name: values.tolist() for name, values in zip(_QUANTILES, quantiles, strict=True)}


def histogram(frames: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Counts of each value in each channel of evenly spaced frames. (T, Y, X, C) -> (C, 256)."""
    moments = np.linspace(0, len(frames) - 1, min(len(frames), SAMPLED_FRAMES)).round().astype(int)
    sample = frames[moments]
    return np.stack([np.bincount(sample[..., c].reshape(-1), minlength=LEVELS) for c in range(frames.shape[-1])])


def to_lines(counts: NDArray[np.int64]) -> list[str]:
    """A histogram (C, 256) as files keep it: one line of counts per channel."""
    return [" ".join(map(str, channel)) for channel in counts.tolist()]


def from_lines(lines: list[str]) -> NDArray[np.int64]:
    """The inverse of `to_lines`."""
    return np.array([[int(number) for number in line.split()] for line in lines])


def of_histogram(counts: NDArray[np.int64], pixels: int) -> Statistics:
    """Statistics of a histogram (C, 256) with values scaled to 0..1; `pixels` is the size of one frame."""
    levels = np.arange(LEVELS) / (LEVELS - 1)
    total = counts.sum(1, keepdims=True)
    mean = (counts * levels).sum(1, keepdims=True) / total
    variance = (counts * (levels - mean) ** 2).sum(1) / total[:, 0]
    cumulated = counts.cumsum(1) / total
    columns = {
        "min": [levels[np.flatnonzero(row)[0]] for row in counts],
        "max": [levels[np.flatnonzero(row)[-1]] for row in counts],
        "mean": mean[:, 0],
        "std": np.sqrt(variance),
    } | {name: [levels[np.searchsorted(row, q)] for row in cumulated] for name, q in _QUANTILES.items()}
    nested: Statistics = {name: [[[float(value)]] for value in values] for name, values in columns.items()}
    return nested | {"count": [int(total[0, 0]) // pixels]}


def of_histograms(histograms: Mapping[str, NDArray[np.int64]], size: tuple[int, int]) -> dict[str, Statistics]:
    """Statistics of several features whose frames are of one size."""
    return {key: of_histogram(counts, size[0] * size[1]) for key, counts in histograms.items()}
