"""`glam data adopt`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from glam.commands.console import bar, say
from glam.commands.flags import Six, chains_of
from glam.core.errors import GlamError
from glam.core.files import contained

if TYPE_CHECKING:  # MuJoCo is loaded by those alone who ask for kinematics
    from glam.interop.lerobot.mapping import ImportOptions
    from glam.sim.kinematics import Chain


@dataclass(frozen=True)
class PoseFlags:
    """Source of end-effector poses that feature names do not identify."""

    kinematics: Path | None = None
    """URDF or MJCF of the robot: poses are found from its joints. Meshes need not be there."""
    tool_frame: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """Link or site of that model whose pose is wanted; with two arms left=NAME and right=NAME."""
    rotation: Literal[
        "auto", "quaternion-xyzw", "quaternion-wxyz", "rotation-vector", "roll-pitch-yaw", "six", "matrix"
    ] = "auto"
    """Notation of a rotation that --map names."""
    angles: Literal["radians", "degrees"] = "radians"
    """Unit of joints, rotation vectors and roll, pitch, yaw."""
    lengths: Literal["metres", "millimetres"] = "metres"
    """Unit of recorded positions."""
    gripper: tuple[float, float] | None = None
    """Readings of a closed and of an open gripper; by default 0 and the largest reading. Use 0 0.1 for readings in
    metres, so that an opening means the same in all sets."""
    base: Six = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    """Placement of the recorded poses' frame in the world frame of all sets: x y z (m) roll pitch yaw (degrees)."""
    tool: Six = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    """Placement of the common tool point in the recorded tool frame: x y z (m) roll pitch yaw (degrees)."""

    def chains(self) -> "dict[str, Chain]":
        """Kinematic models by the names of the arms; the name of a single arm is empty."""
        return chains_of(self.kinematics, self.tool_frame)


@dataclass(frozen=True)
class TrackingFlags:
    """Frames in which the tracker was lost, where the dataset says so (is_lost or observation.valid)."""

    lost: Literal["split", "drop", "keep"] = "split"
    """split: cut the episode at these frames; drop: leave out the episode; keep: everything as recorded."""
    lost_gap: float = 0.2
    """Longest gap in seconds that is bridged: poses are interpolated, and the episode stays whole."""


@dataclass(frozen=True)
class Adopt:
    """Make datasets for GLAM from LeRobot datasets, v3.0 or v2. The same command resumes an interrupted run.

    Cameras, state, action and pose are found by their names; the result is printed. See
    docs/bring_your_own_data.md.
    """

    source: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="SRC")]
    """Folder of a LeRobot dataset, or its id on the Hugging Face Hub (user/name); one or more."""
    out: Path
    """Folder of the new dataset. With several SRC, each gets a folder of its own name in it."""
    revision: str = ""
    """Branch, tag or commit on the Hub; by default the main branch. The commit is recorded."""
    map: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """OURS=THEIRS, may be given several times: observation.images.front=observation.images.top,
    observation.state=FEATURE, action=FEATURE, observation.ee_pose.position=FEATURE[0:3], .rotation, .gripper,
    joints=FEATURE[entries], and in delta actions action.gripper=action[6]. Features are joined with +. Once a camera is
    mapped, only mapped ones are taken."""
    role: Literal["auto", "target", "auxiliary"] = "auto"
    """auxiliary drops action and state. auto makes a target set if there are actions, unless they are those of a
    hand-held gripper."""
    actions: Literal["auto", "absolute", "delta"] = "auto"
    """Absolute actions say where to be, delta actions by how much to move; at another --rate, deltas add up. auto: as
    the dataset declares, or absolute if the actions follow the state; otherwise the command asks for it."""
    rate: int | None = None
    """New frame rate in Hz: poses and states are interpolated, images the nearest in time. By default as recorded."""
    size: int | None = None
    """Height and width of images in pixels. As recorded by default."""
    task: str = ""
    """Instruction: what is done, as a sentence; by default as in SRC."""
    dry_run: bool = False
    """Print how the dataset is interpreted, and write nothing."""
    pose: PoseFlags = PoseFlags()
    tracking: TrackingFlags = TrackingFlags()

    def run(self) -> int:
        """Adopt the datasets and print a summary of each."""
        from glam.core.files import require_writable

        places = adopted_folders(self.source, self.out)
        if not self.dry_run:
            for out in places.values():
                require_writable(out)
        for given, out in places.items():
            if len(places) > 1:
                say(f"{given}:")
            self._adopt(given, out)
        return 0

    def _adopt(self, source: str, out: Path) -> None:
        from glam.stages.adopt import AdoptConfig, located, prepare

        root, hub = located(source, out, self.revision)
        if hub is not None:
            say(f"{hub.repo} on the Hub, revision {hub.revision}")
        config = AdoptConfig(self._options(), self.rate, self.size)
        adoption = prepare(config, root, out, self.pose.chains(), say, hub)
        say(adoption.result.sentence)
        if not self.dry_run:
            with bar(f"adopting {source}") as progress:
                adoption.write(progress)
            say(str(adoption.result.root))

    def _options(self) -> "ImportOptions":
        from glam.interop.imports.recordings import Hints
        from glam.interop.lerobot.lost_frames import LostFrames
        from glam.interop.lerobot.mapping import ImportOptions, parse_map

        pose = self.pose
        return ImportOptions(
            names=parse_map(self.map),
            role=self.role,
            rotation=None if pose.rotation == "auto" else pose.rotation,
            angles=pose.angles,
            lengths=pose.lengths,
            base=pose.base,
            tool=pose.tool,
            actions=self.actions,
            lost=LostFrames(self.tracking.lost, self.tracking.lost_gap),
            hints=Hints(gripper=pose.gripper, task=self.task),
        )


def adopted_folders(sources: tuple[str, ...], out: Path) -> dict[str, Path]:
    """Folder of each new dataset; of several, below `out` and called as their sources."""
    if not sources:
        raise GlamError("SRC: give the folder of a LeRobot dataset, or its id on the Hub, user/name")
    if len(sources) == 1:
        return {sources[0]: out}
    places = {source: contained(out, Path(source).resolve().name) for source in sources}
    if len(places) < len(sources) or len(set(places.values())) < len(sources):
        raise GlamError("SRC: two datasets have the same name, after which their folders are called; adopt them apart")
    return places
