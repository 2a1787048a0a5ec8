"""Data that a policy server and a robot exchange: observations, action chunks, and the policy's interface."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam_client.errors import GlamError
from glam_client.pose_conversion import PoseRecipe
from glam_client.resizing import resize

LATEST = 1e12
"""Largest time stamp, in seconds; up to here a float64 resolves a millisecond."""


@dataclass(frozen=True)
class ServerInterface:
    """Inputs and outputs of the served policy; the server sends it when a robot connects."""

    policy: str
    """Digest of the weights."""
    fps: int
    """Actions per second: the robot's control rate."""
    cameras: tuple[str, ...]
    pixels: int
    """Height and width of every image on the wire."""
    pose_size: int
    """Entries of `observation.ee_pose`."""
    state_names: tuple[str, ...]
    action_names: tuple[str, ...]
    chunk_size: int
    """Actions of a chunk."""
    delta_actions: tuple[str, ...] = ()
    """Names of delta actions, for which 0 is rest; the others are absolute targets."""
    poses: PoseRecipe = PoseRecipe()
    """How to compute the pose from the robot's readings (`LivePose`); without arms if there is no pose or no recipe."""

    @property
    def image_bytes(self) -> int:
        """Size of one RGB image."""
        return self.pixels * self.pixels * 3


@dataclass(frozen=True, eq=False)
class Observation:
    """Images and robot readings of one moment."""

    images: Mapping[str, NDArray[np.uint8]]
    """(Y, X, 3) RGB of each camera."""
    pose: NDArray[np.floating[Any]]
    """`observation.ee_pose` as in the training data."""
    state: NDArray[np.floating[Any]]
    """`observation.state` as in the training data."""
    time: float
    """Time at which the images were taken, in seconds of a monotonic clock of the robot."""


@dataclass(frozen=True, eq=False)
class ActionChunk:
    """Predicted actions and the times at which they are due."""

    actions: NDArray[np.float32]
    """(H, n_a)."""
    times: NDArray[np.float64]
    """(H,) seconds on the clock of the observation; the first action is due at the time of the observation."""
    doubt: float = math.nan
    """How far the observation lies from the training data: up to 1 as usual; NaN if the policy does not know."""


def step_times(start: float, interface: ServerInterface) -> NDArray[np.float64]:
    """Times at which the actions of a chunk are due, for an observation at time `start`. (H,)."""
    return start + np.arange(interface.chunk_size) / interface.fps


def check(observation: Observation, interface: ServerInterface) -> None:
    """Refuse an observation that does not fit the policy; images may have any size."""
    if observation.images.keys() != set(interface.cameras):
        raise GlamError(f"images must be of exactly these cameras: {', '.join(interface.cameras)}")
    for camera in interface.cameras:
        image = observation.images[camera]
        if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or image.size == 0:
            raise GlamError(f"the image of {camera} must be (height, width, 3) of uint8")
    for name, values, size in (
        ("pose", observation.pose, interface.pose_size),
        ("state", observation.state, len(interface.state_names)),
    ):
        if values.shape != (size,) or not np.isfinite(values).all():
            raise GlamError(f"the {name} must be {size} finite numbers")
    if not abs(observation.time) <= LATEST:  # in this form NaN is refused too
        raise GlamError(f"the time must be a number of seconds of at most {LATEST:g}")


def resized(observation: Observation, interface: ServerInterface) -> Observation:
    """Resize images to the policy's size, with the same area averaging as its training data."""
    size = (interface.pixels, interface.pixels)
    images = {camera: resize(image[None], size)[0] for camera, image in observation.images.items()}
    return replace(observation, images=images)
