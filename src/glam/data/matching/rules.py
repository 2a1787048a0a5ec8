"""Rules for datasets that are trained on together: how serious each difference is, and what to do about it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from glam.data.demonstrations import SHORTEST, shared
from glam.data.matching.facts import Facts, Hand
from glam.data.matching.views import fault

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")

MOVES = 0.05
"""Least range of an opening that counts as motion."""
_MARGIN = 0.05
"""Metres by which a workspace may be left."""
_OVERLAP = (0.01, 0.5)
"""Share of an auxiliary path inside the target's workspace below which the frames differ, and below which they may."""
_TURNED = 60.0
"""Degrees between the directions of two tools."""
_STEADY = 0.8
"""Least length of a finger line that is compared: it lies alike in all episodes."""
_CLOSES = 0.3
"""Share of the stroke by which a hand opens or closes where it grips."""
_FASTER = 4.0
_WIDER = 2.5
_APART = 0.03
"""Least distance of two fingertips, in units of the image, from which on their order is compared."""
_OPPOSITE = 0.7
"""Cosine between the lines of two hands' fingers from which on they lie the other way round."""
_SHAPE = 1.15
"""Ratios beyond which a difference is reported."""


@dataclass(frozen=True)
class Mismatch:
    """A difference between the target and another set."""

    severity: Severity
    topic: str
    problem: str
    remedy: str


def differences(target: Facts, other: Facts) -> Iterator[Mismatch]:
    """All differences between the target and an auxiliary set."""
    for rule in (_roles, _amounts, _rates, _cameras, _images, _masks, _arms, _poses, _tracks):
        yield from rule(target, other)
    if target.schema.arms == other.schema.arms:
        for arm, mine, its in zip(target.schema.arms, target.hands, other.hands, strict=False):
            adopt = f"glam data adopt {other.root} --out NEW"
            for compare in (_workspaces, _directions, _fingers, _grippers):
                yield from compare(arm, mine, its, adopt)
            yield from _speeds(arm, mine, its)


def _roles(target: Facts, other: Facts) -> Iterator[Mismatch]:
    if target.schema.role != "target":
        yield Mismatch("error", "role", f"{target.root} has no actions", "give the set with actions as --target")
    if other.schema.role == "target":
        yield Mismatch("note", "role", f"{other.root} has actions, which are not used", "nothing to do")


def _amounts(target: Facts, other: Facts) -> Iterator[Mismatch]:
    for one in (target, other):
        if one.episodes < 2:
            problem = f"{one.root} has {one.episodes} episodes; one of at least 2 is held out"
            yield Mismatch("error", "episodes", problem, "record more")
        if one.shortest < SHORTEST:
            problem = f"{one.root} has an episode of {one.shortest} frame; a transition needs {SHORTEST}"
            yield Mismatch("error", "episodes", problem, "leave it out; glam data check says which one it is")


def _rates(target: Facts, other: Facts) -> Iterator[Mismatch]:
    mine, its = target.schema.fps, other.schema.fps
    if mine != its:
        remedy = f"glam data adopt {other.root} --out NEW --rate {mine}"
        yield Mismatch("error", "rate", f"{other.root} has {its} Hz, the target {mine}", remedy)


def _cameras(target: Facts, other: Facts) -> Iterator[Mismatch]:
    common = shared([target.schema, other.schema]).cameras
    if not common:
        example = f"observation.images.{target.schema.cameras[0]}=observation.images.{other.schema.cameras[0]}"
        problem = f"{other.root} has no camera of the target's names"
        remedy = f"name what shows the same view alike: glam data adopt {other.root} --out NEW --map {example}"
        yield Mismatch("error", "cameras", problem, remedy)
        return
    for one in (target, other):
        extra = [camera for camera in one.schema.cameras if camera not in common]
        if extra:
            problem = f"{', '.join(extra)} of {one.root} is left out"
            remedy = f"nothing to do, or map a camera to it; {', '.join(common)} is used"
            yield Mismatch("note", "cameras", problem, remedy)
    shapes = [one.schema.image_size[1] / one.schema.image_size[0] for one in (target, other)]
    if max(shapes) > _SHAPE * min(shapes):
        problem = f"images of {other.root} have another shape: once all are square, things look wider or narrower"
        yield Mismatch("warning", "cameras", problem, "crop the videos to one shape before converting or adopting them")


