"""Features of a demonstration: their names, shapes and meaning.

Dimension key: T frames of one episode, N frames of a whole set, Y x X pixels, C mask channels, K arms.

| feature                       | shape     | where     | meaning                                                      |
|-------------------------------|-----------|-----------|--------------------------------------------------------------|
| `observation.images.<camera>` | (Y, X, 3) | every set | RGB, video                                                   |
| `observation.masks.<camera>`  | (Y, X, C) | every set | one channel per object, 0 or 255, lossless PNG               |
| `observation.ee_pose`         | (10 K,)   | every set | per arm: position (m), rotation (6-D), gripper opening 0..1  |
|                               |           |           | (1: 10 cm between the pads); world frame, common tool point; |
|                               |           |           | absent if it was not recorded, see `Schema.has_pose`         |
| `observation.ee_tracks`       | (6 K V,)  | every set | per arm, camera and finger: u, v, visible, see `tracks`; V   |
|                               |           |           | is the number of `Schema.track_cameras`, often 0             |
| `observation.state`           | (n_s,)    | target    | joint positions (rad) and gripper opening 0..1 of each arm   |
| `action`                      | (n_a,)    | target    | absolute joint targets (rad) and gripper command 0..1;       |
|                               |           |           | in adopted sets the robot's own commands, of which some      |
|                               |           |           | entries may be deltas, see `Schema.delta_actions`            |

Index law: `action[t]` takes `observation[t]` to `observation[t + 1]`. An auxiliary set has neither state nor action.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.data.tracks import EE_TRACKS, track_names

LARGEST_VALUE = 1e8
"""Largest reading or command that is believed. One number beyond it would drown all others in their statistics."""
EE_POSE = "observation.ee_pose"
OPENING_UNIT = 0.1
"""Metres between the pads that count as 1 in `observation.ee_pose`; the widest of our hands opens as far."""
STATE = "observation.state"
ACTION = "action"
IMAGE_PREFIX = "observation.images."
MASK_PREFIX = "observation.masks."
POSE_NAMES = ("x", "y", "z", "r11", "r21", "r31", "r12", "r22", "r32", "gripper")
POSE_SIZE = len(POSE_NAMES)
GRIPPER = POSE_NAMES.index("gripper")
DELTA_ACTIONS = "delta_actions"
"""Key in the `info` of the feature `action` that lists its delta entries; without it there are none."""
MOST_MASK_CHANNELS = 4  # what a PNG holds: L, LA, RGB, RGBA

INDEX_FEATURES = {
    "timestamp": "float32",
    "frame_index": "int64",
    "episode_index": "int64",
    "index": "int64",
    "task_index": "int64",
}
"""Features that LeRobot adds to every set, with their types."""

Role = Literal["target", "auxiliary"]


@dataclass(frozen=True)
class Schema:
    """The features of one dataset."""

    fps: int
    """Control rate = frame rate, in Hz."""
    image_size: tuple[int, int]
    """Height and width of images and masks in pixels; both even, as yuv420p video needs."""
    cameras: tuple[str, ...]
    objects: tuple[str, ...]
    """Mask channels, in order; empty when the set has no masks."""
    arms: tuple[str, ...]
    """Names of the arms in the order of `observation.ee_pose`."""
    state_names: tuple[str, ...] = ()
    """Empty exactly in an auxiliary set."""
    action_names: tuple[str, ...] = ()
    has_pose: bool = True
    """False for a set in which no end-effector pose was recorded; only methods without one learn from it."""
    track_cameras: tuple[str, ...] = ()
    """Cameras in which the fingertips are tracked, in the order of `observation.ee_tracks`; empty for none."""
    delta_actions: tuple[str, ...] = ()
    """Entries of `action` that say by how much to move, so that 0 is rest; the others say where to be."""

    def __post_init__(self) -> None:
        """Refuse what cannot be stored."""
        if len(self.objects) > MOST_MASK_CHANNELS:
            raise GlamError(f"{len(self.objects)} mask channels; at most {MOST_MASK_CHANNELS} objects can be stored")
        if any(side < 2 or side % 2 for side in self.image_size):
            raise GlamError(f"image size {self.image_size}: height and width must be even")
        strangers = [camera for camera in self.track_cameras if camera not in self.cameras]
        if strangers:
            raise GlamError(f"{EE_TRACKS} is of the camera {strangers[0]}; the set has {', '.join(self.cameras)}")
        unknown = [name for name in self.delta_actions if name not in self.action_names]
        if unknown:
            raise GlamError(
                f"delta_actions {', '.join(unknown)}: {ACTION} has {', '.join(self.action_names) or 'none'}"
            )

    @property
    def role(self) -> Role:
        """A set with actions is a target; one without is auxiliary."""
        return "target" if self.action_names else "auxiliary"

    @property
    def image_keys(self) -> tuple[str, ...]:
        """Feature names of the RGB videos."""
        return tuple(IMAGE_PREFIX + camera for camera in self.cameras)

    @property
    def mask_keys(self) -> tuple[str, ...]:
        """Feature names of the masks; empty when there are no objects."""
        return tuple(MASK_PREFIX + camera for camera in self.cameras) if self.objects else ()

    @property
    def pose_names(self) -> tuple[str, ...]:
        """Names of the entries of `observation.ee_pose`, such as `left.x`; empty when there is none."""
        return tuple(f"{arm}.{name}" for arm in self.arms for name in POSE_NAMES) if self.has_pose else ()

    @property
    def track_names(self) -> tuple[str, ...]:
        """Names of the entries of `observation.ee_tracks`; empty when there is none."""
        return track_names(self.arms, self.track_cameras)

    @property
    def vectors(self) -> dict[str, tuple[str, ...]]:
        """Every low-dimensional feature with the names of its entries."""
        vectors = {EE_POSE: self.pose_names} if self.has_pose else {}
        if self.track_cameras:
            vectors[EE_TRACKS] = self.track_names
        if self.role == "target":
            vectors |= {STATE: self.state_names, ACTION: self.action_names}
        return vectors

    def features(self) -> dict[str, dict[str, Any]]:
        """The `features` block of LeRobot's `info.json`, without the automatic index features."""
        axes = ["height", "width", "channels"]
        vectors = {key: _feature("float32", [len(names)], list(names)) for key, names in self.vectors.items()}
        images = {key: _feature("video", [*self.image_size, 3], axes) for key in self.image_keys}
        masks = {key: _feature("image", [*self.image_size, len(self.objects)], axes) for key in self.mask_keys}
        if self.delta_actions:
            vectors[ACTION]["info"] = {DELTA_ACTIONS: list(self.delta_actions)}
        return vectors | images | masks


