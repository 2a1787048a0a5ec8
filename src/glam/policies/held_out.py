"""Prediction error of a policy on held-out demonstrations: all that can be known without a robot.

It does not rank policies by success: a policy can predict demonstrations worse and succeed more often.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch

from glam.data.normalizer import Normalizer
from glam.policies.sources import LabelledPolicySource, recorded
from glam.policies.trained import Policy
from glam.training.batches import on_device

_AT_ONCE = 64


@dataclass(frozen=True)
class HeldOut:
    """Errors of predicted chunks."""

    action_error: float
    """Mean squared error of all steps of a chunk, in variances of the actions: 1 is that of the mean action."""
    first_action_error: float
    """The same for the first step alone."""
    frames: int
    keypoint_error: float = 0.0
    """Root mean square error of predicted keypoints in pixels; 0 for datasets without masks."""


@torch.no_grad()
def held_out_error(policy: Policy, target: LabelledPolicySource, normalizer: Normalizer) -> HeldOut:
    """Errors on the target's held-out episodes."""
    rows = np.setdiff1d(target.frames.episodes.frame_indices, target.train.frame_indices)
    device = next(policy.parameters()).device
    errors, weights, missed, visible = [], [], 0.0, 0.0
    for part in np.array_split(rows, -(-len(rows) // _AT_ONCE)):
        batch = on_device(recorded(target, part, normalizer, policy.head.shape[0]), device)
        errors.append(((policy.act(batch.observed) - batch.actions.values) ** 2).mean(-1).cpu())
        weights.append(batch.actions.is_real.float().cpu())
        found, truth = policy.observation.keypoints(batch.observed), batch.keypoints
        missed += float(((found - truth.centroids) ** 2 * truth.is_seen).sum())
        visible += float(truth.is_seen.sum())
    error, weight = torch.cat(errors), torch.cat(weights)
    pixels = (policy.observation.config.encoder.pixels - 1) / 2 * math.sqrt(missed / max(visible, 1.0))
    return HeldOut(float((error * weight).sum() / weight.sum()), float(error[:, 0].mean()), len(rows), pixels)
