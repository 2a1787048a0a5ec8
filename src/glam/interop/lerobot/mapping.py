"""Import options of the user: `--map OURS=THEIRS`, units, frames and role."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from glam.core.errors import GlamError
from glam.data.schema import ACTION, EE_POSE, IMAGE_PREFIX, STATE
from glam.data.tracks import EE_TRACKS, FINGERS
from glam.interop.imports.delta_actions import ActionKind
from glam.interop.imports.recordings import Hints
from glam.interop.lerobot.entries import Entry, Features
from glam.interop.lerobot.lost_frames import LostFrames
from glam_client.pose_conversion import IN_PLACE, Placement, RotationCode

JOINTS = "joints"
POSITION, ROTATION, GRIPPER = "position", "rotation", "gripper"
HELD = f"{ACTION}.{GRIPPER}"
"""Entries of a delta action that are absolute gripper commands."""

_WORD = r"[A-Za-z0-9_-]+"
_ALLOWED = (
    rf"{re.escape(IMAGE_PREFIX)}[A-Za-z0-9_.-]+",
    re.escape(STATE),
    rf"{re.escape(ACTION)}(\.{GRIPPER})?",
    rf"{re.escape(EE_POSE)}(\.{_WORD})?\.({POSITION}|{ROTATION}|{GRIPPER})",
    rf"{re.escape(EE_TRACKS)}\.[A-Za-z0-9_.-]+\.({'|'.join(FINGERS)})",
    rf"{JOINTS}(\.{_WORD})?",
)
_OURS = re.compile("|".join(_ALLOWED))
_LISTED = (
    f"{IMAGE_PREFIX}NAME, {STATE}, {ACTION}, {EE_POSE}.{POSITION}, .{ROTATION}, .{GRIPPER} (of an arm: {EE_POSE}.left."
    f"{POSITION}), {EE_TRACKS}.CAMERA.left, "
    f"{EE_TRACKS}.CAMERA.right, {JOINTS} and {HELD}"
)


@dataclass(frozen=True)
class ImportOptions:
    """Options of an adoption; whatever is not given is found by convention."""

    names: dict[str, str] = field(default_factory=dict)
    """What `--map` says: THEIRS by OURS."""
    role: Literal["auto", "target", "auxiliary"] = "auto"
    rotation: RotationCode | None = None
    """How a rotation that `--map` names is written."""
    angles: Literal["radians", "degrees"] = "radians"
    """Unit of joints, rotation vectors and roll, pitch, yaw."""
    lengths: Literal["metres", "millimetres"] = "metres"
    """Unit of recorded positions."""
    base: Placement = IN_PLACE
    """Placement of the recorded poses' frame in the world frame."""
    tool: Placement = IN_PLACE
    """Placement of the common tool point in the recorded tool frame."""
    actions: ActionKind = "auto"
    lost: LostFrames = field(default_factory=LostFrames)
    hints: Hints = field(default_factory=Hints)
    """Gripper and task."""

    def __post_init__(self) -> None:
        """Refuse places that are none."""
        for flag, place in (("--base", self.base), ("--tool", self.tool)):
            if not np.isfinite(place).all():
                raise GlamError(f"{flag} must be six finite numbers: x y z in metres, roll pitch yaw in degrees")


def parse_map(texts: Iterable[str]) -> dict[str, str]:
    """THEIRS by OURS, from texts such as `observation.images.front=observation.images.top`."""
    found: dict[str, str] = {}
    for text in texts:
        ours, equals, theirs = (part.strip() for part in text.partition("="))
        if not (ours and equals and theirs):
            raise GlamError(f"--map {text!r}: write OURS=THEIRS, such as {IMAGE_PREFIX}front={IMAGE_PREFIX}top")
        if not _OURS.fullmatch(ours):
            raise GlamError(f"--map {ours}: no feature of ours; the left of = must be one of {_LISTED}")
        if ours in found:
            raise GlamError(f"--map {ours}: is given twice; join features with +, as in {ours}={found[ours]}+{theirs}")
        found[ours] = theirs
    return found


def flag_of(ours: str) -> str:
    """Flag that an error about a mapped feature names."""
    return f"--map {ours}"


def asked(features: Features, options: ImportOptions, ours: str) -> tuple[Entry, ...]:
    """Entries that `--map` gives for one of our features; none if it gives none."""
    return features.select(flag_of(ours), options.names[ours]) if ours in options.names else ()
