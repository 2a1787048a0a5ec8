"""The values of one episode: poses, rotations, grippers, joints. Units and jumps that a robot cannot make."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from glam.data.check.data_files import EpisodeSlice
from glam.data.check.finding import Checking, Finding, more
from glam.data.check.info import CheckedInfo
from glam.data.check.tracks import check_tracks
from glam.data.schema import ACTION, EE_POSE, GRIPPER, LARGEST_VALUE, POSE_SIZE, STATE
from glam.data.tracks import EE_TRACKS, PER_POINT

Array = NDArray[np.float64]
Vectors = dict[str, Array]

FASTEST_HAND = 3.0  # m/s; the fastest arm of this kind moves at half of that
FASTEST_TURN = 25.0  # rad/s, four turns a second
FARTHEST = 10.0  # m from the origin: beyond any table
LARGEST_ANGLE = 4.0 * np.pi  # rad; two turns. In degrees nearly every joint exceeds it
LARGEST_STEP = np.pi  # rad from one frame to the next: a wrapped angle
SKEW = 1e-3  # how far a column of a rotation may be from unit length, and two from right angles
GRIPPER_SLACK = 0.02  # of the stroke; what a compliant finger may overshoot


def check_values(rows: EpisodeSlice, vectors: Vectors, info: CheckedInfo) -> Checking[None]:
    """Check the vectors of one episode, each (T, n)."""
    finite = {}
    for key, values in vectors.items():
        wrong = np.asarray(~np.isfinite(values).all(axis=1))
        yield from _at(rows, "not-finite", wrong, f"{key} holds a value that is not a finite number")
        finite[key] = np.where(wrong[:, None], np.nan, values)
        if key in (EE_POSE, EE_TRACKS, STATE, ACTION):  # other features are not used
            largest = np.nanmax(np.abs(finite[key]), axis=1, initial=0.0)
            yield from _at(rows, "absurd", largest > LARGEST_VALUE, f"{key} holds a number that none can be", largest)
    names = info.features[EE_TRACKS].names if EE_TRACKS in finite else ()
    if names and len(names) == finite[EE_TRACKS].shape[1] and len(names) % PER_POINT == 0:
        yield from check_tracks(rows, finite[EE_TRACKS], names)
    pose = finite.get(EE_POSE)
    if pose is not None and pose.shape[1] % POSE_SIZE == 0:
        for arm in range(pose.shape[1] // POSE_SIZE):
            name = arm_name(info, arm)
            yield from _pose(rows, pose[:, arm * POSE_SIZE : (arm + 1) * POSE_SIZE], name, info)
        # Without a pose no joint is ever turned into one: states and actions may be pixels or degrees as well.
        for key in (STATE, ACTION):
            if key in finite:
                yield from _joints(rows, key, finite[key][:, joints(info, key)])


def arm_name(info: CheckedInfo, arm: int) -> str:
    """Name of an arm by the names of the pose entries, such as `left` of `left.x`."""
    names = info.features[EE_POSE].names
    return names[arm * POSE_SIZE].rpartition(".")[0] or f"arm {arm}" if len(names) > arm * POSE_SIZE else f"arm {arm}"


def joints(info: CheckedInfo, key: str) -> list[int]:
    """Which entries of a state or action are joints: all that are not called gripper; none when they have no names."""
    names = info.features[key].names
    return [index for index, name in enumerate(names) if "gripper" not in name.lower()]


def _pose(rows: EpisodeSlice, pose: Array, arm: str, info: CheckedInfo) -> Iterator[Finding]:
    position, first, second, gripper = pose[:, :3], pose[:, 3:6], pose[:, 6:9], pose[:, GRIPPER]
    skew = np.stack([np.abs((first**2).sum(1) - 1), np.abs((second**2).sum(1) - 1), np.abs((first * second).sum(1))])
    yield from _at(rows, "rotation", skew.max(0) > SKEW, f"the rotation of {arm} is not orthonormal")
    outside = (gripper < -GRIPPER_SLACK) | (gripper > 1.0 + GRIPPER_SLACK)
    yield from _at(rows, "gripper-range", outside, f"the gripper opening of {arm} is outside 0..1", gripper)
    distance = np.linalg.norm(position, axis=1)
    known = distance[np.isfinite(distance)]
    if len(known) and np.median(known) > FARTHEST:
        problem = f"{arm} is {np.median(known):.3g} m from the origin: the positions look like millimetres"
        yield rows.finding("units-length", problem)
    elif info.fps > 0.0:
        yield from _jumps(rows, position, np.stack([first, second], axis=-1), arm, info.fps)


def _jumps(rows: EpisodeSlice, position: Array, columns: Array, arm: str, fps: float) -> Iterator[Finding]:
    speed = _from_second(np.linalg.norm(np.diff(position, axis=0), axis=1) * fps)
    yield from _at(
        rows, "teleport", speed > FASTEST_HAND, f"{arm} moves faster than {FASTEST_HAND:g} m/s", speed, "m/s"
    )
    third = np.cross(columns[..., 0], columns[..., 1])
    rotation = np.concatenate([columns, third[..., None]], axis=-1)
    cosine = (np.einsum("tij,tij->t", rotation[1:], rotation[:-1]) - 1.0) / 2.0
    turn = _from_second(np.arccos(np.clip(cosine, -1.0, 1.0)) * fps)
    flipped = (turn > FASTEST_TURN) & (turn / fps > np.pi / 2)  # at a low rate a quick turn alone is no flip
    yield from _at(rows, "teleport", flipped, f"{arm} turns over between two frames", turn, "rad/s")


def _joints(rows: EpisodeSlice, key: str, angles: Array) -> Iterator[Finding]:
    if not angles.size:
        return
    largest = np.abs(angles).max(axis=1)
    degrees = largest > LARGEST_ANGLE
    yield from _at(rows, "units-angle", degrees, f"{key} has joints beyond two turns: they look like degrees", largest)
    if not degrees.any():
        step = _from_second(np.abs(np.diff(angles, axis=0)).max(axis=1))
        yield from _at(rows, "joint-jump", step > LARGEST_STEP, f"a joint of {key} jumps", step, "rad")


def _from_second(steps: Array) -> Array:
    """Steps between frames, each assigned to the later frame."""
    return np.concatenate([[0.0], steps])


def _at(
    rows: EpisodeSlice, code: str, wrong: NDArray[np.bool_], problem: str, values: Array | None = None, unit: str = ""
) -> Iterator[Finding]:
    """One finding for all frames where `wrong` is true: it names the first and counts the others."""
    frames = np.flatnonzero(wrong)
    if len(frames):
        shown = "" if values is None else f" ({values[frames[0]]:.3g}{' ' + unit if unit else ''})"
        yield rows.finding(code, problem + shown + more(len(frames)), int(frames[0]))
