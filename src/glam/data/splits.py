"""Episodes held out from training, for probes."""

import hashlib
from typing import NamedTuple

import numpy as np

from glam.core.errors import GlamError
from glam.data.windows import EpisodeTable


class Split(NamedTuple):
    """The episodes of one source, each on exactly one side."""

    train: EpisodeTable
    held_out: EpisodeTable


def hold_out(episodes: EpisodeTable, content_id: str, fraction: float, seed: int) -> Split:
    """Hold out a fraction of the episodes of a source, at least one, chosen by the seed and the source's content.

    Equal sources are split alike, wherever they lie: a set that serves in two roles gives away nothing held out.
    """
    if not 0.0 < fraction < 1.0:
        raise GlamError(f"a fraction {fraction} of the episodes to hold out; it must be between 0 and 1")
    if len(episodes) < 2:
        raise GlamError(f"{len(episodes)} episodes; at least 2 are needed to hold one out")
    count = min(max(round(fraction * len(episodes)), 1), len(episodes) - 1)
    draws = [hashlib.sha256(f"{content_id} {seed} {episode}".encode()).digest() for episode in range(len(episodes))]
    order = np.array(sorted(range(len(episodes)), key=draws.__getitem__), np.int64)
    return Split(train=episodes.select(order[count:]), held_out=episodes.select(order[:count]))
