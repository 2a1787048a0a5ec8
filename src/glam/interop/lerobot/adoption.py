"""Adoption of a LeRobot dataset: reads it as a recording that can be converted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from glam.core.errors import GlamError
from glam.data.episode_locations import EpisodeLocation
from glam.data.schema import ACTION, EE_POSE, STATE
from glam.data.tracks import FINGERS
from glam.interop.imports.point_tracks import PointTracks, Told, read_points
from glam.interop.imports.recordings import Motion, Recording, Track, numbered, opening_range
from glam.interop.lerobot.actions import DOUBT, delta_entries, follow_state
from glam.interop.lerobot.arm_columns import ArmColumns
from glam.interop.lerobot.conventions import Layout, find
from glam.interop.lerobot.entries import Entry, notation
from glam.interop.lerobot.hand_held import by_convention, lost_flags
from glam.interop.lerobot.lost_frames import Flags, pieces
from glam.interop.lerobot.mapping import HELD, ImportOptions, asked, flag_of
from glam.interop.lerobot.pose_sources import Computed, outside
from glam.interop.lerobot.source import LeRobotSource
from glam.interop.lerobot.summary import (
    ABSOLUTE,
    DELTA,
    UNKNOWN,
    convention,
    exceptions,
    lost_words,
    omitted,
    track_words,
    understood,
    warnings,
)
from glam_client.live_pose import LivePose, gripper_readings
from glam_client.pose_conversion import FROM_JOINTS, ArmRecipe, Array, Kinematics, Number, PoseRecipe

Numbers = dict[Entry, Array]


@dataclass(frozen=True, eq=False)
class Adopted:
    """Recording made from a dataset, with sentences on how its features were interpreted."""

    recording: Recording
    sentences: tuple[str, ...]
    doubt: str = ""
    """Open question that the user must answer before a dataset can be made; empty if there is none."""


@dataclass(frozen=True, eq=False)
class _Reading:
    """A dataset with all its numbers."""

    source: LeRobotSource
    layout: Layout
    options: ImportOptions
    records: tuple[EpisodeLocation, ...]
    numbers: tuple[Numbers, ...]
    lost: tuple[Flags, ...]
    """Of each episode, where tracking was lost."""

    def stacked(self, entries: Sequence[Entry]) -> list[Array]:
        """(T, n) of each episode."""
        empty = [np.empty((record.length, 0)) for record in self.records]
        return [np.column_stack([part[entry] for entry in entries]) for part in self.numbers] if entries else empty


def adopt(root: Path, options: ImportOptions, chains: Mapping[str, Kinematics], rate: int | None) -> Adopted:
    """Everything but the images of a dataset; `rate` is that of the set to be made, as recorded by default."""
    source = LeRobotSource.open(root)
    known = by_convention(source.info, source.features, options, has_models=bool(chains))
    options = known.options if known else options
    try:
        layout = find(source.features, options, chains)
    except GlamError as error:
        raise GlamError(f"{root}: {error}") from None
    records, short = _long_enough(source, layout, rate)
    used = [*layout.state, *layout.action, *layout.tracks.entries]
    used += [entry for arm in layout.arms for entry in (*arm.tool.entries, *arm.gripper)]
    numbers = tuple(source.numbers(record, dict.fromkeys(used)) for record in records)
    reading = _Reading(source, layout, options, records, numbers, _lost(source, layout, records))
    try:
        kind = _action_kind(reading)
        delta_actions = _delta_actions(reading, kind)
        points, told = _points(reading)
        recording = _recording(reading, delta_actions, points, rate)
    except GlamError as error:
        raise GlamError(f"{root}: {error}") from None
    beyond = {arm.name: _beyond(reading, arm) for arm in layout.arms}
    kinds = f"{kind}{exceptions(layout, delta_actions) if kind == DELTA else ''}"
    sentences = (
        *(convention(known.name, known.remarks) if known else ()),
        *understood(layout, kinds),
        *warnings(layout, beyond),
        *(track_words(told) if told else ()),
        *lost_words(reading.lost, len(recording.tracks), options.lost),
        *omitted(layout, short),
    )
    return Adopted(recording, sentences, DOUBT if kind == UNKNOWN else "")


def _lost(source: LeRobotSource, layout: Layout, records: Sequence[EpisodeLocation]) -> tuple[Flags, ...]:
    """(T,) of each episode: True where tracking was lost; without poses that does not matter."""
    known = lost_flags(source.info.features, layout.arm_names) if layout.arms else None
    if known is None:
        return tuple(np.zeros(record.length, np.bool_) for record in records)
    return tuple(known.lost(source.flags(record, known.feature)) for record in records)


def _long_enough(source: LeRobotSource, layout: Layout, rate: int | None) -> tuple[tuple[EpisodeLocation, ...], int]:
    """The episodes that have a transition, and the number of those that do not."""
    every = source.episodes((*layout.cameras.values(), *layout.masks.values()))
    step = 1.0 / (rate if rate else source.info.fps)
    kept = tuple(record for record in every if (record.length - 1) / source.info.fps >= step * (1.0 - 1e-6))
    if not kept:
        raise GlamError(f"{source.root}: none of its {len(every)} episodes lasts two frames; there is nothing to adopt")
    return kept, len(every) - len(kept)


def _points(reading: _Reading) -> tuple[tuple[PointTracks | None, ...], Told | None]:
    """Fingertips of each episode, and how their numbers were read; None where none are tracked."""
    columns, features = reading.layout.tracks, reading.source.features
    if not columns.points:
        return tuple(None for _ in reading.records), None
    shapes = [features.images[reading.layout.cameras[camera]].image_shape for camera in columns.cameras]
    sides = [(width, height) for height, width, _ in shapes for _ in FINGERS]
    places = [np.stack([part[..., :2] for part in episode], 1) for episode in _of_points(reading)]
    seen = [np.stack([part[..., 2] > 0.5 for part in episode], 1) for episode in _of_points(reading)]
    times = [np.arange(record.length) / reading.source.info.fps for record in reading.records]
    return read_points(times, places, seen, np.array(sides * len(columns.arms), np.float64), "tracks")


def _of_points(reading: _Reading) -> Iterator[list[Array]]:
    """Yield u, v and visible (T, 3) of every point of each episode; without a flag a point is always seen."""
    columns = [reading.stacked(point) for point in reading.layout.tracks.points]
    for parts in zip(*columns, strict=True):
        yield [part if part.shape[1] > 2 else np.column_stack([part, np.ones(len(part))]) for part in parts]


def _recording(
    reading: _Reading,
    delta_actions: tuple[int, ...],
    points: Sequence[PointTracks | None],
    rate: int | None,
) -> Recording:
    layout, source, recipe = reading.layout, reading.source, _recipe(reading)
    chains = [arm.tool.chain for arm in layout.arms if isinstance(arm.tool, Computed)]
    motions = _motions(reading, LivePose(recipe, chains))
    channels = source.features.images[next(iter(layout.masks.values()))].image_shape[2] if layout.masks else 0
    objects = source.objects if len(source.objects) == channels else numbered("object", channels)
    if layout.action and not layout.state and not layout.arms:
        raise GlamError(f"has {ACTION} but neither {STATE} nor a pose; name the state with --map {STATE}=FEATURE")
    step = 1.0 / (rate or source.info.fps)
    every = zip(reading.records, motions, reading.lost, points, strict=True)
    tracks = tuple(track for episode in every for track in _tracks(reading, *episode, step))
    if not tracks:
        raise GlamError("tracking is lost in every episode; --lost keep adopts them all the same")
    return Recording(
        source=source.root,
        robot=source.info.robot or "unknown",
        rate=float(source.info.fps),
        arms=layout.arm_names,
        state_names=_unique(layout.state),
        action_names=_unique(layout.action),
        is_bound_to_rate=False,
        tracks=tracks,
        delta_actions=delta_actions,
        objects=objects,
        has_pose=bool(layout.arms),
        track_cameras=layout.tracks.cameras,
        poses=recipe,
    )


def _tracks(
    reading: _Reading, record: EpisodeLocation, motion: Motion, lost: Flags, points: PointTracks | None, step: float
) -> Iterator[Track]:
    """The parts of an episode that are kept; a part must last a step of the new dataset."""
    source, layout = reading.source, reading.layout
    task = reading.options.hints.task or record.task or source.root.resolve().name
    for piece in pieces(motion, lost, reading.options.lost):
        if piece.motion.times[-1] - piece.motion.times[0] < step * (1.0 - 1e-6):
            continue
        is_whole = piece.last - piece.first + 1 == record.length
        part = "" if is_whole else f", frames {piece.first} to {piece.last}"
        images = {camera: piece.shown(source.frames(record, name)) for camera, name in layout.cameras.items()}
        masks = {camera: piece.shown(source.frames(record, name)) for camera, name in layout.masks.items()}
        fingertips = points and points.part(piece.first, piece.last)
        yield Track(f"episode {record.index}{part}", task, piece.motion, images, masks, fingertips)


def _motions(reading: _Reading, live: LivePose) -> list[Motion]:
    layout, count = reading.layout, len(reading.layout.arms)
    states, actions = reading.stacked(layout.state), reading.stacked(layout.action)
    motions = []
    for number, record in enumerate(reading.records):
        shape = (record.length, count)
        read = {(entry.feature, entry.number): values for entry, values in reading.numbers[number].items()}
        arms = list(live.paths(read, f"episode {record.index}"))
        motions.append(
            Motion(
                times=np.arange(record.length) / reading.source.info.fps,
                positions=np.stack([arm.positions for arm in arms], 1) if arms else np.empty((*shape, 3)),
                quaternions=np.stack([arm.quaternions for arm in arms], 1) if arms else np.empty((*shape, 4)),
                openings=np.stack([arm.openings for arm in arms], 1) if arms else np.empty(shape),
                state=states[number],
                action=actions[number],
            )
        )
    return motions


def _recipe(reading: _Reading) -> PoseRecipe:
    """Recipe for the poses, used here and later by the robot itself."""
    arms, options, vectors = reading.layout.arms, reading.options, reading.source.features.vectors
    used = sorted({entry.feature for arm in arms for entry in (*arm.tool.entries, *arm.gripper)})
    return PoseRecipe(
        features={name: tuple(entry.name for entry in vectors[name].entries) for name in used},
        arms=tuple(_arm_recipe(reading, arm) for arm in arms),
        angles=options.angles,
        lengths=options.lengths,
        base=options.base,
        tool=options.tool,
    )


def _arm_recipe(reading: _Reading, arm: ArmColumns) -> ArmRecipe:
    tool = arm.tool
    closed, opened = _opening_range(reading, arm) if arm.gripper else (0.0, 1.0)
    return ArmRecipe(
        name=arm.name,
        numbers=_numbers(tool.entries),
        code=FROM_JOINTS if isinstance(tool, Computed) else tool.code,
        model=tool.chain.digest if isinstance(tool, Computed) else "",
        gripper=_numbers(arm.gripper),
        closed=closed,
        opened=opened,
    )


def _numbers(entries: Sequence[Entry]) -> tuple[Number, ...]:
    return tuple((entry.feature, entry.number) for entry in entries)


def _opening_range(reading: _Reading, arm: ArmColumns) -> tuple[float, float]:
    # In our own unit it stays as it is: the widest opening of a set need not be that of its gripper.
    known = reading.options.hints.gripper or ((0.0, 1.0) if arm.gripper[0].feature == EE_POSE else None)
    return opening_range(list(map(gripper_readings, reading.stacked(arm.gripper))), known, notation(arm.gripper))


def _action_kind(reading: _Reading) -> str:
    """Kind of the actions, in a word."""
    wanted, layout, source = reading.options.actions, reading.layout, reading.source
    if wanted != "auto" or not layout.action:
        return wanted
    if source.delta_actions:
        return DELTA
    if source.digests or follow_state(reading.stacked(layout.action), reading.stacked(layout.state)):
        return ABSOLUTE
    return UNKNOWN


def _delta_actions(reading: _Reading, kind: str) -> tuple[int, ...]:
    """Entries of an action that are deltas: as the user says, or the set, or by their names."""
    source, action = reading.source, reading.layout.action
    held = asked(source.features, reading.options, HELD)
    if kind != DELTA:
        if held:
            raise GlamError(f"{flag_of(HELD)}: needs --actions delta; leave it out")
        return ()
    if source.delta_actions and reading.options.actions == "auto":
        return tuple(
            i for i, entry in enumerate(action) if entry.feature == ACTION and entry.name in source.delta_actions
        )
    return delta_entries(action, held)


def _beyond(reading: _Reading, arm: ArmColumns) -> str:
    numbers = reading.stacked(arm.tool.entries)
    return outside(arm.tool, numbers, in_degrees=reading.options.angles == "degrees")


def _unique(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Names of entries; with the feature's where two would be called the same."""
    names = [entry.name for entry in entries]
    return tuple(e.name if names.count(e.name) == 1 else f"{e.feature}.{e.name}" for e in entries)
