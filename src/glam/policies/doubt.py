"""Doubt: how far an observation lies from those that a policy was trained on.

It is the mean distance to the nearest training frames, in the space of visual code and pose, reduced to its principal
axes. The unit is a quantile of the same distance on held-out episodes of the target: a doubt of 1 is exceeded in one of
twenty frames that are as usual, and a doubt of 3 hardly ever. The robot's state is left out, since auxiliary sources
have none.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.data.normalizer import Normalizer
from glam.data.windows import FrameIndices
from glam.training.batches import on_device

if TYPE_CHECKING:  # both know the doubt, which is stored with a policy
    from glam.policies.sources import PolicySource
    from glam.policies.trained import Policy

Floats = NDArray[np.float32]

AXES = 16
"""Principal axes that are kept."""
NEAREST = 5
QUANTILE = 0.95
"""Share of the held-out frames whose doubt is below 1."""
_FLOOR = 1e-3
MOST_FRAMES = 1024
"""Training frames that are kept, spread evenly over all sources; and held-out ones that are looked at."""
_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class Doubt:
    """Training frames in a small space, and the unit of distances to them."""

    mean: Floats
    """(f,) of the features."""
    axes: Floats
    """(f, k): features without their mean to that space."""
    known: Floats
    """(m, k) training frames."""
    unit: float

    def of(self, features: Floats) -> Floats:
        """Doubt about observations with these features. (B, f) -> (B,)."""
        places = (features - self.mean) @ self.axes
        squares = ((places[:, None] - self.known[None]) ** 2).sum(axis=-1)
        nearest = np.sqrt(np.sort(squares, axis=1)[:, :NEAREST])
        found: Floats = nearest.mean(axis=1).astype(np.float32) / np.float32(self.unit)
        return found

    def to_json(self) -> dict[str, Any]:
        """Plain JSON."""
        return {"unit": self.unit, **{name: _packed(getattr(self, name)) for name in ("mean", "axes", "known")}}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Doubt":
        """The inverse of `to_json`."""
        try:
            parts = {name: _unpacked(value[name]) for name in ("mean", "axes", "known")}
            unit = float(value["unit"])
        except (KeyError, TypeError, ValueError) as error:
            raise GlamError(f"the doubt of the policy is damaged ({error!r}); train it again") from None
        return cls(**parts, unit=unit)


def fitted(known: Floats, held_out: Floats) -> Doubt:
    """Doubt from features of training frames and of held-out ones. (m, f), (n, f)."""
    mean, scale = known.mean(axis=0), np.maximum(known.std(axis=0), _FLOOR)
    directions = np.linalg.svd((known - mean) / scale, full_matrices=False)[2][:AXES]
    axes = (directions / scale).T.astype(np.float32)
    raw = Doubt(mean.astype(np.float32), axes, ((known - mean) @ axes).astype(np.float32), 1.0)
    unit = max(float(np.quantile(raw.of(held_out), QUANTILE)), 1e-6)
    return Doubt(raw.mean, raw.axes, raw.known, unit)


@torch.no_grad()
def fit_doubt(policy: "Policy", sources: Sequence["PolicySource"], normalizer: Normalizer) -> Doubt:
    """Doubt of a policy that was trained on these sources, of which the first is the target."""
    share = MOST_FRAMES // len(sources)
    known = np.concatenate(
        [_features(policy, one, _some(one.train.frame_indices, share), normalizer) for one in sources]
    )
    target = sources[0]
    held_out = _some(target.split.held_out.frame_indices, MOST_FRAMES)
    return fitted(known, _features(policy, target, held_out, normalizer))


def _some(indices: FrameIndices, count: int) -> FrameIndices:
    """At most `count` of these frames, spread evenly."""
    return indices[np.unique(np.linspace(0, len(indices) - 1, min(count, len(indices))).astype(int))]


def _features(policy: "Policy", source: "PolicySource", indices: FrameIndices, normalizer: Normalizer) -> Floats:
    device, found = next(policy.parameters()).device, []
    for part in np.array_split(indices, -(-len(indices) // _AT_ONCE)):
        observed = on_device(source.observations(part, normalizer), device)
        found.append(policy.observation.seen(policy.observation(observed)).cpu().numpy())
    return np.concatenate(found).astype(np.float32)


def _packed(values: Floats) -> dict[str, Any]:
    return {"shape": list(values.shape), "float32": base64.b64encode(values.astype("<f4").tobytes()).decode()}


def _unpacked(value: dict[str, Any]) -> Floats:
    content = base64.b64decode(value["float32"], validate=True)
    found = np.frombuffer(content, "<f4").reshape(value["shape"]).astype(np.float32)
    if not np.isfinite(found).all():
        raise ValueError("a number that is not finite")
    return found
