"""Training batches of a world model. Labelled and unlabelled windows are different types.

Dimension key: B windows of T consecutive frames, C channels (all views stacked), Y x X pixels, p pose entries,
n_s state and n_a action entries, d latent entries. Index law: `action[:, t]` takes frame t to frame t + 1.
"""

from dataclasses import dataclass

from torch import Tensor

from glam.training.batches import concatenated


@dataclass(frozen=True)
class Windows:
    """Windows of frames of any source."""

    image: Tensor
    """(B, T, C, Y, X) in 0..1: RGB or object masks."""
    pose: Tensor
    """(B, T, p) normalized end-effector poses."""
    idm_pose: Tensor
    """(B, T, p) the same poses as GLAM's IDM sees them: in training with rotation noise, otherwise equal to `pose`."""


@dataclass(frozen=True)
class LabelledWindows(Windows):
    """Windows of the target robot."""

    state: Tensor
    """(B, T, n_s) normalized."""
    action: Tensor
    """(B, T, n_a) normalized; the last action of a window leads out of it."""

    def unlabelled(self) -> Windows:
        """The same windows without robot state and action."""
        return Windows(self.image, self.pose, self.idm_pose)


@dataclass(frozen=True)
class MixedBatch:
    """One training batch: target and auxiliary windows."""

    target: LabelledWindows
    auxiliary: Windows

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of target windows and of auxiliary windows."""
        return len(self.target.pose), len(self.auxiliary.pose)

    def every(self) -> Windows:
        """All windows, the target's first."""
        return concatenated([self.target.unlabelled(), self.auxiliary])
