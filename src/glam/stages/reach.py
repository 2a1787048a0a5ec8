"""Reach of the target robot: remarks on episodes of an auxiliary dataset whose poses it cannot take."""

from pathlib import Path

import numpy as np

from glam.core.errors import GlamError
from glam.core.workers import Progress, no_progress
from glam.data.cache import decoded
from glam.data.quality import Remark
from glam.data.reader import Dataset
from glam.data.windows import labelled
from glam.stages.retargeted import FARTHEST_DEGREES, FARTHEST_MM, joint_path
from glam.stages.target_robot import RobotModel, retargeter_of

_SMALLEST = 8
"""Pixels to which images are shrunk, since none is looked at."""
_FAR = 30.0
"""Millimetres by which a pose is missed that are far out of reach."""
_MANY = 0.1
"""Share of the frames of an episode that is much."""


def reach_remarks(
    root: Path, target: Path, model: RobotModel | None, progress: Progress = no_progress
) -> list[tuple[int, Remark]]:
    """A remark on each episode with a pose that the robot of the dataset `target` cannot reach."""
    dataset = Dataset.open(root)
    if not dataset.schema.has_pose:
        raise GlamError(f"{root}: has no end-effector poses, so nothing is known of their reach; leave --target out")
    frames, known = decoded(dataset, _SMALLEST), labelled(decoded(Dataset.open(target), _SMALLEST), str(target))
    paths = joint_path(retargeter_of(target, known, model), frames, progress)
    millimetres, degrees = 1000.0 * paths.misses[:, 0], np.degrees(paths.misses[:, 1])
    found = []
    for episode, (first, last) in enumerate(zip(frames.episodes.starts, frames.episodes.ends, strict=True)):
        missed = (millimetres[first:last] > FARTHEST_MM) | (degrees[first:last] > FARTHEST_DEGREES)
        if missed.any():
            worst = float(millimetres[first:last].max())
            is_grave = missed.mean() > _MANY and worst > _FAR
            words = f"the robot cannot take {int(missed.sum())} of {len(missed)} poses, the worst by {worst:.0f} mm"
            found.append((episode, Remark("leave out" if is_grave else "look", "reach", words, int(missed.argmax()))))
    return found
