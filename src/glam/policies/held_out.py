"""How well a policy predicts demonstrations that it did not learn from: all that can be known without a robot."""

import math
from dataclasses import dataclass

import numpy as np
import torch

from glam.data.normalizer import Normalizer
from glam.policies.sources import TargetRowsSource, recorded
from glam.policies.trained import Policy
from glam.training.batches import on_device

_AT_ONCE = 64


@dataclass(frozen=True)
class HeldOut:
    """Errors of predicted chunks."""

    action_error: float
    """Mean squared error of all steps of a chunk, in variances of the actions: 1 is no better than the mean action."""
    first_action_error: float
    """Of the first step alone."""
    frames: int
    keypoint_error: float = 0.0
    """How far off the eyes find the objects: root mean square in pixels; 0 where no mask tells where they are."""


@torch.no_grad()
def held_out_error(policy: Policy, target: TargetRowsSource, normalizer: Normalizer) -> HeldOut:
    """Of the target's episodes that are not trained on; its weights stay as they are."""
    rows = np.setdiff1d(target.frames.episodes.rows, target.train.rows)
    device = next(policy.parameters()).device
    errors, weights, missed, seen = [], [], 0.0, 0.0
    for part in np.array_split(rows, -(-len(rows) // _AT_ONCE)):
        batch = on_device(recorded(target, part, normalizer, policy.head.shape[0]), device)
        errors.append(((policy.act(batch.seen) - batch.actions.values) ** 2).mean(-1).cpu())
        weights.append(batch.actions.is_real.float().cpu())
        lesson = batch.keypoints
        missed += float(((policy.condition.found(batch.seen) - lesson.centroids) ** 2 * lesson.is_seen).sum())
        seen += float(lesson.is_seen.sum())
    error, weight = torch.cat(errors), torch.cat(weights)
    pixels = (policy.condition.config.vision.pixels - 1) / 2 * math.sqrt(missed / max(seen, 1.0))
    return HeldOut(float((error * weight).sum() / weight.sum()), float(error[:, 0].mean()), len(rows), pixels)
