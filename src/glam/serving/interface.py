"""What a policy wants to see and what it answers, as server and robot agree on it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.data.pose_recipe import PoseRecipe
from glam.data.resizing import resize

LATEST = 1e12
"""A clock that says more than this, in seconds, is no clock; up to here microseconds are told apart."""


@dataclass(frozen=True)
class Interface:
    """What the server tells of its policy when a robot connects."""

    policy: str
    """Digest of the weights."""
    fps: int
    """Steps of a chunk per second: the rate at which the robot must be commanded."""
    cameras: tuple[str, ...]
    pixels: int
    """Height and width of every image on the wire."""
    pose_size: int
    """Entries of `observation.ee_pose`."""
    state_names: tuple[str, ...]
    action_names: tuple[str, ...]
    chunk: int
    """Steps of a chunk."""
    delta_actions: tuple[str, ...] = ()
    """Actions that say by how much to move, so that 0 is rest; the others say where to be."""
    poses: PoseRecipe = PoseRecipe()
    """How the pose is made of what the robot measures; without arms where there is none, or nobody told."""

    @property
    def image_bytes(self) -> int:
        """Size of one RGB image."""
        return self.pixels * self.pixels * 3


@dataclass(frozen=True, eq=False)
class Observation:
    """One moment, as the robot sees it."""

    images: Mapping[str, NDArray[np.uint8]]
    """(Y, X, 3) RGB of each camera."""
    pose: NDArray[np.floating[Any]]
    """`observation.ee_pose` as in the training data."""
    state: NDArray[np.floating[Any]]
    """`observation.state` as in the training data."""
    time: float
    """When the images were taken, in seconds of a clock of the robot's that never jumps."""


@dataclass(frozen=True, eq=False)
class Chunk:
    """What the robot should do next."""

    actions: NDArray[np.float32]
    """(H, n_a)."""
    times: NDArray[np.float64]
    """(H,): when each action is due, on the clock of the observation; the first is due at the observation."""


def step_times(start: float, interface: Interface) -> NDArray[np.float64]:
    """When the actions of a chunk are due that answers an observation of `start`."""
    return start + np.arange(interface.chunk) / interface.fps


def check(observation: Observation, interface: Interface) -> None:
    """Refuse what the policy cannot be asked about; images may have any size."""
    if observation.images.keys() != set(interface.cameras):
        raise GlamError(f"images must be of exactly these cameras: {', '.join(interface.cameras)}")
    for camera in interface.cameras:
        image = observation.images[camera]
        if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or image.size == 0:
            raise GlamError(f"the image of {camera} must be (height, width, 3) of uint8")
    for what, values, size in (
        ("pose", observation.pose, interface.pose_size),
        ("state", observation.state, len(interface.state_names)),
    ):
        if values.shape != (size,) or not np.isfinite(values).all():
            raise GlamError(f"the {what} must be {size} finite numbers")
    if not abs(observation.time) <= LATEST:  # so put, NaN is refused too
        raise GlamError(f"the time must be a number of seconds of at most {LATEST:g}")


def resized(observation: Observation, interface: Interface) -> Observation:
    """Images of the policy's size, by the averaging that its training data went through."""
    size = (interface.pixels, interface.pixels)
    images = {camera: resize(image[None], size)[0] for camera, image in observation.images.items()}
    return replace(observation, images=images)
