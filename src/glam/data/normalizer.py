"""The normalizers of a training, which the world models of stage 1 and the policies of stage 2 carry along."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from glam.data import feature_normalizer
from glam.data.feature_normalizer import FeatureNormalizer, Vector
from glam.data.frames import Frames, LabelledFrames
from glam.data.schema import ACTION, EE_POSE, STATE
from glam.data.windows import EpisodeTable

VectorNormalizer = FeatureNormalizer[Vector]

_POSE_FLOOR = 0.05
"""Least spread of a pose entry that counts as motion: 5 cm, 3 degrees, 5 % of the stroke. An arm's tilt under its
servos' lag is less; scaled up to unit variance it would dominate everything else and identify the source."""
_LATENT_FLOOR = 1e-3
"""Least spread of a latent entry that counts: the scale of a quantised latent follows from its codes alone."""


class Learnt(Protocol):
    """One dataset, of which some episodes are learnt from."""

    @property
    def frames(self) -> Frames:
        """Everything, learnt from or not."""

    @property
    def train(self) -> EpisodeTable:
        """The episodes that are learnt from."""


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
        """Statistics of the training rows; poses are pooled over all sources."""
        rows = target.train.frame_indices
        poses = [source.frames.ee_pose[source.train.frame_indices] for source in (target, *others)]
        return cls(
            pose=feature_normalizer.fit(EE_POSE, poses, floor=_POSE_FLOOR),
            state=feature_normalizer.fit(STATE, [target.frames.state[rows]]),
            action=feature_normalizer.fit(ACTION, [target.frames.action[rows]]),
        )

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Normalizer":
        """The inverse of `to_json`."""
        return cls(*(feature_normalizer.from_json(feature, value.get(feature)) for feature in (EE_POSE, STATE, ACTION)))

    def to_json(self) -> dict[str, dict[str, list[float]]]:
        """Plain JSON by the names of features."""
        parts = {EE_POSE: self.pose, STATE: self.state, ACTION: self.action}
        return {feature: feature_normalizer.to_json(scale) for feature, scale in parts.items()}


def of_latents(parts: Iterable[Vector]) -> VectorNormalizer:
    """FeatureNormalizer of the latent actions (M, d) of all sources together."""
    return feature_normalizer.fit("latent action", parts, floor=_LATENT_FLOOR)
