"""Conversion of a recording to the episodes of a dataset."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from glam.core.errors import GlamError
from glam.core.workers import Progress
from glam.data import recording as store
from glam.data.recording import DatasetDescription
from glam.data.schema import ACTION, EE_POSE, IMAGE_PREFIX, MASK_PREFIX, POSE_NAMES, STATE, Episode, Role, Schema
from glam.data.tracks import EE_TRACKS
from glam.interop.imports.recordings import Array, FrameSequence, Images, Motion, Recording, Track
from glam.interop.imports.resampling import Pace, moments, motion_at, nearest, pace
from glam_client.orientations import pose_rows
from glam_client.resizing import resize

LARGEST_EPISODE = 4 << 30
"""Bytes of images that are held at once."""
_LARGEST_SIZE = 4096


@dataclass(frozen=True)
class MadeSet:
    """A dataset that was made of a recording, or will be."""

    root: Path
    role: Role
    episodes: int
    frames: int
    rate: int

    @property
    def sentence(self) -> str:
        """Summary for the user."""
        kind = "a target set, with actions" if self.role == "target" else "an auxiliary set, without actions"
        return f"{self.episodes} episodes, {self.frames} frames at {self.rate} Hz: {kind}"


@dataclass(frozen=True, eq=False)
class Plan:
    """Planned conversion of a recording. Everything but the images has been read and checked."""

    recording: Recording
    schema: Schema
    times: tuple[Array, ...]
    """Of the frames of each episode, in seconds of the source."""
    summed: tuple[int, ...] = ()
    """Entries of an action of which a frame takes the sum, where frames are other moments than the samples."""

    def result(self, root: Path) -> MadeSet:
        """Dataset that it will make in `root`."""
        return MadeSet(root, self.schema.role, len(self.times), sum(map(len, self.times)), self.schema.fps)

    def episode(self, index: int) -> Episode:
        """Read the images of an episode too, and put it together."""
        track, times = self.recording.tracks[index], self.times[index]
        motion = motion_at(track.motion, times, self.summed)
        vectors = {EE_POSE: poses(motion)} if self.schema.has_pose else {}
        if track.points is not None:
            vectors[EE_TRACKS] = track.points.at(times).astype(np.float64)
        if self.schema.role == "target":
            state = motion.state if self.recording.state_names else vectors[EE_POSE]
            vectors |= {STATE: state, ACTION: motion.action}
        masks = {MASK_PREFIX + camera: self._images(frames, times) for camera, frames in track.masks.items()}
        return Episode(
            vectors={key: values.astype(np.float32) for key, values in vectors.items()},
            images={IMAGE_PREFIX + camera: self._images(frames, times) for camera, frames in track.images.items()},
            masks={key: _whole_pixels(images) for key, images in masks.items()},
            task=track.task,
        )

    def _images(self, frames: FrameSequence, times: Array) -> Images:
        """The nearest frame at each time, read piece by piece. (N, Y, X, C)."""
        chosen = nearest(frames, times)
        images = np.empty((len(times), *self.schema.image_size, frames.channels), np.uint8)
        start = int(chosen[0])
        for piece in frames.pieces(start, int(chosen[-1]) + 1):
            here = (chosen >= start) & (chosen < start + len(piece))
            images[here] = resize(piece[chosen[here] - start], self.schema.image_size)
            start += len(piece)
        return images


def plan(recording: Recording, rate: int | None, size: int | None) -> Plan:
    """Decide on frames and features; as recorded by default."""
    try:
        at = pace(recording.rate, rate)
        _require_labels_fit(recording, at)
        times = tuple(moments(track, at) for track in recording.tracks)
        schema = _schema(recording, at.rate, size)
        for track, frames in zip(recording.tracks, times, strict=True):
            _require_room(track, len(frames), schema.image_size)
    except GlamError as error:
        raise GlamError(f"{recording.source}: {error}") from None
    return Plan(recording, schema, times, recording.delta_actions if _is_resampled(recording, at) else ())


def write(made: Plan, description: DatasetDescription, out: Path, progress: Progress) -> None:
    """Make the dataset in `out`; resumes an interrupted run. `progress` counts episodes."""
    tracks = made.recording.tracks
    with store.recording(out, made.schema, description):
        done = store.acknowledged(out)
        for index, track in enumerate(tracks):
            progress(index, len(tracks))
            if index not in done:
                store.save_episode(out, made.schema, index, made.episode(index), {"source": track.name})
        store.publish(out, made.schema, description, len(tracks))
        progress(len(tracks), len(tracks))


def poses(motion: Motion) -> Array:
    """The entries of `observation.ee_pose`, (T, 10 K)."""
    return pose_rows(motion.positions, motion.quaternions, motion.openings)


def _whole_pixels(masks: Images) -> Images:
    """A pixel is the object's of which the object covers half."""
    return np.where(masks >= 128, np.uint8(255), np.uint8(0))


def _is_resampled(recording: Recording, at: Pace) -> bool:
    return at.stretch == 1.0 and at.rate != recording.rate


def _require_labels_fit(recording: Recording, at: Pace) -> None:
    if _is_resampled(recording, at) and recording.action_names and recording.is_bound_to_rate:
        problem = f"its actions are deltas at {recording.rate:g} Hz, or may be, and mean nothing at another rate"
        raise GlamError(f"{problem}; leave --rate {at.rate} out")


def _schema(recording: Recording, rate: int, size: int | None) -> Schema:
    pose_names = tuple(f"{arm}.{name}" for arm in recording.arms for name in POSE_NAMES)
    return Schema(
        fps=rate,
        image_size=_size(recording, size),
        cameras=tuple(recording.tracks[0].images),
        objects=recording.objects,
        arms=recording.arms,
        state_names=(recording.state_names or pose_names) if recording.action_names else (),
        action_names=recording.action_names,
        has_pose=recording.has_pose,
        track_cameras=recording.track_cameras,
        delta_actions=tuple(recording.action_names[entry] for entry in recording.delta_actions),
    )


def _size(recording: Recording, size: int | None) -> tuple[int, int]:
    if size is not None:
        if size < 2 or size % 2 or size > _LARGEST_SIZE:
            raise GlamError(f"--size {size} must be even, and lie between 2 and {_LARGEST_SIZE}")
        return size, size
    sizes = {
        frames.size: f"{track.name}, {name}" for track in recording.tracks for name, frames in track.images.items()
    }
    if len(sizes) > 1:
        listed = " and ".join(f"{size[0]} x {size[1]} ({where})" for size, where in list(sizes.items())[:2])
        raise GlamError(f"images of different sizes, {listed}; choose one with --size")
    (found,) = sizes
    if any(side % 2 for side in found) or max(found) > _LARGEST_SIZE:
        raise GlamError(f"images of {found[0]} x {found[1]}, which must be even; choose a size with --size")
    return found


def _require_room(track: Track, count: int, size: tuple[int, int]) -> None:
    needed = count * size[0] * size[1] * 3 * len(track.images)
    if needed > LARGEST_EPISODE:
        problem = f"{count} frames of {size[0]} x {size[1]} take {needed / 2**30:.1f} GB"
        raise GlamError(f"{track.name}: {problem}; choose a smaller --size or --rate, or cut the episode")
