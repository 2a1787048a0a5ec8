"""What a world model is trained on. RelabelledSource and unlabelled windows are different types.

Dimension key: B windows of T consecutive frames, C channels (all views stacked), Y x X pixels, p pose entries,
n_s state and n_a action entries, d latent entries. Index law: `action[:, t]` takes frame t to frame t + 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import torch
from torch import Tensor


@dataclass(frozen=True)
class Windows:
    """Windows of frames of any source."""

    image: Tensor
    """(B, T, C, Y, X) in 0..1: RGB or object masks."""
    pose: Tensor
    """(B, T, p) normalized end-effector poses."""
    idm_pose: Tensor
    """The same as GLAM's inverse dynamics sees them: while training, turned a little at random. Otherwise equal."""


@dataclass(frozen=True)
class LabelledWindows(Windows):
    """Windows of the target robot."""

    state: Tensor
    """(B, T, n_s) normalized."""
    action: Tensor
    """(B, T, n_a) normalized; the last one of a window leads out of it."""


@dataclass(frozen=True)
class MixedBatch:
    """One training batch: target and auxiliary windows."""

    target: LabelledWindows
    auxiliary: Windows

    @property
    def parts(self) -> tuple[int, int]:
        """How many windows are the target's, and how many are not."""
        return len(self.target.pose), len(self.auxiliary.pose)

    def every(self) -> Windows:
        """All windows, the target's first."""
        return joined([self.target, self.auxiliary])


def joined(parts: Sequence[Windows]) -> Windows:
    """Windows of several sources, one after the other, without what only the target has."""
    return Windows(*(torch.cat([getattr(part, field.name) for part in parts]) for field in fields(Windows)))