@dataclass(frozen=True)
class Episode:
    """One demonstration: frame t of every array belongs to the same moment."""

    vectors: dict[str, NDArray[np.float32]]
    """(T, n) for each key of `Schema.vectors`."""
    images: dict[str, NDArray[np.uint8]]
    """(T, Y, X, 3) for each key of `Schema.image_keys`."""
    masks: dict[str, NDArray[np.uint8]]
    """(T, Y, X, C), values 0 and 255, for each key of `Schema.mask_keys`."""
    task: str
    """What is done, as a sentence: LeRobot's `task`."""

    def __len__(self) -> int:
        """Number of frames T."""
        arrays: tuple[NDArray[Any], ...] = (*self.vectors.values(), *self.images.values())
        return len(arrays[0]) if arrays else 0


def _feature(dtype: str, shape: list[int], names: list[str]) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "names": names}


_COLUMNS = (slice(3, 6), slice(6, 9))
"""Entries of the two columns of the rotation matrix."""


def rotated(poses: NDArray[np.float32], vectors: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """Poses with rotations turned by small rotation vectors, to first order. (..., 10 K), (..., K, 3)."""
    arms = poses.reshape(*vectors.shape[:-1], POSE_SIZE).copy()
    for column in _COLUMNS:
        arms[..., column] += np.cross(vectors, arms[..., column])
    return arms.reshape(poses.shape)
