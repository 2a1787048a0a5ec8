"""Which method fits the poses that datasets have: findings about frames, and one sentence that names the method."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from glam.data.demonstrations import shared
from glam.data.matching.facts import Facts
from glam.data.matching.pose_frames import Case, PoseFrame
from glam.data.matching.rules import Mismatch

_WORST: tuple[Case, ...] = ("own", "cameras", "per-episode", "constant", "unknown", "aligned", "common")
"""Cases, the hardest first."""


def frame_differences(target: Path, other: Path, frame: PoseFrame) -> Iterator[Mismatch]:
    """Findings about the frame of an auxiliary set."""
    align = f"glam data align {other} --target {target} --out NEW"
    if frame.case == "own":
        problem = f"every episode of {other} has an origin and a heading of its own"
        yield Mismatch("warning", "frame", problem, f"{align} finds them in the images")
    if frame.case == "per-episode":
        off = f"about {frame.scatter_mm:.0f} mm and {frame.scatter_degrees:.0f} degrees"
        problem = f"poses of {other} are off by {off}, differently in each episode"
        yield Mismatch("warning", "frame", problem, f"{align} takes most of it out")
    if frame.case == "constant":
        off = f"{frame.shift_mm:.0f} mm, and the tool is turned by {frame.tilt_degrees:.0f} degrees"
        problem = f"poses of {other} are off by {off}, in all episodes alike: another tool point or world frame"
        yield Mismatch("warning", "frame", problem, f"{align}, or glam data adopt --tool or --base if you know it")
    if frame.case == "cameras":
        problem = f"the views of {other} do not fit together as the target's do: cameras stand elsewhere"
        remedy = "go on: poses and latent actions do not need the same places, but film more of it in the usual ones"
        yield Mismatch("warning", "cameras", problem, remedy)
    if frame.grips is not None:
        its, mine = frame.grips
        problem = f"the gripper of {other} reads {its:.2f} around the same objects, the target's {mine:.2f}"
        yield Mismatch("warning", "gripper", problem, f"other units: {align}, or glam data adopt --gripper CLOSED OPEN")


def method(facts: Sequence[Facts], frames: Sequence[PoseFrame]) -> str:
    """The method to use, in a sentence; `facts` begin with the target's."""
    if forces := [name for name in facts[0].schema.action_names if "torque" in name.lower()]:
        return f"method: glam or glam-o; inverse kinematics (retarget) gives no torques, such as {forces[0]}"
    if not all(one.schema.has_pose for one in facts):
        if shared([one.schema for one in facts]).track_cameras:
            return (
                "method: glam or glam-o, by fingertip tracks; inverse kinematics (retarget) needs a pose of every set"
            )
        return "method: glam-no-pose; better with fingertips in the place of poses, see docs/regimes.md"
    case = min((frame.case for frame in frames), key=_WORST.index)
    if case == "common" and any(frame.grips for frame in frames):
        return f"method: {_OTHER_UNITS}"
    return f"method: {_METHODS[case]}"


_OTHER_UNITS = (
    "bring the gripper into the target's units first, as above; then inverse kinematics (retarget), and glam to compare"
)
_METHODS: dict[Case, str] = {
    "common": "inverse kinematics first (glam train-policy retarget): where all poses are good and in one frame, "
    "nothing labels better; compare glam with it",
    "aligned": "glam or glam-o, and inverse kinematics (retarget) to compare: a few millimetres of error may remain",
    "constant": "align first, then inverse kinematics (retarget) or glam",
    "per-episode": "align first, then glam or glam-o: inverse kinematics copies what errors are left into actions",
    "own": "align first, then glam or glam-o; before that, inverse kinematics cannot use these poses at all",
    "cameras": "glam-o or glam; inverse kinematics if the poses are known to be in the target's frame",
    "unknown": "glam or glam-o; inverse kinematics (retarget) if you know that all poses are exact and in one frame",
}
