"""Columns that hold the poses of a robot's arms: computed from joints, mapped by the user, or found by name."""

from collections.abc import Mapping
from dataclasses import dataclass

from glam.core.errors import GlamError
from glam.data.dataset_info import ONE_ARM
from glam.data.schema import EE_POSE, STATE
from glam.interop.lerobot.entries import Entry, Features, notation
from glam.interop.lerobot.feature_names import AXES, ROTATIONS, grippers, poses_by_name, words
from glam.interop.lerobot.joints import joints_of
from glam.interop.lerobot.mapping import GRIPPER, JOINTS, POSITION, ROTATION, ImportOptions, asked, flag_of
from glam.interop.lerobot.pose_sources import Computed, Measured
from glam_client.pose_conversion import SIZES, Kinematics, RotationCode

_ORDERS: dict[tuple[str, ...], RotationCode] = ROTATIONS | {
    ("qw", "qx", "qy", "qz"): "quaternion-wxyz",
    ("w", "x", "y", "z"): "quaternion-wxyz",
    ("x", "y", "z", "w"): "quaternion-xyzw",
}
"""How the entries of a rotation may be called in their order."""


@dataclass(frozen=True)
class ArmColumns:
    """Columns that hold the pose of one arm."""

    name: str
    tool: Measured | Computed
    gripper: tuple[Entry, ...]
    """One entry, or two that are a finger each; none where it was not recorded."""


def find_arms(features: Features, options: ImportOptions, chains: Mapping[str, Kinematics]) -> tuple[ArmColumns, ...]:
    """All arms with a pose. A single arm gets the name that our own datasets use."""
    tools: dict[str, Measured | Computed] = {
        name: Computed(joints_of(features, options, name, chain), chain) for name, chain in chains.items()
    } or _recorded(features, options)
    _require_use(options, tools, chains)
    arms = []
    for name, tool in tools.items():
        only = len(tools) == 1
        arms.append(ArmColumns(ONE_ARM[0] if only else name, tool, _gripper(features, options, name, tool, only=only)))
    return tuple(arms)


def _recorded(features: Features, options: ImportOptions) -> dict[str, Measured | Computed]:
    """Mapped poses; if there are none, all poses that are found by name."""
    named = poses_by_name(features)
    mapped = dict.fromkeys(arm for arm, part in _mapped_parts(options) if part != GRIPPER)
    if mapped:
        return {arm: _mapped(features, options, arm, named.get(arm, {})) for arm in mapped}
    found = {arm: _measured(parts) for arm, parts in named.items()}
    complete = {arm: tool for arm, tool in sorted(found.items()) if tool is not None}
    # Beside arms that have names, one that has none is something else.
    return {arm: tool for arm, tool in complete.items() if arm or len(complete) == 1}


def _mapped_parts(options: ImportOptions) -> list[tuple[str, str]]:
    """Arm and part of each pose that `--map` names."""
    names = [name.removeprefix(f"{EE_POSE}.") for name in options.names if name.startswith(f"{EE_POSE}.")]
    return [(arm, part) for arm, _, part in (name.rpartition(".") for name in names)]


def _require_use(
    options: ImportOptions, tools: Mapping[str, Measured | Computed], chains: Mapping[str, Kinematics]
) -> None:
    """Refuse options that would have no effect."""
    useful = {GRIPPER} if chains else {POSITION, ROTATION, GRIPPER}
    for arm, part in _mapped_parts(options):
        is_there = arm in tools or (not arm and len(tools) == 1)
        if not is_there or part not in useful:
            why = "poses come from --kinematics" if chains else "there is no such pose"
            raise GlamError(f"{flag_of(_key(arm, part))}: has no effect, as {why}; leave it out, or map the whole pose")
    for name in options.names:
        if name.split(".")[0] == JOINTS and not chains:
            raise GlamError(f"{flag_of(name)}: needs --kinematics; give the robot's URDF or MJCF")


def _mapped(features: Features, options: ImportOptions, arm: str, named: Mapping[str, Entry]) -> Measured:
    """A pose of which `--map` names a part; the other part may still be found by name."""
    position = asked(features, options, _key(arm, POSITION)) or tuple(named[axis] for axis in AXES if axis in named)
    if len(position) != 3:
        raise GlamError(f"{flag_of(_key(arm, POSITION))}: {len(position)} entries; a position has 3: x, y, z")
    flag = flag_of(_key(arm, ROTATION))
    rotation = asked(features, options, _key(arm, ROTATION))
    if not rotation:
        found = _rotation(named)
        if found is None:
            raise GlamError(f"{flag}: is missing, and no rotation is found by name; map it too")
        return Measured(position, *found)
    code = options.rotation or _code(rotation, flag)
    if len(rotation) != SIZES[code]:
        problem = f"{len(rotation)} entries, but {code} has {SIZES[code]}"
        raise GlamError(f"{flag}: {problem}; choose another --rotation, or other entries")
    return Measured(position, rotation, code)


def _measured(named: Mapping[str, Entry]) -> Measured | None:
    """A pose whose numbers are all found by name."""
    position, rotation = tuple(named[axis] for axis in AXES if axis in named), _rotation(named)
    return Measured(position, *rotation) if len(position) == 3 and rotation is not None else None


def _rotation(named: Mapping[str, Entry]) -> tuple[tuple[Entry, ...], RotationCode] | None:
    for parts, code in ROTATIONS.items():
        if all(part in named for part in parts):
            return tuple(named[part] for part in parts), code
    return None


def _code(rotation: tuple[Entry, ...], flag: str) -> RotationCode:
    """Rotation code by the names of the entries in their order, or by the number of entries."""
    called = tuple((words(entry.name) or [""])[-1] for entry in rotation)
    if called in _ORDERS:
        return _ORDERS[called]
    fits = [code for code, size in SIZES.items() if size == len(rotation)]
    if len(fits) != 1:
        problem = f"{len(rotation)} entries may be {' or '.join(fits)}" if fits else f"{len(rotation)} entries"
        raise GlamError(f"{flag}: {problem}; say with --rotation how it is written, one of {', '.join(SIZES)}")
    return fits[0]


def _gripper(
    features: Features, options: ImportOptions, arm: str, tool: Measured | Computed, *, only: bool
) -> tuple[Entry, ...]:
    key = _key(arm, GRIPPER)
    mapped = asked(features, options, key) or (asked(features, options, _key("", GRIPPER)) if only else ())
    if len(mapped) > 2:
        raise GlamError(f"{flag_of(key)}: {len(mapped)} entries; a gripper has 1, or 2 that are a finger each")
    if mapped:
        return mapped
    found = dict(grippers(features, "" if only else arm))
    first = next((name for name in (tool.entries[0].feature, STATE, *found) if name in found), "")
    if len(found.get(first, ())) > 1:
        raise GlamError(f"{notation(found[first])} may each be the gripper; say which with --map {key}=FEATURE[entry]")
    return found.get(first, ())


def _key(arm: str, part: str) -> str:
    return f"{EE_POSE}.{arm}.{part}" if arm else f"{EE_POSE}.{part}"
