"""Clicks on fingertips, as users write them into a JSON file.

    {"clicks": [{"episode": 0, "camera": "front", "frame": 0, "left": [31, 64], "right": [44, 63]}]}

Numbers are pixels of the stored images, x to the right and y down, from the upper left corner. With several arms each
click names one: "arm": "left". One click for each arm and camera is enough; more of them, in other frames and episodes,
show more of the fingers' look, and hold the path where they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from glam.core import files
from glam.core.configs import from_json
from glam.core.errors import GlamError
from glam.data.reader import Dataset
from glam.interop.trackers.background import Floats

_NEAREST = 1.0
"""Pixels between two clicks that are meant to be on different fingers."""


@dataclass(frozen=True)
class Click:
    """Both fingertips of one hand in one frame."""

    episode: int
    camera: str
    left: tuple[float, float]
    right: tuple[float, float]
    frame: int = 0
    arm: str = ""
    """Empty for the only arm."""

    @property
    def title(self) -> str:
        """Description for error messages."""
        return f"click in episode {self.episode}, camera {self.camera}, frame {self.frame}"

    @property
    def places(self) -> Floats:
        """(2, 2): left and right, where (0, 0) is the middle of the first pixel."""
        return np.array([self.left, self.right], np.float64) - 0.5


@dataclass(frozen=True)
class Clicks:
    """Content of a file of clicks."""

    clicks: tuple[Click, ...]

    def of(self, arm: str, camera: str) -> list[Click]:
        """Clicks on one hand in one camera."""
        return [click for click in self.clicks if click.camera == camera and click.arm in ("", arm)]


def read_clicks(path: Path, dataset: Dataset, cameras: Sequence[str]) -> Clicks:
    """The clicks in a file; refuses those that do not fit the dataset, and cameras without any."""
    try:
        found = from_json(Clicks, files.read_json(path))
        for click in found.clicks:
            _require_fitting(click, dataset)
        for arm in dataset.schema.arms:
            for camera in cameras:
                if not found.of(arm, camera):
                    remedy = f"click there, or leave the camera out with --cameras {' '.join(_others(cameras, camera))}"
                    raise GlamError(f"no click on the fingertips of {arm} in {camera}; {remedy}")
    except GlamError as error:
        raise GlamError(f"{path}: {error}") from None
    return found


def _others(cameras: Sequence[str], camera: str) -> list[str]:
    return [name for name in cameras if name != camera] or ["NAME"]


def _require_fitting(click: Click, dataset: Dataset) -> None:
    schema = dataset.schema
    if not 0 <= click.episode < len(dataset.episodes):
        raise GlamError(f"{click.title}: the episodes are 0 to {len(dataset.episodes) - 1}")
    if click.camera not in schema.cameras:
        raise GlamError(f"{click.title}: the cameras are {', '.join(schema.cameras)}")
    if click.arm not in (("", *schema.arms) if len(schema.arms) == 1 else schema.arms):
        raise GlamError(f"{click.title}: arm is {click.arm!r}; the arms are {', '.join(schema.arms)}")
    if not 0 <= click.frame < dataset.episodes[click.episode].length:
        raise GlamError(f"{click.title}: the episode has {dataset.episodes[click.episode].length} frames")
    height, width = schema.image_size
    for name, (x, y) in (("left", click.left), ("right", click.right)):
        if not (0 <= x <= width and 0 <= y <= height):
            raise GlamError(f"{click.title}: {name} ({x:g}, {y:g}) is outside the image of {width} x {height} pixels")
    if np.hypot(click.left[0] - click.right[0], click.left[1] - click.right[1]) < _NEAREST:
        raise GlamError(f"{click.title}: left and right are at one place; click on a frame in which the hand is open")
