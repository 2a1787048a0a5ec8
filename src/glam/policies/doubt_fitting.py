"""Doubt of a trained policy, from frames of its training and held-out episodes."""

from collections.abc import Sequence

import numpy as np
import torch

from glam.data.normalizer import Normalizer
from glam.data.windows import FrameIndices
from glam.policies.doubt import Doubt, Floats, fitted
from glam.policies.sources import PolicySource
from glam.policies.trained import Policy
from glam.training.batches import on_device

MOST_FRAMES = 1024
"""Training frames that are kept, spread evenly over all sources; and held-out ones that are looked at."""
_AT_ONCE = 64


@torch.no_grad()
def fit_doubt(policy: Policy, sources: Sequence[PolicySource], normalizer: Normalizer) -> Doubt:
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


def _features(policy: Policy, source: PolicySource, indices: FrameIndices, normalizer: Normalizer) -> Floats:
    device, found = next(policy.parameters()).device, []
    for part in np.array_split(indices, -(-len(indices) // _AT_ONCE)):
        observed = on_device(source.observations(part, normalizer), device)
        found.append(policy.observation.seen(policy.observation(observed)).cpu().numpy())
    return np.concatenate(found).astype(np.float32)
