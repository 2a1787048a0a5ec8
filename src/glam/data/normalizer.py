"""Normalizers: per-dimension z-scores, with statistics that world models and policies carry along."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from glam.core.errors import GlamError
from glam.data.schema import ACTION, EE_POSE, STATE
from glam.data.windows import EpisodeTable, Frames, LabelledFrames

Vector = NDArray[np.float32]
# A numpy array, or any other array with arithmetic, such as a torch tensor.
Array = TypeVar("Array", bound=Any)
Other = TypeVar("Other", bound=Any)

FLOOR = 1e-2
"""Least standard deviation by default: a centimetre, 0.6 degrees or a hundredth of the gripper's stroke.

A dimension that hardly moves in training may move on the robot; divided by its tiny deviation it would drown the rest.
"""


@dataclass(frozen=True, eq=False)
class FeatureNormalizer(Generic[Array]):
    """The statistics of one feature."""

    mean: Array
    """(n,)."""
    std: Array
    """(n,), never below the floor it was made with."""

    def normalize(self, values: Array) -> Array:
        """(..., n) on a scale of zero mean and unit deviation; a dimension that was constant becomes 0."""
        return (values - self.mean) / self.std

    def denormalize(self, values: Array) -> Array:
        """The inverse of `normalize`."""
        return values * self.std + self.mean

    def map(self, convert: Callable[[Array], Other]) -> "FeatureNormalizer[Other]":
        """The same statistics as another kind of array, such as `normalizer.map(torch.from_numpy)`."""
        return FeatureNormalizer(convert(self.mean), convert(self.std))


def fit(feature: str, sources: Iterable[ArrayLike], floor: float = FLOOR) -> FeatureNormalizer[Vector]:
    """Statistics of a feature over all vectors (N, n) of all sources together; `feature` is what an error names."""
    if not floor > 0.0:
        raise ValueError(f"floor {floor}; it must be positive")
    values = _pooled(feature, sources)
    # In double precision the sum of equal single-precision numbers is exact, and so is the mean of a constant.
    mean, std = values.mean(0), np.maximum(values.std(0), floor)
    return FeatureNormalizer(mean.astype(np.float32), std.astype(np.float32))


def to_json(normalizer: FeatureNormalizer[Vector]) -> dict[str, list[float]]:
    """Plain JSON; single precision survives it exactly."""
    return {"mean": normalizer.mean.tolist(), "std": normalizer.std.tolist()}


def from_json(feature: str, value: Any) -> FeatureNormalizer[Vector]:
    """The inverse of `to_json`; `feature` is what an error names."""
    problem = GlamError(f"normalizer of {feature}: needs lists mean and std of equal length, finite, every std above 0")
    if not isinstance(value, Mapping) or value.keys() != {"mean", "std"}:
        raise problem
    try:
        mean, std = (np.array(value[name], np.float32) for name in ("mean", "std"))
    except (TypeError, ValueError):
        raise problem from None
    if mean.ndim != 1 or mean.shape != std.shape or not (np.isfinite(mean) & np.isfinite(std) & (std > 0)).all():
        raise problem
    return FeatureNormalizer(mean, std)


def _pooled(feature: str, sources: Iterable[ArrayLike]) -> NDArray[np.float64]:
    tables = [np.asarray(source, np.float64) for source in sources]
    widths = {table.shape[1:] for table in tables}
    if len(widths) > 1 or any(table.ndim != 2 for table in tables):
        shapes = ", ".join(str(table.shape) for table in tables)
        raise GlamError(f"{feature}: sources of shapes {shapes}; all must have vectors of the same length")
    if sum(map(len, tables)) == 0:
        raise GlamError(f"{feature}: no frames to take statistics of; at least 1 is needed")
    values = np.concatenate(tables)
    if not np.isfinite(values).all():
        frame, entry = np.argwhere(~np.isfinite(values))[0]
        raise GlamError(
            f"{feature}: entry {entry} is {values[frame, entry]} in frame {frame}; all numbers must be finite"
        )
    return values


VectorNormalizer = FeatureNormalizer[Vector]

_POSE_FLOOR = 0.05
"""Least spread of a pose entry that counts as motion: 5 cm, 3 degrees, 5 % of the stroke. An arm's tilt under its
servos' lag is less; scaled up to unit variance it would dominate everything else and identify the source."""
_LATENT_FLOOR = 1e-3
"""Least spread of a latent entry that counts: the scale of a quantised latent follows from its codes alone."""


class Learnt(Protocol):
    """One dataset, of which some episodes are for training."""

    @property
    def frames(self) -> Frames:
        """All frames, also of held-out episodes."""

    @property
    def train(self) -> EpisodeTable:
        """The training episodes."""


class LearntTarget(Learnt, Protocol):
    """The labelled dataset."""

    @property
    def frames(self) -> LabelledFrames:
        """Everything, with states and actions."""


@dataclass(frozen=True)
class Normalizer:
    """Normalizers of everything that goes into a network or comes out of it."""

    pose: VectorNormalizer
    state: VectorNormalizer
    action: VectorNormalizer

    @classmethod
    def fit(cls, target: LearntTarget, others: Sequence[Learnt]) -> "Normalizer":
        """Statistics of the training frames; poses are pooled over all sources."""
        indices = target.train.frame_indices
        poses = [source.frames.ee_pose[source.train.frame_indices] for source in (target, *others)]
        return cls(
            pose=fit(EE_POSE, poses, floor=_POSE_FLOOR),
            state=fit(STATE, [target.frames.state[indices]]),
            action=fit(ACTION, [target.frames.action[indices]]),
        )

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Normalizer":
        """The inverse of `to_json`."""
        if not isinstance(value, Mapping):
            raise GlamError("normalizer: must be an object with an entry for each feature")
        return cls(*(from_json(feature, value.get(feature)) for feature in (EE_POSE, STATE, ACTION)))

    def to_json(self) -> dict[str, dict[str, list[float]]]:
        """Plain JSON by the names of features."""
        parts = {EE_POSE: self.pose, STATE: self.state, ACTION: self.action}
        return {feature: to_json(part) for feature, part in parts.items()}


def of_latents(parts: Iterable[Vector]) -> VectorNormalizer:
    """Normalizer of the latent actions (M, d) of all sources together."""
    return fit("latent action", parts, floor=_LATENT_FLOOR)
