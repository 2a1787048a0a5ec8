"""Every kind of finding: how grave it is and what to do about it. What exactly is wrong, each finding says itself."""

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]

_RESTORE = "restore the file from a copy, or record or convert the dataset again"
_DROP = "leave the episode out, or record it again"


@dataclass(frozen=True)
class Kind:
    """One kind of finding."""

    severity: Severity
    remedy: str


def _error(remedy: str) -> Kind:
    return Kind("error", remedy)


def _warning(remedy: str) -> Kind:
    return Kind("warning", remedy)


KINDS: dict[str, Kind] = {
    # Files
    "unreadable": _error(_RESTORE),
    "file-missing": _error(_RESTORE),
    "checksum": _error(f"{_RESTORE}; its content is not what was recorded"),
    "manifest": _error(_RESTORE),
    "unfinished": _error("run the command that records it again: it goes on where it stopped"),
    "leftover": _warning("delete it: a crash left it behind"),
    "file-unknown": _warning("delete it if nothing needs it: no episode refers to it"),
    "path-outside": _error("name only files below the dataset's folder"),
    # Description: info.json, episodes, tasks, role
    "info": _error("correct the entry in meta/info.json"),
    "version": _error("convert the dataset to LeRobot v3.0 with LeRobot's own converter"),
    "feature": _error("correct the entry in meta/info.json"),
    "camera-sizes": _warning("bring all cameras to one size before training on the set"),
    "role": _error("keep nothing but images, masks and poses in an auxiliary set, or declare it a target"),
    "count": _error("correct the number in meta/info.json"),
    "episodes-table": _error(_RESTORE),
    "episode-length": _error("correct meta/episodes, or restore the missing frames from a copy"),
    "episode-short": _error("leave the episode out: a transition needs two frames"),
    "episode-missing": _error(_RESTORE),
    "task": _error("give every episode a task sentence that meta/tasks.parquet lists"),
    # Rows of the data files
    "column": _error("make the columns and the features of meta/info.json agree"),
    "vector-length": _error("store as many values as meta/info.json declares for the feature"),
    "frame-gap": _error(f"{_DROP}: its frames are not one after the other"),
    "fps": _error("set fps in meta/info.json to the true rate, or resample what differs from it"),
    "stats": _error("recompute meta/stats.json from the data"),
    "duplicate": _warning("remove one of the two: a repeated episode counts double in training"),
    # Values
    "not-finite": _error(_DROP),
    "rotation": _error("store the first two columns of a rotation matrix: unit length, at right angles"),
    "units-length": _error("store positions in metres"),
    "units-angle": _warning("store joint positions in radians"),
    "gripper-range": _error("store the opening in units of 10 cm or as a share of the stroke, 0 closed and 1 at most"),
    "gripper-constant": _warning("check that the gripper was recorded; ignore this if the task never moves it"),
    "teleport": _warning("check the pose tracking at that moment, and leave the episode out if it is wrong"),
    "joint-jump": _warning("unwrap joint angles so that they run on past a full turn"),
    "action-shift": _warning("store the command that leads from this frame to the next, not the one that led here"),
    # Images
    "video-frames": _error(f"{_DROP}: its frames and its rows no longer belong together"),
    "video-times": _error("encode the video again with a constant frame rate"),
    "image-size": _error("make the images and the shape in meta/info.json agree"),
    "image-blank": _warning("check the camera, and leave the episode out if the images are missing"),
    "video-frozen": _warning("check that the camera was running"),
    "mask-values": _error("store 0 for background and 255 for the object, losslessly"),
    "mask-empty": _error("check the segmentation: no camera ever sees the object"),
    "mask-unseen": _warning("check the segmentation, or move the camera so that it sees the object"),
    "mask-equal": _warning("check the segmentation: two objects have the same mask"),
}  # fmt: skip
