"""Samples of each training step as a pure function of seed and step: resuming needs the step and no state.

Items are looked at in the order of one shuffle after the other, each item once per shuffle. The shuffles derive from
raw bits of a generator, which NumPy promises never to change; so a run resumes exactly under a newer NumPy.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from glam.core.errors import GlamError
from glam.data.windows import FrameIndices

_SEED_LIMIT = 2**64  # NumPy takes no negative seeds


class Sampler:
    """Batches from one source."""

    def __init__(self, items: FrameIndices, batch_size: int, seed: int, stream: int = 0) -> None:
        """Draw `batch_size` of `items` per step; samplers of one seed and different `stream` are independent."""
        if len(items) == 0:
            raise GlamError("nothing to sample from: a source has no items; it needs at least 1")
        if batch_size < 1:
            raise GlamError(f"batches of {batch_size} items; at least 1 is needed")
        self._items, self._batch_size = items, batch_size
        # A batch touches one epoch, or two where they meet.
        self._order = lru_cache(maxsize=2)(lambda epoch: _shuffle(len(items), seed, (stream, epoch)))

    def indices(self, step: int) -> FrameIndices:
        """The items of a step. (B,)."""
        places = step * self._batch_size + np.arange(self._batch_size)
        epochs, positions = np.divmod(places, len(self._items))
        parts = [self._order(int(epoch))[positions[epochs == epoch]] for epoch in np.unique(epochs)]
        drawn: FrameIndices = self._items[np.concatenate(parts)]
        return drawn


class StratifiedSampler:
    """Batches with the same number of items of a source in every step, however large the source is."""

    def __init__(self, sources: Sequence[FrameIndices], shares: Sequence[float], batch_size: int, seed: int) -> None:
        """Give source i the part `shares[i]` of every batch; only the proportions of the shares matter."""
        self.sizes = _apportion(shares, batch_size)
        pairs = zip(sources, self.sizes, strict=True)
        self._samplers = [Sampler(items, size, seed, stream) for stream, (items, size) in enumerate(pairs)]

    def indices(self, step: int) -> tuple[FrameIndices, ...]:
        """The items of each source in a step, `sizes` of them."""
        return tuple(sampler.indices(step) for sampler in self._samplers)


def _shuffle(count: int, seed: int, key: tuple[int, int]) -> FrameIndices:
    bits = np.random.Philox(np.random.SeedSequence(seed % _SEED_LIMIT, spawn_key=key)).random_raw(count)
    return np.argsort(bits, kind="stable")


def _apportion(shares: Sequence[float], batch_size: int) -> tuple[int, ...]:
    """Whole numbers of at least 1 that add up to `batch_size`, by largest remainder in the proportions of `shares`.

    A source whose share is less than one item gets one all the same, at the cost of the one that has most.
    """
    parts = np.asarray(shares, np.float64)
    if len(parts) == 0 or not np.isfinite(parts).all() or (parts <= 0).any():
        raise GlamError(f"shares {tuple(shares)}; every source needs a share above 0")
    quotas = parts / parts.sum() * batch_size
    sizes = np.floor(quotas).astype(np.int64)
    missing = batch_size - int(sizes.sum())
    sizes[np.argsort(sizes - quotas, kind="stable")[:missing]] += 1
    if batch_size < len(sizes):
        raise GlamError(f"batches of {batch_size} items from {len(sizes)} sources; at least one of each is needed")
    while (sizes < 1).any():
        sizes[np.argmin(sizes)] += 1
        sizes[np.argmax(sizes)] -= 1
    return tuple(sizes.tolist())
