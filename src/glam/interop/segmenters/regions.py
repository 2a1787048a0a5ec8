"""Regions of an image: connected parts, middles, neighbourhoods.

Connected parts are found by hand: scipy (`ndimage.label`) is not installed with the extra `[masks]`, whose onnxruntime
needs numpy alone, and 35 lines do not justify a package of 140 MB.
"""

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
"""(Y, X)."""


def overlap(one: Mask, other: Mask) -> float:
    """Intersection over union; two empty areas are the same."""
    union = np.count_nonzero(one | other)
    return np.count_nonzero(one & other) / union if union else 1.0


def pieces(mask: Mask) -> list[Mask]:
    """Connected parts, by their edges, the largest first."""
    runs = _runs(mask)
    parent = list(range(len(runs)))

    def root(run: int) -> int:
        while parent[run] != run:
            parent[run] = parent[parent[run]]
            run = parent[run]
        return run

    for upper, lower in _touching(runs):
        parent[root(lower)] = root(upper)
    found: dict[int, Mask] = {}
    for run, (row, start, end) in enumerate(runs):
        found.setdefault(root(run), np.zeros_like(mask))[row, start:end] = True
    return sorted(found.values(), key=np.count_nonzero, reverse=True)


def middle(mask: Mask) -> tuple[float, float]:
    """(x, y) of the pixel farthest from the outside, of several the one nearest to the centre of gravity."""
    rows, columns = bounds(mask)
    left = np.pad(mask[rows, columns], 1)
    while True:
        eroded = left & grown(left, -1)
        if not eroded.any():
            break
        left = eroded
    y, x = np.nonzero(left)
    inside_y, inside_x = np.nonzero(mask[rows, columns])
    nearest = int(np.argmin((y - 1 - inside_y.mean()) ** 2 + (x - 1 - inside_x.mean()) ** 2))
    return float(columns.start + x[nearest] - 0.5), float(rows.start + y[nearest] - 0.5)


def bounds(mask: Mask) -> tuple[slice, slice]:
    """Rows and columns of an area that is not empty."""
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)


def box(mask: Mask) -> tuple[float, float, float, float]:
    """Left, upper, right and lower edge of an area that is not empty."""
    rows, columns = bounds(mask)
    return float(columns.start), float(rows.start), float(columns.stop), float(rows.stop)


def grown(mask: Mask, steps: int) -> Mask:
    """The area with so many layers of pixels more, or fewer when negative; beyond the image is outside."""
    if steps < 0:
        # Growing what is outside, with the border of the image counted as outside.
        return ~grown(np.pad(~mask, 1, constant_values=True), -steps)[1:-1, 1:-1]
    for _ in range(steps):
        padded = np.pad(mask, 1)
        mask = padded[1:-1, 1:-1] | padded[:-2, 1:-1] | padded[2:, 1:-1] | padded[1:-1, :-2] | padded[1:-1, 2:]
    return mask


def without_holes(mask: Mask, largest: int) -> Mask:
    """The area with enclosed holes of at most `largest` pixels filled."""
    filled = mask.copy()
    for hole in pieces(~mask):
        touches_border = hole[0].any() or hole[-1].any() or hole[:, 0].any() or hole[:, -1].any()
        if np.count_nonzero(hole) <= largest and not touches_border:
            filled |= hole
    return filled


def moved(mask: Mask, x: int, y: int) -> Mask:
    """The area so many pixels further right and down; what leaves the image is lost."""
    height, width = mask.shape
    shifted = np.zeros_like(mask)
    if abs(x) < width and abs(y) < height:
        shifted[max(y, 0) : height + min(y, 0), max(x, 0) : width + min(x, 0)] = mask[
            max(-y, 0) : height - max(y, 0), max(-x, 0) : width - max(x, 0)
        ]
    return shifted


def _runs(mask: Mask) -> list[tuple[int, int, int]]:
    """Row, first and past-the-last column of every run of pixels inside, from the upper left on."""
    steps = np.diff(np.pad(mask, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    starts, ends = np.argwhere(steps == 1), np.argwhere(steps == -1)
    return [(int(row), int(start), int(end)) for (row, start), end in zip(starts, ends[:, 1], strict=True)]


def _touching(runs: list[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """Pairs of runs in neighbouring rows that share a column."""
    pairs, first = [], 0
    for lower, (row, start, end) in enumerate(runs):
        while runs[first][0] < row - 1 or (runs[first][0] == row - 1 and runs[first][2] <= start):
            first += 1
        upper = first
        while runs[upper][0] == row - 1 and runs[upper][1] < end:
            pairs.append((upper, lower))
            upper += 1
    return pairs
