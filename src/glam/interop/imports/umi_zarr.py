"""Zarr of UMI and diffusion policy: all episodes in a row in `data/<key>`, and where each ends in `meta/episode_ends`.

| in the store                                               | becomes                                                |
|------------------------------------------------------------|--------------------------------------------------------|
| every uint8 array of images: `camera0_rgb`, `camera_0`   | `observation.images.camera0`, `.camera_0`              |
| `robot<k>_eef_pos`, `robot<k>_eef_rot_axis_angle`          | position and rotation in `observation.ee_pose`         |
| or `robot_eef_pose`: position and rotation vector          | the same                                               |
| `robot<k>_gripper_width`                                   | its gripper opening, as a share of the widest          |
| `action`                                                   | `action`, as recorded; without it the set is auxiliary |
| `robot<k>_joint_pos` or `robot_joint`, and the opening     | `observation.state`; without joints the pose           |
| `timestamp`                                                | the rate; without it that of UMI's camera              |
"""

import logging
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.interop.imports.numbers import image_size, numbers, require_length
from glam.interop.imports.reader_client import OpenedFile, ReaderClient
from glam.interop.imports.recordings import (
    Array,
    FrameSequence,
    Hints,
    Images,
    Importer,
    Motion,
    Recording,
    Track,
    arm_names,
    checked_rate,
    joint_state,
    numbered,
    opening_range,
    with_range,
)
from glam.interop.imports.stores.zarr_v2 import ZarrStore
from glam_client.orientations import quaternions_from_vectors
from glam_client.pose_conversion import ArmRecipe, PoseRecipe, checked_positions, opened_shares

_LOG = logging.getLogger(__name__)

UMI_RATE = 60000 / 1001
"""Of the GoPro whose frames UMI stores; the store does not say."""
_ENDS = "meta/episode_ends"
_ROOT_FILES = (".zgroup", ".zmetadata", "zarr.json")
_POSITION = re.compile(r"data/robot(\d)_eef_pos")
_CAMERA = re.compile(r"camera_?\d+(_rgb)?")


@dataclass(frozen=True)
class _Buffer:
    """The replay buffer."""

    opened: OpenedFile
    ends: NDArray[np.int64]

    @property
    def frames(self) -> int:
        return int(self.ends[-1])

    @property
    def robots(self) -> list[str]:
        """Prefixes of the keys of each robot."""
        return [f"robot{match[1]}" for match in map(_POSITION.fullmatch, sorted(self.opened.arrays)) if match]

    @property
    def cameras(self) -> dict[str, str]:
        """Arrays of images by the name of their camera."""
        keys = [name.removeprefix("data/") for name in self.opened.arrays if name.startswith("data/")]
        found = [key for key in sorted(keys) if _CAMERA.fullmatch(key) or self._is_images(f"data/{key}")]
        return {key.removesuffix("_rgb"): f"data/{key}" for key in found}

    def has(self, key: str) -> bool:
        return f"data/{key}" in self.opened.arrays

    def numbers(self, key: str, entries: int | None = None) -> Array:
        """An array of all episodes, (N, entries)."""
        name = f"data/{key}"
        if name not in self.opened.arrays:
            known = ", ".join(sorted(self.opened.arrays))
            raise GlamError(f"{self.opened.path}: has no {name}; it has {known}")
        require_length(self.opened, name, self.frames)
        return numbers(self.opened, name, entries)

    def _is_images(self, name: str) -> bool:
        kind = self.opened.arrays[name]
        return kind.dtype == "uint8" and len(kind.shape) == 4 and kind.shape[3] == 3


def read(reader: ReaderClient, source: Path, hints: Hints) -> Recording:
    """Everything but the images of a replay buffer."""
    opened = reader.open(ZarrStore, source)
    buffer = _Buffer(opened, _ends(opened))
    if not buffer.cameras:
        raise GlamError(f"{source}: has no images such as data/camera0_rgb; it has {', '.join(opened.arrays)}")
    arms = arm_names(len(buffer.robots) or 1)
    if not buffer.robots:
        _LOG.warning("%s: no gripper was recorded; its opening is 0 throughout", source)
    whole, state_names = _motion(buffer, arms, hints)
    rate = _rate(buffer, hints)
    starts = [0, *map(int, buffer.ends[:-1])]
    return Recording(
        source=source,
        robot="umi" if buffer.robots else "diffusion-policy",
        rate=rate,
        arms=arms,
        state_names=state_names,
        action_names=numbered("action", whole.action.shape[1]),
        is_bound_to_rate=False,
        tracks=tuple(
            _track(buffer, whole, slice(start, int(end)), rate, hints.task or source.name.partition(".")[0])
            for start, end in zip(starts, buffer.ends, strict=True)
        ),
        poses=_recipe(buffer, arms, _openings(buffer, hints)[1]),
    )


def _ends(opened: OpenedFile) -> NDArray[np.int64]:
    if _ENDS not in opened.arrays:
        raise GlamError(f"{opened.path}: has no {_ENDS}; it is not a replay buffer")
    ends = opened.whole(_ENDS)
    if ends.dtype.kind not in "iu" or ends.ndim != 1 or not len(ends) or not (np.diff(ends, prepend=0) > 0).all():
        raise GlamError(f"{opened.path}: {_ENDS} is not a list of growing numbers of frames")
    return ends.astype(np.int64)