def _images(target: Facts, other: Facts) -> Iterator[Mismatch]:
    for camera in sorted(target.views.keys() & other.views.keys()):
        if found := fault(target.views[camera], other.views[camera]):
            how, undo, after, before = found
            problem = f"the images of {camera} in {other.root} look {how}"
            problem += (
                f" (correlation with the target's first images {after:.2f} turned back, {before:.2f} as they are)"
            )
            remedy = (
                f"compare the first images (--page FILE.html); turn the videos back first, as ffmpeg -vf {undo} does"
            )
            yield Mismatch("warning", "images", problem, remedy)


def _masks(target: Facts, other: Facts) -> Iterator[Mismatch]:
    if not shared([target.schema, other.schema]).has_masks:
        problem = "not both sets have masks of the same objects, so methods called -o cannot be used"
        yield Mismatch("note", "masks", problem, "nothing to do for the others")


def _arms(target: Facts, other: Facts) -> Iterator[Mismatch]:
    mine, its = target.schema.arms, other.schema.arms
    if mine != its:
        problem = f"{other.root} has {', '.join(its)}, the target {', '.join(mine)}"
        yield Mismatch("error", "arms", problem, "use sets of robots with the same arms, named alike")


def _poses(target: Facts, other: Facts) -> Iterator[Mismatch]:
    common = shared([target.schema, other.schema])
    for one in (target, other):
        if not one.schema.has_pose and not common.track_cameras:
            problem = f"{one.root} has no end-effector pose: only methods called -no-pose learn from it, and less"
            remedy = f"glam data adopt {one.root} --out NEW --kinematics ROBOT.urdf --tool-frame NAME"
            yield Mismatch("warning", "pose", problem, f"{remedy}, or add tracks to all sets with glam data tracks")
    if target.schema.has_pose and not other.schema.has_pose and common.track_cameras:
        problem = f"{other.root} has no end-effector pose, but tracks: stage 1 learns from tracks alone"
        yield Mismatch("note", "pose", problem, "nothing to do; the policy uses the target's pose too")


def _tracks(target: Facts, other: Facts) -> Iterator[Mismatch]:
    mine, its = target.schema.track_cameras, other.schema.track_cameras
    if not (mine or its):
        return
    for one, here, there in ((target, mine, its), (other, its, mine)):
        missing = [camera for camera in there if camera not in here]
        if missing:
            problem = f"{one.root} has no tracks in {' and '.join(missing)}, so they count for nothing there"
            yield Mismatch("note" if here else "warning", "tracks", problem, f"glam data tracks {one.root} adds them")
    for title in sorted(target.fingers.keys() & other.fingers.keys()):
        a, b = target.fingers[title], other.fingers[title]
        lengths = float(np.linalg.norm(a)), float(np.linalg.norm(b))
        if min(lengths) > _APART and a @ b < -_OPPOSITE * lengths[0] * lengths[1]:
            problem = f"left and right finger of {title} are swapped in {other.root}, compared with the target"
            yield Mismatch(
                "warning", "tracks", problem, "swap the two clicks; left must be the same finger in all sets"
            )


def _workspaces(arm: str, mine: Hand, its: Hand, adopt: str) -> Iterator[Mismatch]:
    low, high = mine.box
    inside = ((its.positions >= low - _MARGIN) & (its.positions <= high + _MARGIN)).all(axis=1).mean()
    if inside >= _OVERLAP[1]:
        return
    severity: Severity = "error" if inside < _OVERLAP[0] else "warning"
    problem = f"{inside:.0%} of the path of {arm} lies in the target's workspace"
    sizes = [float(np.linalg.norm(hand.box[1] - hand.box[0])) for hand in (its, mine)]
    ratio = sizes[0] / max(sizes[1], 1e-9)
    if not 0.01 < ratio < 100.0:
        remedy = f"one of them is not in metres: {adopt} --lengths millimetres"
    else:
        shift = np.round(np.median(mine.positions, 0) - np.median(its.positions, 0), 2) + 0.0  # no minus before a zero
        place = " ".join(f"{value:.2f}" for value in shift)
        remedy = f"use one world frame for all poses; if both show the same task: {adopt} --base {place} 0 0 0"
    yield Mismatch(severity, "workspace", problem, remedy)


