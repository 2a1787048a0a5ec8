"""Features of the hands that sources know, made alike in training.

Where some auxiliary sources know poses and others tracks, a window's features would tell where it is from, and no
alignment could hide that. So every target window of a batch shows only what a random source knows, or all that the
target knows: labels of the target are made from all of it. Where all sources know the same, nothing changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from torch import Tensor, tensor

from glam.data.normalizer import Learnt, Normalizer
from glam.nn.flagged import Flagged
from glam.nn.gaussian import Noise


@dataclass(frozen=True)
class KnownFeatures:
    """The different sets of features that sources know."""

    groups: tuple[int, ...]
    """Sizes of the parts of a pose that may be unknown."""
    kinds: tuple[tuple[bool, ...], ...]
    """Which of them a source ever knows in training; each kind once."""

    @classmethod
    def of(cls, sources: Sequence[Learnt], normalizer: Normalizer) -> Self:
        """Features that the sources of a training know."""
        kinds = dict.fromkeys(_known(source, normalizer) for source in sources)
        return cls(normalizer.groups, tuple(kinds))

    def alike(self, pose: Tensor, idm_pose: Tensor, noise: Noise) -> tuple[Tensor, Tensor]:
        """Poses of target windows, and those that the IDM sees, each window with the features of a random kind."""
        if len(self.kinds) == 1:
            return pose, idm_pose
        keeps = tensor(self.kinds)[noise.integers(len(self.kinds), len(pose))][:, None]
        pose, idm_pose = (Flagged(self.groups).kept(part, keeps) for part in (pose, idm_pose))
        return pose, idm_pose


def _known(source: Learnt, normalizer: Normalizer) -> tuple[bool, ...]:
    rows, count = source.train.frame_indices, len(normalizer.groups)
    hands = normalizer.hands(source.frames.ee_pose[rows], source.frames.ee_tracks[rows])
    flags = hands[:, hands.shape[1] - count :]
    return tuple(bool(part.any()) for part in flags.T)
