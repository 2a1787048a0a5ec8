"""Decoded frames, the transitions, windows and action chunks in them, and the samples of each training step.

No window or chunk crosses the end of an episode. Labelled and unlabelled frames are different types.

Index law: `action[t]` takes `observation[t]` to `observation[t + 1]`. An episode of T frames has T actions, the last
one with no frame after it, and T - 1 transitions; so latent actions exist for t = 0 .. T - 2 only.

Samples are a pure function of seed and step: resuming needs the step and no state. Items are looked at in the order of
one shuffle after the other, each item once per shuffle. The shuffles derive from raw bits of a generator, which NumPy
promises never to change; so a run resumes exactly under a newer NumPy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from glam.core.errors import GlamError
from glam.data.schema import ACTION, Schema

FrameIndices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class EpisodeTable:
    """Frame ranges of some or all episodes of a dataset, in arrays with one entry per frame."""

    starts: FrameIndices
    """First frame of each episode, ascending."""
    lengths: FrameIndices
    """Number of frames of each episode."""

    def __post_init__(self) -> None:
        """Refuse episodes that are empty, overlap, or are out of order."""
        if self.starts.shape != self.lengths.shape or self.starts.ndim != 1:
            raise ValueError(f"starts of shape {self.starts.shape}, lengths of shape {self.lengths.shape}")
        if (self.lengths < 1).any() or (self.starts[1:] < self.ends[:-1]).any() or (self.starts < 0).any():
            raise ValueError(f"episodes that begin at {self.starts} with lengths {self.lengths}")

    @classmethod
    def of_lengths(cls, lengths: ArrayLike) -> "EpisodeTable":
        """Episodes one after the other from frame 0."""
        lengths = np.asarray(lengths, np.int64)
        return cls(np.cumsum(lengths) - lengths, lengths)

    def __len__(self) -> int:
        """Number of episodes."""
        return len(self.starts)

    @property
    def ends(self) -> FrameIndices:
        """Frame index after the last one of each episode."""
        return self.starts + self.lengths

    @property
    def frame_indices(self) -> FrameIndices:
        """Frame indices of all listed episodes."""
        return _ranges(self.starts, self.lengths)

    def select(self, episodes: ArrayLike) -> "EpisodeTable":
        """Some of the listed episodes, by their position in this table; in ascending order whatever the order given."""
        chosen = np.sort(np.asarray(episodes, np.int64))
        return EpisodeTable(self.starts[chosen], self.lengths[chosen])

    def episode_of(self, frames: ArrayLike) -> FrameIndices:
        """Position in this table of the episode that each frame belongs to."""
        frames = np.asarray(frames, np.int64)
        episodes = np.searchsorted(self.starts, frames, side="right") - 1
        unknown = (episodes < 0) | (frames >= self.ends[episodes])
        if unknown.any():
            raise IndexError(f"frame {frames[unknown][0]} is in none of the {len(self)} episodes")
        return episodes


class FrameImages(Protocol):
    """Images that are read when they are indexed by frames."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(N, Y, X, C)."""

    def __len__(self) -> int:
        """Number of frames N."""

    def __getitem__(self, indices: Any) -> NDArray[np.uint8]:
        """Images of a frame, a slice of frames, or an array of frame indices."""


@dataclass(frozen=True, eq=False)
class Frames:
    """Decoded frames of any dataset. All arrays are read-only; images are read from disk when indexed."""

    images: Mapping[str, FrameImages]
    """(N, Y, X, 3) for each key of `Schema.image_keys`."""
    masks: Mapping[str, FrameImages]
    """(N, Y, X, C) for each key of `Schema.mask_keys`: 255 times the share of the pixel that the object covers."""
    ee_pose: NDArray[np.float32]
    """(N, 10 K); (N, 0) where no pose was recorded."""
    episodes: EpisodeTable
    schema: Schema
    """Of the dataset; its `image_size` is that of the files, not of the images here."""
    content_id: str
    """Identity of the dataset."""
    ee_tracks: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32), kw_only=True)
    """(N, 3 P), see `glam.data.tracks`; without columns where no fingertips were tracked."""

    def __post_init__(self) -> None:
        """Give tracks that are not there a row for every frame too."""
        if not self.ee_tracks.size:
            object.__setattr__(self, "ee_tracks", np.zeros((len(self.ee_pose), 0), np.float32))

    def __len__(self) -> int:
        """Number of frames N."""
        return len(self.ee_pose)


