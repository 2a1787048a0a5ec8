"""Naming conventions: names of features and entries that identify poses, grippers and arms."""

import re
from collections.abc import Iterator, Sequence

from glam.interop.lerobot.entries import Entry, Features
from glam_client.pose_conversion import RotationCode

ROTATIONS: dict[tuple[str, ...], RotationCode] = {
    ("qx", "qy", "qz", "qw"): "quaternion-xyzw",
    ("rx", "ry", "rz"): "rotation-vector",
    ("wx", "wy", "wz"): "rotation-vector",  # so LeRobot's own kinematic processors call it
    ("roll", "pitch", "yaw"): "roll-pitch-yaw",
    ("r11", "r21", "r31", "r12", "r22", "r32"): "six",
}
AXES = ("x", "y", "z")

_ARM = re.compile(r"left|right|(arm|robot)\d+")
_KNOWN = frozenset(AXES).union("w", *ROTATIONS)
_QUATERNION = {"quat", "quaternion", "orientation"}
_VECTOR = {"rot", "rotation", "rotvec", "aa"}
_FILLER = {"arm", "ee", "eef", "tcp", "pose", "tool", "end", "effector", "hand", "pos", "position"}
_NOT_MEASURED = {"action", "cmd", "command", "desired", "goal", "prev", "previous", "target"}
_NOT_A_PLACE = {"vel", "velocity", "qvel", "acc", "force", "torque", "effort", "current", "wrench", "device", "hmd"}


def words(name: str) -> list[str]:
    """The words of a name, in lower case."""
    return [word for word in re.split(r"[^a-z0-9]+", name.lower()) if word]


def is_measured(feature: str, name: str = "") -> bool:
    """True for a measured position, as opposed to a target, a velocity or a force."""
    parts = {*words(feature), *words(name)}
    return feature.startswith("observation") and not parts & (_NOT_MEASURED | _NOT_A_PLACE)


def arm_of(entry: Entry) -> str:
    """The arm that an entry or its feature names; empty when neither does."""
    return arm_named(entry.name) or arm_named(entry.feature)


def arm_named(name: str) -> str:
    """The arm in a name; empty when there is none."""
    return next((word for word in words(name) if _ARM.fullmatch(word)), "")


def arms_in(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Arms that entries name, in the order of their names."""
    return tuple(sorted({arm_of(entry) for entry in entries} - {""}))


def poses_by_name(features: Features) -> dict[str, dict[str, Entry]]:
    """Entries by what they are, such as `x` or `qw`, of each arm; those of the first feature that names them."""
    found: dict[str, dict[str, Entry]] = {}
    for name, vector in features.vectors.items():
        called = vector.entries if vector.is_named else _cartesian(name, vector.entries)
        for entry in called:
            part = _meaning(entry.name) if is_measured(name, entry.name) else ""
            if part:
                found.setdefault(arm_of(entry), {}).setdefault(part, entry)
    return found


def grippers(features: Features, arm: str) -> Iterator[tuple[str, tuple[Entry, ...]]]:
    """For each feature, the entries in it that may be an arm's gripper; `arm` is empty when there is one."""
    for name, vector in features.vectors.items():
        of_gripper = [entry for entry in vector.entries if _is_gripper(name, entry)]
        mine = tuple(entry for entry in of_gripper if arm in ("", arm_of(entry)))
        if mine:
            yield name, mine


def is_gripper(name: str) -> bool:
    """True for the name of a gripper."""
    return any(word.startswith("gripper") for word in words(name))


def plain(joint: str) -> str:
    """The name of a joint, less what only says that it is one."""
    kept = [word for word in words(joint) if word not in {"joint", "pos", "position", "qpos", "motor"}]
    return "_".join(kept or words(joint))


def _is_gripper(feature: str, entry: Entry) -> bool:
    return is_measured(feature, entry.name) and (is_gripper(entry.name) or is_gripper(feature.rpartition(".")[2]))


def _cartesian(feature: str, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """DROID's `cartesian_position` is known for what it is without names."""
    if feature.rpartition(".")[2] != "cartesian_position" or len(entries) != 6:
        return ()
    names = (*AXES, "roll", "pitch", "yaw")
    return tuple(Entry(feature, number, name) for number, name in enumerate(names))


def _meaning(name: str) -> str:
    """Part of a pose that a name means; empty when it means none, or belongs to something other than a tool."""
    *before, last = words(name) or [""]
    others = {word for word in before if not _ARM.fullmatch(word)} - _FILLER - _QUATERNION - _VECTOR
    if last not in _KNOWN or others:
        return ""
    if last in (*AXES, "w") and _QUATERNION & set(before):
        return f"q{last}"
    if last in AXES and _VECTOR & set(before):
        return f"r{last}"
    return last if last != "w" else ""
