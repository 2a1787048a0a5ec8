"""robomimic HDF5: `data/demo_<i>` with `actions` and observations `obs/<key>`.

| in the file                             | becomes                                                                   |
|-----------------------------------------|---------------------------------------------------------------------------|
| `<camera>_image`                        | `observation.images.<camera>`                                             |
| `<camera>_masks`, one channel per object| `observation.masks.<camera>`; of each camera or of none                   |
| `robot<k>_eef_pos`, `_eef_quat` (xyzw)  | position and rotation in `observation.ee_pose`                            |
| `robot<k>_gripper_qpos`                 | its gripper opening: both fingers together, as a share of the widest      |
| `robot<k>_joint_pos`, and the opening   | `observation.state`; without joints the pose                              |
| `actions`                               | `action`, as recorded; without them the set is auxiliary                  |
| `env_args`                              | rate (`control_freq`), robot, task, and whether actions are deltas    |
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from glam.core.errors import GlamError
from glam.interop.imports.numbers import image_size, numbers, require_length
from glam.interop.imports.reader_client import OpenedFile, ReaderClient
from glam.interop.imports.recordings import (
    Array,
    FrameSequence,
    Hints,
    Importer,
    Motion,
    Recording,
    Track,
    arm_names,
    joint_state,
    numbered,
    opening_range,
    with_range,
)
from glam.interop.imports.robomimic_env import delta_actions, env_of, is_absolute, rate_of
from glam.interop.imports.stores.hdf5 import Hdf5Store
from glam.interop.imports.stores.store import ArraySpec
from glam_client.live_pose import gripper_readings
from glam_client.orientations import unit_quaternions
from glam_client.pose_conversion import ArmRecipe, PoseRecipe, checked_positions, opened_shares

_POSITION = re.compile(r"robot(\d)_eef_pos")
_IMAGE = "_image"
_MASKS = "_masks"
_HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_HDF5_SUFFIXES = (".hdf5", ".h5")


@dataclass(frozen=True)
class _Demo:
    """One demonstration in the file."""

    opened: OpenedFile
    name: str
    """Such as `demo_0`."""

    @property
    def where(self) -> str:
        return f"{self.opened.path}: data/{self.name}"

    @property
    def keys(self) -> list[str]:
        """Observations, also those that cannot be used: their use is then an error."""
        known = [*self.opened.arrays, *self.opened.notes["unusable"]]
        return sorted(key.removeprefix(f"{self.name}/obs/") for key in known if key.startswith(f"{self.name}/obs/"))

    @property
    def robots(self) -> list[str]:
        return [f"robot{match[1]}" for match in map(_POSITION.fullmatch, self.keys) if match]

    @property
    def cameras(self) -> list[str]:
        return [key.removesuffix(_IMAGE) for key in self.keys if key.endswith(_IMAGE)]

    @property
    def masks(self) -> list[str]:
        """Masks of all cameras, or none."""
        return [key for key in self.keys if key.endswith(_MASKS)]

    @property
    def parts(self) -> list[str]:
        """Cameras, robots, joints and actions, which must be the same in all demonstrations."""
        joints = [f"{robot}_joint_pos" for robot in self.robots if f"{robot}_joint_pos" in self.keys]
        return [*self.cameras, *self.masks, *self.robots, *joints, *(["actions"] if self.has_actions else [])]

    @property
    def frames(self) -> int:
        return self.opened.arrays[self.array("actions" if self.has_actions else f"obs/{self.robots[0]}_eef_pos")].shape[
            0
        ]

    @property
    def has_actions(self) -> bool:
        """False in a file of observations alone, which makes an auxiliary set."""
        return f"{self.name}/actions" in (*self.opened.arrays, *self.opened.notes["unusable"])

    def array(self, key: str) -> str:
        """Full name of an array that must be there, and be as long as the others."""
        name = f"{self.name}/{key}"
        if name in self.opened.notes["unusable"]:
            raise GlamError(f"{self.opened.path}: {self.opened.notes['unusable'][name]}")
        if name not in self.opened.arrays:
            raise GlamError(f"{self.where} has no {key}; it has {', '.join(self.keys) or 'no observations'}")
        return name

    def numbers(self, key: str, entries: int | None = None) -> Array:
        name = self.array(key)
        require_length(self.opened, name, self.frames)
        return numbers(self.opened, name, entries)


def read(reader: ReaderClient, source: Path, hints: Hints) -> Recording:
    """Everything but the images of a robomimic file."""
    opened = reader.open(Hdf5Store, source)
    demos = [_Demo(opened, name) for name in opened.notes["demos"]]
    if not demos:
        raise GlamError(f"{source}: has no data/demo_0; it is not a robomimic file")
    _require_alike(demos)
    _require_counts(opened, demos)
    first, env = demos[0], env_of(source, opened.notes["env_args"])
    readings = [np.stack([_reading(demo, robot, hints) for robot in first.robots], axis=1) for demo in demos]
    span = opening_range(readings, hints.gripper, str(source))
    openings = [opened_shares(reading, *span) for reading in readings]
    rate = rate_of(source, env, hints)
    arms = arm_names(len(first.robots))
    motions = [_motion(*pair, arms, rate) for pair in zip(demos, openings, strict=True)]
    is_delta = first.has_actions and not is_absolute(env)
    deltas = delta_actions(motions[0].action.shape[1], len(arms)) if is_delta else ()
    task = hints.task or str(env.get("env_name") or source.stem)
    robots = env.get("env_kwargs", {}).get("robots") or "robomimic"
    return Recording(
        source=source,
        robot=robots if isinstance(robots, str) else "+".join(map(str, robots)),
        rate=rate,
        arms=arms,
        state_names=_state(first, openings[0], arms)[1] if first.has_actions else (),
        action_names=numbered("action", motions[0].action.shape[1]),
        is_bound_to_rate=bool(deltas),
        delta_actions=deltas,
        tracks=tuple(
            Track(
                f"data/{demo.name}",
                task,
                motion,
                _films(demo, _IMAGE, motion.times),
                _films(demo, _MASKS, motion.times),
            )
            for demo, motion in zip(demos, motions, strict=True)
        ),
        objects=_objects(first),
        poses=_recipe(first, arms, span),
    )


def _recipe(demo: _Demo, arms: tuple[str, ...], span: tuple[float, float]) -> PoseRecipe:
    """Recipe that makes poses of the observations."""
    features: dict[str, tuple[str, ...]] = {}
    made = []
    for arm, robot in zip(arms, demo.robots, strict=True):
        place, turn, fingers = f"{robot}_eef_pos", f"{robot}_eef_quat", f"{robot}_gripper_qpos"
        width = demo.opened.arrays[demo.array(f"obs/{fingers}")].shape[1:]
        count = width[0] if width else 1
        features |= {place: ("x", "y", "z"), turn: ("x", "y", "z", "w"), fingers: numbered("finger", count)}
        numbers = (*((place, number) for number in range(3)), *((turn, number) for number in range(4)))
        read = tuple((fingers, number) for number in range(count if count <= 2 else 1))
        made.append(ArmRecipe(arm, numbers, "quaternion-xyzw", gripper=read))
    return with_range(PoseRecipe(features, tuple(made)), *span)


def _require_alike(demos: list[_Demo]) -> None:
    first = demos[0]
    if not first.cameras:
        remedy = "render them with robomimic's dataset_states_to_obs.py"
        raise GlamError(f"{first.where}/obs has no images, which end in {_IMAGE}; {remedy}")
    if not first.robots:
        raise GlamError(f"{first.where}/obs has no robot0_eef_pos; it has {', '.join(first.keys)}")
    for demo in demos:
        if demo.parts != first.parts:
            raise GlamError(f"{demo.where} has {', '.join(demo.parts)}, but {first.name} {', '.join(first.parts)}")
        for mine, its in zip(_used(first), _used(demo), strict=True):
            wanted, found = (first.opened.arrays[name] for name in (mine, its))
            if (found.shape[1:], found.dtype) != (wanted.shape[1:], wanted.dtype):
                raise GlamError(f"{demo.where}: {its} is {_described(found)}, but {mine} is {_described(wanted)}")


def _described(kind: ArraySpec) -> str:
    return f"{kind.dtype} of shape {kind.shape}"


def _used(demo: _Demo) -> Iterator[str]:
    if demo.has_actions:
        yield demo.array("actions")
    for robot in demo.robots:
        for key in ("eef_pos", "eef_quat", "gripper_qpos"):
            yield demo.array(f"obs/{robot}_{key}")
        if f"{robot}_joint_pos" in demo.keys:
            yield demo.array(f"obs/{robot}_joint_pos")
    for camera in demo.cameras:
        yield demo.array(f"obs/{camera}{_IMAGE}")
    for key in demo.masks:
        yield demo.array(f"obs/{key}")


def _require_counts(opened: OpenedFile, demos: list[_Demo]) -> None:
    """Refuse files whose two counts of samples differ: something is lost."""
    for demo in demos:
        claimed = opened.notes["samples"][demo.name]
        if claimed not in (None, demo.frames):
            raise GlamError(f"{demo.where} has {demo.frames} samples but says num_samples = {claimed}")
    total = sum(demo.frames for demo in demos)
    if opened.notes["total"] not in (None, total):
        raise GlamError(f"{opened.path}: has {total} samples but says total = {opened.notes['total']}")


def _reading(demo: _Demo, robot: str, hints: Hints) -> Array:
    """Distance between the fingers by their joint readings. (T,)."""
    fingers = demo.numbers(f"obs/{robot}_gripper_qpos")
    if fingers.shape[1] <= 2:
        return gripper_readings(fingers) if fingers.shape[1] == 2 else fingers[:, 0]
    if hints.gripper is None:
        problem = f"{robot}_gripper_qpos has {fingers.shape[1]} joints"
        raise GlamError(f"{demo.where}: {problem}; say with --gripper what the first one reads closed and open")
    return fingers[:, 0]


def _motion(demo: _Demo, openings: Array, arms: tuple[str, ...], rate: float) -> Motion:
    poses = [_pose(demo, robot) for robot in demo.robots]
    return Motion(
        times=np.arange(demo.frames) / rate,
        positions=np.stack([position for position, _ in poses], axis=1),
        quaternions=np.stack([rotation for _, rotation in poses], axis=1),
        openings=openings,
        state=_state(demo, openings, arms)[0],
        action=demo.numbers("actions") if demo.has_actions else np.empty((demo.frames, 0)),
    )


def _pose(demo: _Demo, robot: str) -> tuple[Array, Array]:
    position = checked_positions(demo.numbers(f"obs/{robot}_eef_pos", 3), demo.where)
    return position, unit_quaternions(demo.numbers(f"obs/{robot}_eef_quat", 4), demo.where)


def _state(demo: _Demo, openings: Array, arms: tuple[str, ...]) -> tuple[Array, tuple[str, ...]]:
    has_joints = all(f"{robot}_joint_pos" in demo.keys for robot in demo.robots)
    joints = [demo.numbers(f"obs/{robot}_joint_pos") for robot in demo.robots if has_joints]
    return joint_state(joints, openings, arms)


def _objects(demo: _Demo) -> tuple[str, ...]:
    """Names of the masks' channels; empty without masks."""
    if not demo.masks:
        return ()
    if demo.masks != [camera + _MASKS for camera in demo.cameras]:
        wanted = ", ".join(camera + _MASKS for camera in demo.cameras)
        raise GlamError(f"{demo.where}/obs has {', '.join(demo.masks)}; masks need one array for each camera: {wanted}")
    counts = {demo.opened.arrays[demo.array(f"obs/{key}")].shape[-1] for key in demo.masks}
    if len(counts) > 1:
        raise GlamError(f"{demo.where}/obs has masks of {min(counts)} and of {max(counts)} objects; give all the same")
    return numbered("object", counts.pop())


def _films(demo: _Demo, ending: str, times: Array) -> dict[str, FrameSequence]:
    """Images or masks of every camera that has them."""
    films = {}
    for camera in demo.cameras if ending == _IMAGE or demo.masks else ():
        name = demo.array(f"obs/{camera}{ending}")
        require_length(demo.opened, name, demo.frames)
        channels = 3 if ending == _IMAGE else len(_objects(demo))
        size = image_size(demo.opened, name, channels)
        films[camera] = FrameSequence(name, times, size, partial(demo.opened.pieces, name), channels)
    return films


def _recognizes(source: Path) -> bool:
    if source.is_dir():
        return False
    with source.open("rb") as file:
        return file.read(len(_HDF5_SIGNATURE)) == _HDF5_SIGNATURE or source.suffix.lower() in _HDF5_SUFFIXES


IMPORTER = Importer(read, _recognizes, takes=("file",))
