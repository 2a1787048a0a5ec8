"""Frame indices of transitions, windows and action chunks; none crosses the end of an episode.

Index law: `action[t]` takes `observation[t]` to `observation[t + 1]`. An episode of T frames has T actions, the last
one with no frame after it, and T - 1 transitions; so latent actions exist for t = 0 .. T - 2 only.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from glam.core.errors import GlamError

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
