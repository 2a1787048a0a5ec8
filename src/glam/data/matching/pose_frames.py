"""Comparison of the frames in which two sets have their poses, measured by the objects that their hands carry."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from glam.data.carried_objects import (
    CarriedMotion,
    CarryModel,
    HandPath,
    gravity_in_tool,
    grips,
    paths_of,
    view_mismatch,
)
from glam.data.demonstrations import shared
from glam.data.manifest import ALIGNED
from glam.data.reader import Dataset

Case = Literal["common", "aligned", "constant", "per-episode", "own", "cameras", "unknown"]

MOST_EPISODES = 25
"""Episodes of each set that are looked at, spread evenly."""
_SCATTER = 3.0
"""An error counts where it is larger by this factor than what the method finds in the target itself."""
_LEAST_MM, _LEAST_DEGREES = 15.0, 2.5
"""Smaller errors are not told from none."""
_OWN_DEGREES = 30.0
"""Median difference of headings from which every episode has a frame of its own."""
_TILTED = 3.0
"""Degrees by which the vertical differs in the frames of two tools that are not turned alike."""
_ELSEWHERE, _LEAST_ELSEWHERE = 3.0, 0.03
"""Misfit of the views, against the target's own and in halves of an image, from which cameras stand elsewhere."""
_SAME_GRIP = 0.06
"""Difference of the openings around the same objects from which grippers are read in other units."""


@dataclass(frozen=True)
class PoseFrame:
    """The poses of one auxiliary set in the target's frame."""

    case: Case
    reason: str = ""
    """Why it is unknown, or how well it is."""
    shift_mm: float = 0.0
    """Median shift of all episodes: the error that they share."""
    scatter_mm: float = 0.0
    """Median difference of an episode from it, with what the method itself adds."""
    scatter_degrees: float = 0.0
    tilt_degrees: float = 0.0
    """Turn of the tool against the target's."""
    precision: tuple[float, float] = (0.0, 0.0)
    """Millimetres and degrees of scatter that the method finds in the target itself."""
    grips: tuple[float, float] | None = None
    """Openings around the same objects, this set's and the target's, where they are read in other units."""

    @property
    def words(self) -> str:
        """All of it for a table."""
        least = f"{self.limits[0]:.0f} mm and {self.limits[1]:.1f} degrees"
        found: dict[Case, str] = {
            "unknown": f"not measured: {self.reason}",
            "cameras": "not measured: cameras stand elsewhere",
            "own": "own frame in every episode",
            "per-episode": f"off by {self.scatter_mm:.0f} mm, {self.scatter_degrees:.0f} degrees, else in each episode",
            "constant": f"off by {self.shift_mm:.0f} mm, tool turned {self.tilt_degrees:.0f} degrees, in all episodes",
            "common": f"the target's, to {least}",
            "aligned": f"aligned with a target's; {self.reason}",
        }
        return found[self.case]

    @property
    def limits(self) -> tuple[float, float]:
        """Millimetres and degrees below which an error is not told from none."""
        return max(_SCATTER * self.precision[0], _LEAST_MM), max(_SCATTER * self.precision[1], _LEAST_DEGREES)


def pose_frame(target: Dataset, other: Dataset) -> PoseFrame:
    """Measure the frame of an auxiliary set."""
    common = shared([target.schema, other.schema])
    if notes := other.provenance.get("description", {}).get(ALIGNED):
        return PoseFrame("aligned", f"one frame tells the tool to {notes['sigma_mm']:.0f} mm")
    if reason := _obstacle(target, other):
        return PoseFrame("unknown", reason)
    mine, its = (paths_of(dataset, common.cameras, chosen(dataset, MOST_EPISODES)) for dataset in (target, other))
    return frame_of(mine, its)


def _obstacle(target: Dataset, other: Dataset) -> str:
    common = shared([target.schema, other.schema])
    if not common.has_pose:
        return "not both have poses"
    if len(target.schema.arms) != 1 or target.schema.arms != other.schema.arms:
        return "more than one arm"
    if not common.has_masks or not common.cameras:
        return "needs masks of the same objects in a camera of both"
    return ""


def chosen(dataset: Dataset, most: int) -> list[int]:
    """Episodes of a set, spread evenly."""
    count = len(dataset.episodes)
    return sorted({round(place) for place in np.linspace(0, count - 1, min(count, most))})


def frame_of(mine: Sequence[HandPath], its: Sequence[HandPath]) -> PoseFrame:
    """The same of episodes of the target, `mine`, and of the other set."""
    model = CarryModel.fit(mine)
    if model is None:
        return PoseFrame("unknown", "hardly anything is carried in the target")
    own, found = ([model.motion(path) for path in part] for part in (mine, its))
    told = [motion for motion in found if motion.frames]
    if not told:
        return PoseFrame("unknown", "nothing is carried in this set")
    shift, (scatter, turn) = float(np.linalg.norm(_middle(told))), _scatter(told)
    precision, tilt = _scatter([motion for motion in own if motion.frames]), _tilt(mine, its)
    measured = PoseFrame("common", "", shift, scatter, turn, tilt, precision, _other_grips(mine, its))
    return replace(measured, case=_case(measured, is_filmed_elsewhere=_stand_elsewhere(mine, its)))


def _case(found: PoseFrame, *, is_filmed_elsewhere: bool) -> Case:
    millimetres, degrees = found.limits
    if found.scatter_degrees > _OWN_DEGREES:
        return "own"
    if is_filmed_elsewhere:
        return "cameras"
    if found.scatter_mm > millimetres or found.scatter_degrees > degrees:
        return "per-episode"
    return "constant" if found.shift_mm > millimetres or found.tilt_degrees > _TILTED else "common"


def _middle(motions: Sequence[CarriedMotion]) -> NDArray[np.float64]:
    return np.asarray(1000.0 * np.median([motion.moved for motion in motions], axis=0))


def _scatter(motions: Sequence[CarriedMotion]) -> tuple[float, float]:
    """Median distance from the median, in millimetres, and median difference from the usual heading, in degrees."""
    moved = 1000.0 * np.array([motion.moved for motion in motions])
    turns = np.exp(1j * np.array([motion.heading for motion in motions]))
    usual = turns.mean() / max(abs(turns.mean()), 1e-9)
    distances = np.linalg.norm(moved - np.median(moved, axis=0), axis=1)
    return float(np.median(distances)), float(np.degrees(np.median(np.abs(np.angle(turns / usual)))))


def _tilt(mine: Sequence[HandPath], its: Sequence[HandPath]) -> float:
    one, two = (gravity_in_tool(part) for part in (mine, its))
    lengths = float(np.linalg.norm(one)), float(np.linalg.norm(two))
    if min(lengths) < 0.9:  # tools point in many directions
        return 0.0
    return float(np.degrees(np.arccos(np.clip(one @ two / (lengths[0] * lengths[1]), -1.0, 1.0))))


def _stand_elsewhere(mine: Sequence[HandPath], its: Sequence[HandPath]) -> bool:
    usual, found = view_mismatch(mine, mine), view_mismatch(mine, its)
    return usual is not None and found is not None and found > max(_ELSEWHERE * usual, _LEAST_ELSEWHERE)


def _other_grips(mine: Sequence[HandPath], its: Sequence[HandPath]) -> tuple[float, float] | None:
    known, found = grips(mine), grips(its)
    if known is None or found is None or abs(found[0] - found[1]) < _SAME_GRIP:
        return None  # nothing carried, or a gripper that is not measured
    if abs(known[0] - found[0]) < _SAME_GRIP:
        return None
    return found[0], known[0]
