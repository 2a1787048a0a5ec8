"""Conventions of hand-held grippers that record LeRobot datasets: Grabette and HandUMI.

Known from their public code in 2026; what they leave open must be mapped by the user.

Grabette: the pose of the camera is `observation.pose`, or the first six of the eight numbers of `action`: x y z and a
rotation vector; the gripper is two joints; `is_lost` is set where tracking was lost.
HandUMI: `observation.state` has the poses of both controllers, `left_x` to `left_qw`, and `left_gripper_width` in
metres; entries of `observation.valid` are 0 where tracking was lost.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from glam.data.dataset_info import DatasetInfo, DeclaredFeature
from glam.data.schema import ACTION, EE_POSE, OPENING_UNIT, STATE
from glam.interop.lerobot.entries import Features
from glam.interop.lerobot.mapping import POSITION, ROTATION, ImportOptions

_LOST = ("is_lost", "observation.is_lost")
_VALID = "observation.valid"
_VALID_PARTS = ("_device_tracked", "_pose_valid")
_GRABETTE = "grabette"
_GRABETTE_POSES = ("observation.pose", ACTION)
_GRABETTE_SIZES = (6, 8)
_HANDUMI = frozenset(f"{arm}_{part}" for arm in ("left", "right") for part in ("x", "qw", "gripper_width"))


@dataclass(frozen=True)
class HandHeld:
    """Knowledge about a set of a hand-held gripper."""

    name: str
    options: ImportOptions
    """Those of the user, and what the convention adds."""
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class LostFlags:
    """A feature that says where the tracker was lost."""

    feature: str
    entries: tuple[int, ...] = (0,)
    is_validity: bool = False
    """Whether 0 means lost, in any entry; else anything but 0 does."""

    def lost(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """(T,) of the feature's values (T, n): True where tracking was lost."""
        chosen = values[:, list(self.entries)]
        return np.any((chosen == 0.0) == self.is_validity, axis=1)


def by_convention(
    info: DatasetInfo, features: Features, options: ImportOptions, *, has_models: bool
) -> HandHeld | None:
    """The convention that a dataset follows; None if it is no set of a hand-held gripper that we know."""
    if info.robot.lower() == _GRABETTE:
        return _grabette(features, options, has_models=has_models)
    if STATE in features.vectors and {entry.name for entry in features.vectors[STATE].entries} >= _HANDUMI:
        return _handumi(options)
    return None


def lost_flags(declared: Mapping[str, DeclaredFeature], arms: Collection[str]) -> LostFlags | None:
    """The feature that says where tracking was lost; of two hands those entries that belong to `arms`."""
    for name in _LOST:
        if name in declared and declared[name].shape == (1,):
            return LostFlags(name)
    names = declared[_VALID].names if _VALID in declared else ()
    entries = tuple(
        number
        for number, name in enumerate(names)
        if name.endswith(_VALID_PARTS) and (not set(arms) & {"left", "right"} or name.partition("_")[0] in arms)
    )
    return LostFlags(_VALID, entries, is_validity=True) if entries else None


def _grabette(features: Features, options: ImportOptions, *, has_models: bool) -> HandHeld:
    is_mapped = any(name.startswith(f"{EE_POSE}.") and not name.endswith(".gripper") for name in options.names)
    poses = [name for name in _GRABETTE_POSES if len(_entries(features, name)) in _GRABETTE_SIZES]
    if poses and not is_mapped and not has_models:
        pose = {f"{EE_POSE}.{POSITION}": f"{poses[0]}[0:3]", f"{EE_POSE}.{ROTATION}": f"{poses[0]}[3:6]"}
        options = replace(options, names=options.names | pose, rotation=options.rotation or "rotation-vector")
    remarks = ["the pose is the camera's; --tool places the tool point in it"]
    if not any(name.endswith(".gripper") for name in options.names):
        example = f"--map {EE_POSE}.gripper=observation.joints[proximal] --gripper CLOSED OPEN"
        remarks.append(f"which reading of its joints is closed is not recorded: {example}")
    return HandHeld("Grabette", _auxiliary(options), tuple(remarks))


def _handumi(options: ImportOptions) -> HandHeld:
    hints = options.hints
    known = replace(hints, gripper=hints.gripper or (0.0, OPENING_UNIT))  # widths are in metres
    remarks = ("poses are those of the controllers; --tool places the tool point in them",)
    return HandHeld("HandUMI", _auxiliary(replace(options, hints=known)), remarks)


def _auxiliary(options: ImportOptions) -> ImportOptions:
    """No robot can execute the actions of a hand, so the set is auxiliary unless the user wants a target."""
    return replace(options, role="auxiliary") if options.role == "auto" else options


def _entries(features: Features, name: str) -> tuple[object, ...]:
    return features.vectors[name].entries if name in features.vectors else ()
