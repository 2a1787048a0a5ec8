"""Summary of how a dataset was interpreted, in sentences that a user can check."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from glam.data.schema import ACTION, EE_POSE, STATE
from glam.interop.imports.point_tracks import Told
from glam.interop.lerobot.arm_columns import ArmColumns
from glam.interop.lerobot.conventions import Layout
from glam.interop.lerobot.entries import notation
from glam.interop.lerobot.lost_frames import LostFrames
from glam.interop.lerobot.pose_sources import Computed

ABSOLUTE, DELTA, UNKNOWN = "absolute", "delta", "absolute or delta"

NO_POSE = (
    "warning: there is no end-effector pose, so only methods whose names end in -no-pose can use this set, and "
    "learn less from it; compute the pose from joints with --kinematics, or name it with "
    f"--map {EE_POSE}.position=... and {EE_POSE}.rotation=..."
)


def understood(layout: Layout, kind: str) -> Iterator[str]:
    """Sources of cameras, masks, state, action and poses; `kind` is the kind of the actions."""
    yield "cameras: " + ", ".join(f"{camera} from {name}" for camera, name in layout.cameras.items())
    if layout.masks:
        yield "masks: " + ", ".join(layout.masks.values())
    if layout.action:
        yield f"state: {notation(layout.state) or f'the pose, as there is no {STATE}'}"
        yield f"action: {notation(layout.action)}, {kind}"
    for arm in layout.arms:
        yield f"pose of {arm.name}: {_origin(arm)}"
    if layout.tracks.cameras:
        yield f"tracks: {layout.tracks.words}"


def exceptions(layout: Layout, delta_actions: tuple[int, ...]) -> str:
    """Entries of a delta action that are absolute, as the end of a sentence."""
    others = [entry.name for number, entry in enumerate(layout.action) if number not in delta_actions]
    return f" but for {', '.join(others)}" if others else ""


def warnings(layout: Layout, beyond: Mapping[str, str]) -> Iterator[str]:
    """Warnings before training; `beyond` names for each arm a joint that is often outside its limits."""
    if not layout.arms and not layout.tracks.cameras:
        yield NO_POSE
    for arm in layout.arms:
        if not arm.gripper:
            yield f"warning: no gripper is recorded for {arm.name}, so no pose shows when it grips; --map can name one"
        if beyond[arm.name]:
            problem = f"the joint {beyond[arm.name]} of {arm.name} is often beyond its limits in the model"
            yield f"warning: {problem}; check its unit (--angles), its zero and its sense, or poses will be wrong"


def convention(name: str, remarks: Sequence[str]) -> Iterator[str]:
    """The convention of a hand-held gripper, and what it leaves to the user."""
    yield f"convention: {name}, a hand-held gripper: an auxiliary set, unless --role target is given"
    for remark in remarks:
        yield f"{name}: {remark}"


def lost_words(lost: Sequence[NDArray[np.bool_]], kept: int, wanted: LostFrames) -> Iterator[str]:
    """Frames in which tracking was lost, and what becomes of their episodes; `kept` is the number that is made."""
    frames, hit = sum(int(flags.sum()) for flags in lost), sum(bool(flags.any()) for flags in lost)
    if not hit:
        return
    share = 100.0 * frames / sum(map(len, lost))
    outcome = {
        "split": f"gaps of up to {wanted.gap:g} s are bridged, longer ones split an episode, and pieces shorter than "
        f"{wanted.shortest:g} s are left out",
        "drop": f"gaps of up to {wanted.gap:g} s are bridged, and episodes with longer ones are left out",
        "keep": "they are kept as recorded",
    }[wanted.treatment]
    yield f"lost: {frames} frames ({share:.1f} %) in {hit} of {len(lost)} episodes; {outcome}: {kept} episodes"


def track_words(told: Told) -> Iterator[str]:
    """Unit in which the numbers of tracks were read, and points that it puts outside their images."""
    yield f"tracks: u and v read as {told.unit}"
    if told.outside:
        yield f"tracks: {told.outside} of {told.seen} points lie outside their images, and count as hidden"


def omitted(layout: Layout, short: int) -> Iterator[str]:
    """Features and episodes that are left out; `short` counts episodes."""
    if layout.left_out:
        yield f"not used: {', '.join(layout.left_out)}"
    if short:
        yield f"left out: {short} episode{'s' if short > 1 else ''} of less than two frames"
    if not layout.action and ACTION in layout.left_out:
        yield f"the set is auxiliary: {ACTION} and {STATE} are left out of it"


def _origin(arm: ArmColumns) -> str:
    if isinstance(arm.tool, Computed):
        source = f"from {notation(arm.tool.joints)} as the joints {', '.join(arm.tool.chain.joints)}"
    else:
        rotation = f"rotation {notation(arm.tool.rotation)} as {arm.tool.code}"
        source = f"position {notation(arm.tool.position)}, {rotation}"
    return f"{source}; gripper {notation(arm.gripper) or 'not recorded'}"
