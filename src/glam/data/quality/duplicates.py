"""Episodes that are there twice, also if one was cut or encoded anew: most of their poses are the same to 0.1 mm.

A copy counts its demonstration twice, and one that is held out gives away what is tested. The same motion before other
images is no copy: datasets are also made by replaying motions in changed scenes.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from glam.data.quality.measures import Measures

_SHARED = 0.5
"""Share of the poses of the shorter episode that are also in the other."""
_FEWEST = 5
"""Poses in motion that an episode must have."""
_ALIKE, _SAME = 12.0, 1.0
"""Mean difference of the images' values, of 255, below which images are alike, and below which they alone tell."""


def copies(measures: Sequence[Measures]) -> dict[int, int]:
    """Episodes that are copies, and the earlier episode that each is a copy of."""
    found: dict[int, int] = {}
    owners: dict[bytes, list[Measures]] = {}
    for one in measures:
        if len(one.rows) < _FEWEST:
            continue
        shared = Counter(other.episode for row in one.rows for other in owners.get(row, ()))
        others = {other.episode: other for row in one.rows for other in owners.get(row, ())}
        for episode, count in shared.most_common():
            other = others[episode]
            if count > _SHARED * min(len(one.rows), len(other.rows)) and _difference(one, other) < _ALIKE:
                found[one.episode] = episode
                break
        if one.episode not in found:
            for row in one.rows:
                owners.setdefault(row, []).append(one)
    return found | _still_copies([one for one in measures if len(one.rows) < _FEWEST])


def _still_copies(measures: Sequence[Measures]) -> dict[int, int]:
    """The same for episodes without poses, states and actions in motion: equal images, in pairs of equal length."""
    found: dict[int, int] = {}
    by_length: dict[int, list[Measures]] = {}
    for one in measures:
        others = by_length.setdefault(one.frames, [])
        original = next((other for other in others if _difference(one, other) < _SAME), None)
        if original is None:
            others.append(one)
        else:
            found[one.episode] = original.episode
    return found


def _difference(one: Measures, other: Measures) -> float:
    if one.look.shape != other.look.shape:
        return np.inf
    return float(np.abs(one.look.astype(np.int16) - other.look).mean())
