"""Normalizers: per-dimension z-scores, with statistics that world models and policies carry along.

A source's hands are one vector for every frame: poses, then tracks, then a flag for everything that may be unknown,
which is 0 there like the numbers themselves. Points may be hidden or not tracked; poses have a flag only where some
sources lack them. Where all have poses and none has tracks, the vector is the normalized poses.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from glam.core.errors import GlamError
from glam.data.schema import ACTION, EE_POSE, STATE
from glam.data.tracks import EE_TRACKS, MIDDLE, points_of
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
_PLACE_FLOOR = 0.025
"""Least spread of a tracked place that counts as motion, in units of the image."""
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


NOTHING = FeatureNormalizer(np.zeros(0, np.float32), np.zeros(0, np.float32))
"""Of a feature that there is not."""
_OPTIONAL = "optional"
"""Entry that lists the features that some sources do not have."""


@dataclass(frozen=True)
class Normalizer:
    """Normalizers of everything that goes into a network or comes out of it."""

    pose: VectorNormalizer
    state: VectorNormalizer
    action: VectorNormalizer
    tracks: VectorNormalizer = NOTHING
    """Of the places of all tracked points, two entries each."""
    is_pose_optional: bool = False
    """True if some source has no poses."""

    @classmethod
    def fit(cls, target: LearntTarget, others: Sequence[Learnt]) -> "Normalizer":
        """Statistics of the training frames; poses and tracks are pooled over all sources that have them."""
        indices = target.train.frame_indices
        sources = (target, *others)
        poses = [source.frames.ee_pose[source.train.frame_indices] for source in sources]
        tracks = [source.frames.ee_tracks[source.train.frame_indices] for source in sources if _has_tracks(source)]
        with_pose = [part for part in poses if part.shape[1]]
        return cls(
            pose=fit(EE_POSE, with_pose or poses, floor=_POSE_FLOOR),
            state=fit(STATE, [target.frames.state[indices]]),
            action=fit(ACTION, [target.frames.action[indices]]),
            tracks=_fit_places(tracks) if tracks else NOTHING,
            is_pose_optional=0 < len(with_pose) < len(poses),
        )

    @property
    def groups(self) -> tuple[int, ...]:
        """Sizes of the parts of a hand vector that may be unknown: poses, if optional, and every tracked point."""
        poses = (len(self.pose.mean),) if self.is_pose_optional else ()
        return poses + (2,) * (len(self.tracks.mean) // 2)

    @property
    def hand_size(self) -> int:
        """Entries of a hand vector, its flags included."""
        return len(self.pose.mean) + len(self.tracks.mean) + len(self.groups)

    def hands(self, poses: Vector, tracks: Vector) -> Vector:
        """Hand vectors. (..., 10 K) and (..., 3 P) -> (..., hand_size); what a source does not have is 0 wide."""
        shape = poses.shape[:-1]
        has_pose = poses.shape[-1] > 0
        values = [self.pose.normalize(poses) if has_pose else np.zeros((*shape, len(self.pose.mean)), np.float32)]
        flags = [np.full((*shape, 1), has_pose, np.float32)] if self.is_pose_optional else []
        if count := len(self.tracks.mean) // 2:
            known = tracks if tracks.shape[-1] else np.zeros((*shape, 3 * count), np.float32)
            points = known.reshape(*shape, count, 3)
            seen = points[..., 2:]
            places = self.tracks.normalize(points[..., :2].reshape(*shape, 2 * count)).reshape(*shape, count, 2)
            values.append((places * seen).reshape(*shape, 2 * count))
            flags.append(seen[..., 0])
        return np.concatenate([*values, *flags], axis=-1) if len(values) > 1 or flags else values[0]

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Normalizer":
        """The inverse of `to_json`."""
        if not isinstance(value, Mapping):
            raise GlamError("normalizer: must be an object with an entry for each feature")
        pose, state, action = (from_json(feature, value.get(feature)) for feature in (EE_POSE, STATE, ACTION))
        tracks = from_json(EE_TRACKS, value[EE_TRACKS]) if EE_TRACKS in value else NOTHING
        return cls(pose, state, action, tracks, is_pose_optional=EE_POSE in value.get(_OPTIONAL, {}))

    def to_json(self) -> dict[str, Any]:
        """Plain JSON by the names of features."""
        parts: dict[str, Any] = {EE_POSE: to_json(self.pose), STATE: to_json(self.state), ACTION: to_json(self.action)}
        if len(self.tracks.mean):
            parts[EE_TRACKS] = to_json(self.tracks)
        return parts | ({_OPTIONAL: {EE_POSE: []}} if self.is_pose_optional else {})


def _has_tracks(source: Learnt) -> bool:
    return source.frames.ee_tracks.shape[1] > 0


def _fit_places(sources: Sequence[Vector]) -> VectorNormalizer:
    """Statistics of the places of every point in the frames in which it is seen."""
    places, seen = zip(*map(points_of, sources), strict=True)
    every, is_seen = np.concatenate(places).astype(np.float64), np.concatenate(seen)
    means, deviations = [], []
    for point in range(every.shape[1]):
        rows = every[is_seen[:, point], point]
        rows = rows if len(rows) else np.full((1, 2), MIDDLE)
        means.append(rows.mean(0))
        deviations.append(np.maximum(rows.std(0), _PLACE_FLOOR))
    return FeatureNormalizer(*(np.concatenate(part).astype(np.float32) for part in (means, deviations)))


def of_latents(parts: Iterable[Vector]) -> VectorNormalizer:
    """Normalizer of the latent actions (M, d) of all sources together."""
    return fit("latent action", parts, floor=_LATENT_FLOOR)
