"""`glam collect`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from glam.commands.console import bar, say
from glam.core.simulated import EMBODIMENTS, TASKS

TaskName = Annotated[str, tyro.conf.arg(metavar="TASK", help=f"{TASKS.choices}.")]
EmbodimentName = Annotated[str, tyro.conf.arg(metavar="NAME", help=f"{EMBODIMENTS.choices}.")]
RobotName = Annotated[str, tyro.conf.arg(metavar="NAME", help=f"Robot that acts: {EMBODIMENTS.choices}.")]
"""Names of the registry in `glam.core.simulated`, listed by `--help`."""


@dataclass(frozen=True)
class Collect:
    """Record scripted demonstrations as a LeRobot dataset. The same command resumes an interrupted run."""

    task: tyro.conf.Positional[TaskName]
    embodiment: EmbodimentName
    out: Path
    """Folder of the dataset."""
    episodes: int = 100
    """Demonstrations in the folder when the command has finished."""
    seed: int = 0
    """Number of the first scene: episode i starts from scene SEED + i. Give every dataset a range of its own."""
    workers: int = 2
    """Number of processes. The dataset does not depend on it."""
    image_size: int = 96
    """Height and width of images, in pixels."""
    disturbances: float = 0.05
    """Probability that the gripper is pushed aside in a step of a free movement; the expert recovers. 0 for never."""
    misses: float = 0.0
    """Probability that the first grasp misses the object. The expert notices, and grasps again."""
    pose_error_mm: float = 0.0
    """Calibration error of the pose tracker: poses of an episode are shifted this far, in one random direction."""
    pose_error_degrees: float = 0.0
    """The same for rotation: poses of an episode are rotated by this angle, about one random axis."""
    tool_offset_mm: float = 0.0
    """Constant error of the tracker: poses are those of a point this far beyond the tool point, along the tool."""
    tool_turn_degrees: float = 0.0
    """Constant error of the tracker: its tool is turned by this angle about the x axis of the true tool."""
    pose_frame: Literal["common", "own"] = "common"
    """own: every episode has an origin and a heading of its own, as with SLAM; the vertical stays vertical."""
    gripper_readings: tuple[float, float] = (0.0, 1.0)
    """Recorded numbers of a closed gripper and of one that is open by 10 cm, as of a sensor with unknown units."""
    hide_gripper: bool = False
    """Record a gripper opening of 0 in all poses, like a tracker that does not measure it."""
    hide_pose: bool = False
    """Record no end-effector pose at all."""
    tracks: bool = False
    """Also record the fingertips as points in every camera, and whether they show there: observation.ee_tracks."""
    track_noise_px: float = 0.0
    """Standard deviation of the noise on --tracks, in pixels."""
    track_lost: float = 0.0
    """Share of the frames in which the tracker loses a visible fingertip."""
    vary_look: bool = False
    """Film every episode in another room: with other colours of table, floor and backdrop, and other light. The motions
    stay the same."""
    action_space: Literal["joint-positions", "joint-velocities", "tool-deltas", "joint-torques"] = "joint-positions"
    """Meaning of the robot's actions; kinova has all four."""
    cameras: tuple[str, ...] = ()
    """Cameras to record; by default all of the task."""
    camera_offset_cm: float = 0.0
    """Shift of the cameras from their usual places, each in a random direction; they aim at the same scene."""
    camera_offset_degrees: float = 0.0
    """Angle by which the cameras go around the scene, each about a random axis."""
    camera_offset_varies: bool = False
    """Every episode has camera offsets of its own; otherwise all have the same."""

    def run(self) -> int:
        """Collect, and print how many episodes were recorded."""
        from glam.sim.expert import Disturbance
        from glam.sim.sensors import CameraOffset, PointTracker, Tracker
        from glam.stages.collect import CollectConfig, collect

        disturbance = Disturbance(probability=self.disturbances, misses=self.misses)
        tracker = Tracker(
            self.pose_error_mm,
            self.pose_error_degrees,
            not self.hide_gripper,
            self.tool_offset_mm,
            self.tool_turn_degrees,
            self.pose_frame == "own",
            self.gripper_readings,
        )
        points = PointTracker(self.track_noise_px, self.track_lost)
        config = CollectConfig(
            self.task,
            self.embodiment,
            self.seed,
            self.image_size,
            disturbance,
            tracker,
            self.vary_look,
            self.cameras,
            CameraOffset(self.camera_offset_cm, self.camera_offset_degrees, self.camera_offset_varies),
            self.action_space,
            has_pose=not self.hide_pose,
            has_tracks=self.tracks,
            points=points,
        )
        with bar(f"{self.task} by {self.embodiment}") as progress:
            done = collect(config, self.out, self.episodes, workers=self.workers, progress=progress)
        say(f"{done.new} new episodes, {done.discarded} failed demonstrations discarded, {done.episodes} in all")
        say(str(done.root))
        return 0