def _motion(buffer: _Buffer, arms: tuple[str, ...], hints: Hints) -> tuple[Motion, tuple[str, ...]]:
    """Motion of all episodes one after the other, and the names of the state's entries."""
    where = str(buffer.opened.path)
    if buffer.robots:
        positions = [buffer.numbers(f"{robot}_eef_pos", 3) for robot in buffer.robots]
        vectors = [buffer.numbers(f"{robot}_eef_rot_axis_angle", 3) for robot in buffer.robots]
    else:
        pose = buffer.numbers("robot_eef_pose", 6)
        positions, vectors = [pose[:, :3]], [pose[:, 3:]]
    openings, _ = _openings(buffer, hints)
    keys = [f"{robot}_joint_pos" for robot in buffer.robots] or ["robot_joint"]
    is_target = buffer.has("action")
    has_joints = is_target and all(map(buffer.has, keys))
    state, names = joint_state([buffer.numbers(key) for key in keys if has_joints], openings, arms)
    motion = Motion(
        times=np.arange(buffer.frames, dtype=np.float64),
        positions=checked_positions(np.stack(positions, axis=1), where),
        quaternions=quaternions_from_vectors(np.stack(vectors, axis=1), where),
        openings=openings,
        state=state,
        action=buffer.numbers("action") if is_target else np.empty((buffer.frames, 0)),
    )
    return motion, names


def _openings(buffer: _Buffer, hints: Hints) -> tuple[Array, tuple[float, float]]:
    """(N, K), and the readings of a closed and of an open gripper."""
    if buffer.robots:
        widths = np.concatenate([buffer.numbers(f"{robot}_gripper_width", 1) for robot in buffer.robots], axis=1)
        span = opening_range([widths], hints.gripper, str(buffer.opened.path))
        return opened_shares(widths, *span), span
    return np.zeros((buffer.frames, 1)), (0.0, 1.0)


def _recipe(buffer: _Buffer, arms: tuple[str, ...], span: tuple[float, float]) -> PoseRecipe:
    """Recipe that makes poses of the arrays."""
    if not buffer.robots:
        pose = ("x", "y", "z", "rx", "ry", "rz")
        numbers = tuple(("robot_eef_pose", number) for number in range(6))
        return PoseRecipe({"robot_eef_pose": pose}, (ArmRecipe(arms[0], numbers, "rotation-vector"),))
    features: dict[str, tuple[str, ...]] = {}
    made = []
    for arm, robot in zip(arms, buffer.robots, strict=True):
        place, turn, width = f"{robot}_eef_pos", f"{robot}_eef_rot_axis_angle", f"{robot}_gripper_width"
        features |= {place: ("x", "y", "z"), turn: ("rx", "ry", "rz"), width: ("width",)}
        numbers = (*((place, number) for number in range(3)), *((turn, number) for number in range(3)))
        made.append(ArmRecipe(arm, numbers, "rotation-vector", gripper=((width, 0),)))
    return with_range(PoseRecipe(features, tuple(made)), *span)


def _rate(buffer: _Buffer, hints: Hints) -> float:
    if hints.source_rate is not None:
        return hints.source_rate
    if buffer.has("timestamp"):
        steps = np.diff(buffer.numbers("timestamp", 1)[:, 0])
        inside = np.delete(steps, buffer.ends[:-1] - 1)
        rate = 1.0 / float(np.median(inside)) if len(inside) and np.median(inside) > 0.0 else 0.0
        return checked_rate(rate, f"{buffer.opened.path}: the rate by data/timestamp")
    if buffer.robots:
        warning = "%s: has no rate; assuming the %.2f Hz of UMI's camera; give another one with --source-rate"
        _LOG.warning(warning, buffer.opened.path, UMI_RATE)
        return UMI_RATE
    raise GlamError(f"{buffer.opened.path}: has no rate (data/timestamp); give it with --source-rate")


def _track(buffer: _Buffer, whole: Motion, span: slice, rate: float, task: str) -> Track:
    times = np.arange(span.stop - span.start) / rate
    motion = Motion(
        times, *(part[span] for part in (whole.positions, whole.quaternions, whole.openings, whole.state, whole.action))
    )
    cameras = {}
    for camera, name in buffer.cameras.items():
        require_length(buffer.opened, name, buffer.frames)
        pieces = partial(_pieces, partial(buffer.opened.pieces, name), span.start)
        cameras[camera] = FrameSequence(name, times, image_size(buffer.opened, name), pieces)
    return Track(f"frames {span.start} to {span.stop - 1}", task, motion, cameras)


def _pieces(read_frames: Callable[[int, int], Iterator[Images]], start: int, first: int, last: int) -> Iterator[Images]:
    return read_frames(start + first, start + last)


def _recognizes(source: Path) -> bool:
    if source.is_dir():
        return any((source / name).exists() for name in _ROOT_FILES)
    return zipfile.is_zipfile(source) or source.name.endswith((".zarr.zip", ".zarr"))


IMPORTER = Importer(read, _recognizes, takes=("file", "folder"))