@dataclass(frozen=True, eq=False)
class LabelledFrames(Frames):
    """Decoded frames with state and action. `action[t]` takes frame t to frame t + 1."""

    state: NDArray[np.float32]
    """(N, n_s)."""
    action: NDArray[np.float32]
    """(N, n_a)."""


def labelled(frames: Frames, name: str) -> LabelledFrames:
    """The frames of a source that must have actions; `name` is what an error calls it."""
    if not isinstance(frames, LabelledFrames):
        raise GlamError(f"{name}: an auxiliary set, without {ACTION}; a target set is needed here")
    return frames


class ChunkIndices(NamedTuple):
    """Frame indices of action chunks; (..., H) each."""

    frames: FrameIndices
    """Frames to look up; after the end of an episode its last valid frame, repeated."""
    is_real: NDArray[np.bool_]
    """False where a frame is such a repetition: it must not count in a loss."""


def transitions(table: EpisodeTable) -> FrameIndices:
    """Frame indices t for which t + 1 is in the same episode."""
    return windows(table, 2)


def windows(table: EpisodeTable, length: int) -> FrameIndices:
    """First frame of each window of `length` consecutive frames of one episode; shorter episodes have none."""
    if length < 1:
        raise GlamError(f"windows of {length} frames; at least 1 is needed")
    counts = np.maximum(table.lengths - length + 1, 0)
    if not counts.any():
        longest = table.lengths.max(initial=0)
        raise GlamError(f"no episode has {length} frames, the longest has {longest}; use shorter windows")
    return _ranges(table.starts, counts)


def window_indices(first: ArrayLike, length: int) -> FrameIndices:
    """All frames of the windows that begin at the frames `first`. (...) -> (..., length)."""
    return np.asarray(first, np.int64)[..., None] + np.arange(length)


def held_windows(table: EpisodeTable, first: ArrayLike, length: int) -> FrameIndices:
    """All frames of windows that may reach beyond the end of their episode, where its last frame is repeated."""
    first = np.asarray(first, np.int64)
    return _chunks(first, table.ends[table.episode_of(first)] - 1, length).frames


def action_chunks(table: EpisodeTable, frames: ArrayLike, chunk_size: int) -> ChunkIndices:
    """The `chunk_size` actions from each of `frames` on; every frame has an action. (...) -> (..., H)."""
    frames = np.asarray(frames, np.int64)
    return _chunks(frames, table.ends[table.episode_of(frames)] - 1, chunk_size)


def latent_chunks(table: EpisodeTable, frames: ArrayLike, chunk_size: int) -> ChunkIndices:
    """The `chunk_size` latent actions from each of `frames` on, in arrays with one entry per frame. (...) -> (..., H).

    The last frame of an episode has no latent action: a chunk from there repeats the one before it, none of it real.
    """
    frames = np.asarray(frames, np.int64)
    episodes = table.episode_of(frames)
    if (table.lengths[episodes] < 2).any():
        raise GlamError("an episode of 1 frame has no latent actions; leave such episodes out")
    return _chunks(frames, table.ends[episodes] - 2, chunk_size)


def _chunks(frames: FrameIndices, last: FrameIndices, chunk_size: int) -> ChunkIndices:
    wanted = window_indices(frames, chunk_size)
    return ChunkIndices(np.minimum(wanted, last[..., None]), wanted <= last[..., None])


def _ranges(starts: FrameIndices, counts: FrameIndices) -> FrameIndices:
    """starts[0], starts[0] + 1, ... (counts[0] of them), then those of starts[1], and so on."""
    skipped = np.cumsum(counts) - counts
    return np.repeat(starts - skipped, counts) + np.arange(counts.sum())


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
        return self._items[np.concatenate(parts)]


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
