"""Recording of demonstrations as a run."""

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

from glam.bench.run import BenchRun, FolderOf, SourceSize
from glam.sim.embodiments.embodiment import USUAL_ACTIONS
from glam.sim.sensors import PERFECT_POINTS, PERFECT_TRACKER, USUAL_CAMERAS, CameraOffset, PointTracker, Tracker
from glam.sim.tasks import find_task
from glam.stages.align import align
from glam.stages.collect import CollectConfig, collect

HELD_OUT = 0.1
"""Share of the episodes of every source that no recipe learns from."""
_USUAL_STEPS = 150
"""max_episode_steps of stack-two, the unit of the work of an episode."""


@dataclass(frozen=True)
class DataRun(BenchRun):
    """Demonstrations."""

    kind: ClassVar[str] = "data"
    seconds: ClassVar[float] = 0.25
    can_spread: ClassVar[bool] = True
    task: str
    embodiment: str
    episodes: int
    seed: int
    tracker: Tracker = PERFECT_TRACKER
    vary_look: bool = False
    cameras: tuple[str, ...] = ()
    camera_offset: CameraOffset = USUAL_CAMERAS
    action_space: str = USUAL_ACTIONS
    has_pose: bool = True
    points: PointTracker | None = None
    """How well fingertips are tracked; None for no tracks."""

    @property
    def title(self) -> str:
        """Task, embodiment, number of episodes, first scene, errors of the poses and looks."""
        return f"{self.task}-{self.embodiment}-{self.episodes}-from-{self.seed}{self.flaws}"

    @property
    def flaws(self) -> str:
        """Errors of the tracker, what is known of the hand, looks, cameras and actions, as they appear in names."""
        actions = "" if self.action_space == USUAL_ACTIONS else f"-{self.action_space}"
        look = "-varied-look" if self.vary_look else ""
        return _flaws(self.tracker) + _hands(self) + look + _cameras(self) + actions

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of the recording, and the revision of the task."""
        revision = find_task(self.task).revision
        return {"collect": self._config.provenance, "episodes": self.episodes, "revision": revision}

    @property
    def size(self) -> float:
        """Episodes of usual length by one arm."""
        return self.episodes * episode_size(self.task)

    @property
    def learnt(self) -> SourceSize:
        """Size as a source of a training, which holds out a tenth of the episodes, at least one."""
        return SourceSize(self.embodiment, self.episodes - max(1, round(HELD_OUT * self.episodes)))

    def make(self, folder: Path, folder_of: FolderOf) -> dict[str, Any]:
        """Record them."""
        return self.make_with(1, folder, folder_of)

    def make_with(self, cores: int, folder: Path, folder_of: FolderOf) -> dict[str, Any]:
        """Record them with so many processes."""
        del folder_of
        done = collect(self._config, folder, self.episodes, workers=cores)
        return {"episodes": done.episodes, "discarded": done.discarded}

    @property
    def _config(self) -> CollectConfig:
        return CollectConfig(
            self.task,
            self.embodiment,
            self.seed,
            tracker=self.tracker,
            vary_look=self.vary_look,
            cameras=self.cameras,
            camera_offset=self.camera_offset,
            action_space=self.action_space,
            has_pose=self.has_pose,
            has_tracks=self.points is not None,
            points=self.points or PERFECT_POINTS,
        )


@dataclass(frozen=True)
class AlignedRun(DataRun):
    """Demonstrations whose poses were brought into the frame of a target's by what hands carry."""

    kind: ClassVar[str] = "aligned"
    seconds: ClassVar[float] = 0.15
    can_spread: ClassVar[bool] = False
    target: DataRun | None = None
    """Demonstrations whose poses are right; always given."""

    @property
    def flaws(self) -> str:
        """Errors before the alignment."""
        return f"{super().flaws}-aligned"

    @property
    def needs(self) -> tuple[BenchRun, ...]:
        """The same demonstrations as they were recorded, and the target's."""
        return (self._recorded, self._target)

    @property
    def settings(self) -> dict[str, Any]:
        """Nothing more than the datasets."""
        return {}

    def make(self, folder: Path, folder_of: FolderOf) -> dict[str, Any]:
        """Align them; returns what was found."""
        return asdict(align(folder_of(self._recorded), folder_of(self._target), folder))

    @property
    def _target(self) -> DataRun:
        assert self.target is not None
        return self.target

    @property
    def _recorded(self) -> DataRun:
        return DataRun(**{field.name: getattr(self, field.name) for field in fields(DataRun)})


def aligned(recorded: DataRun, target: DataRun) -> AlignedRun:
    """Demonstrations in the frame of a target's."""
    return AlignedRun(**{field.name: getattr(recorded, field.name) for field in fields(DataRun)}, target=target)


def _flaws(tracker: Tracker) -> str:
    shift = f"-{tracker.position_error_mm:g}mm" if tracker.position_error_mm else ""
    turn = f"-{tracker.angle_error_degrees:g}deg" if tracker.angle_error_degrees else ""
    offset = f"-{tracker.tool_offset_mm:g}mm-tool" if tracker.tool_offset_mm else ""
    turned = f"-{tracker.tool_turn_degrees:g}deg-tool" if tracker.tool_turn_degrees else ""
    gripper = "" if tracker.sees_gripper else "-hidden-gripper"
    readings = "" if tracker.gripper_readings == (0.0, 1.0) else "-gripper-units"
    return shift + turn + offset + turned + ("-own-frames" if tracker.has_own_frame else "") + gripper + readings


def _hands(data: DataRun) -> str:
    tracks = "" if data.points is None else f"-tracks-{data.points.noise_px:g}px"
    lost = f"-lost-{data.points.lost:g}" if data.points and data.points.lost else ""
    return ("" if data.has_pose else "-no-pose") + tracks + lost


def _cameras(data: DataRun) -> str:
    offset = data.camera_offset
    place = f"-cameras-{offset.centimetres:g}cm-{offset.degrees:g}deg" if offset != USUAL_CAMERAS else ""
    return "".join(f"-{camera}" for camera in data.cameras) + place + ("-each" if offset.varies else "")


def episode_size(task: str) -> float:
    """Work of an episode of a task, compared with one of stack-two."""
    found = find_task(task)
    return found.max_episode_steps / _USUAL_STEPS * len(found.arms)


def amounts(target: DataRun, auxiliary: tuple[DataRun, ...]) -> str:
    """Episodes of each source and errors of its poses, such as `111+444-20mm`."""
    return "+".join(f"{data.episodes}{data.flaws}" for data in (target, *auxiliary))


def another_hand(auxiliary: tuple[DataRun, ...]) -> tuple[str, ...]:
    """Words for who recorded the first auxiliary source, where it is not the hand-held gripper."""
    return tuple(f"others by {data.embodiment}" for data in auxiliary[:1] if data.embodiment != "umi")