def _directions(arm: str, mine: Hand, its: Hand, adopt: str) -> Iterator[Mismatch]:
    lengths = float(np.linalg.norm(mine.direction)), float(np.linalg.norm(its.direction))
    if min(lengths) < 0.5:
        return  # points everywhere
    angle = float(np.degrees(np.arccos(np.clip(mine.direction @ its.direction / (lengths[0] * lengths[1]), -1, 1))))
    if angle > _TURNED:
        problem = f"the tool of {arm} points {angle:.0f} degrees away from the target's tool"
        remedy = f"if both hold it alike, the tool frames differ: {adopt} --tool 0 0 0 ROLL PITCH YAW"
        yield Mismatch("warning", "tool", problem, remedy)


def _fingers(arm: str, mine: Hand, its: Hand, adopt: str) -> Iterator[Mismatch]:
    """The line of the fingers, where both tools point the same way."""
    aims = float(np.linalg.norm(mine.direction)), float(np.linalg.norm(its.direction))
    lengths = float(np.linalg.norm(mine.finger)), float(np.linalg.norm(its.finger))
    if min(aims) < 0.5 or min(lengths) < _STEADY or mine.direction @ its.direction < 0.8 * aims[0] * aims[1]:
        return
    cosine = abs(float(mine.finger @ its.finger)) / (lengths[0] * lengths[1])
    angle = float(np.degrees(np.arccos(min(1.0, cosine))))
    if angle > _TURNED:
        problem = (
            f"the x axis of the tool of {arm} lies {angle:.0f} degrees from the target's, about the tool's own axis"
        )
        remedy = f"if both hold the object alike, the tool frames differ: {adopt} --tool 0 0 0 0 0 {round(angle)}"
        yield Mismatch("warning", "tool", problem, remedy)


def _speeds(arm: str, mine: Hand, its: Hand) -> Iterator[Mismatch]:
    slow, fast = sorted((mine.speed, its.speed))
    if fast > _FASTER * max(slow, 1e-6):
        problem = f"{arm} moves at {its.speed:.2f} m/s, the target's at {mine.speed:.2f}"
        remedy = "check the frame rates and the unit of positions; demonstrations of one speed have more in common"
        yield Mismatch("warning", "speed", problem, remedy)


def _grippers(arm: str, mine: Hand, its: Hand, adopt: str) -> Iterator[Mismatch]:
    spans = [hand.opening[1] - hand.opening[0] for hand in (mine, its)]
    if spans[0] < MOVES:
        return  # nothing to compare with
    if spans[1] < MOVES:
        problem = f"the gripper of {arm} never moves, the target's does"
        remedy = f"name it: {adopt} --map observation.ee_pose.gripper=FEATURE[entry]"
        yield Mismatch("warning", "gripper", problem, remedy)
        return
    if max(spans) > _WIDER * min(spans):
        problem = f"the opening of {arm} runs over {spans[1]:.2f}, the target's over {spans[0]:.2f}"
        yield Mismatch("warning", "gripper", problem, f"use one unit for both: {adopt} --gripper CLOSED OPEN")
    if min(abs(mine.closing), abs(its.closing)) > _CLOSES and mine.closing * its.closing < 0.0:
        words = ["opens" if hand.closing > 0.0 else "closes" for hand in (its, mine)]
        problem = f"the gripper {words[0]} before it rises from the object, the target's {words[1]}"
        wrong = f"{adopt} --gripper" if its.closing > 0.0 else "adopt the target again, --gripper"
        yield Mismatch("warning", "gripper", problem, f"0 is closed and 1 is open: {wrong} with both numbers swapped")
    elif max(mine.first_opening, its.first_opening) > 0.7 and min(mine.first_opening, its.first_opening) < 0.3:
        words = ["open" if hand.first_opening > 0.5 else "closed" for hand in (its, mine)]
        problem = f"episodes begin with a gripper that is {words[0]}, the target's {words[1]}"
        remedy = "look with glam data view whether the curves show that; hands that start differently are no fault"
        yield Mismatch("note", "gripper", problem, remedy)
