"""Columns that hold fingertip tracks: mapped by the user, or under our own names."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from glam.core.errors import GlamError
from glam.data.dataset_info import ONE_ARM
from glam.data.tracks import EE_TRACKS, FINGERS, PER_POINT, cameras_in
from glam.interop.lerobot.entries import Entry, Features, notation
from glam.interop.lerobot.mapping import ImportOptions, asked, flag_of

Point = tuple[str, str, str]
"""Arm, camera and finger."""


@dataclass(frozen=True)
class TrackColumns:
    """Entries of every point: u, v, and visible where it was recorded."""

    arms: tuple[str, ...]
    cameras: tuple[str, ...]
    points: tuple[tuple[Entry, ...], ...]
    """In the order of arms, cameras, fingers."""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All that must be read."""
        return tuple(entry for point in self.points for entry in point)

    @property
    def words(self) -> str:
        """Cameras and the entries that they are read from."""
        return f"in {', '.join(self.cameras)} from {notation(self.entries)}"


NO_TRACKS = TrackColumns((), (), ())


def find_tracks(
    features: Features, options: ImportOptions, cameras: Mapping[str, str], arms: Sequence[str]
) -> TrackColumns:
    """Tracks in cameras that are adopted, `cameras` by our names; `arms` are empty where nothing else names any."""
    mapped = {name: entries for name in options.names if (entries := _mapped(features, options, name))}
    found = _by_map(mapped, cameras, arms) if mapped else _by_name(features, cameras, arms)
    names = tuple(arms) or tuple(dict.fromkeys(arm for arm, _, _ in found)) or ONE_ARM
    kept = tuple(camera for camera in cameras if any(point[1] == camera for point in found))
    for arm, camera, finger in found:
        if mapped and (arm not in names or camera not in cameras):
            known = f"the arms are {', '.join(names)}, the cameras {', '.join(cameras)}"
            raise GlamError(f"{EE_TRACKS}: no arm {arm} with a camera {camera}; {known}")
        for other in FINGERS:
            if camera in cameras and (arm, camera, other) not in found:
                raise GlamError(f"{EE_TRACKS}: {camera} has the {finger} fingertip alone; map the {other} one too")
    missing = [f"{arm} in {camera}" for arm in names for camera in kept if (arm, camera, FINGERS[0]) not in found]
    if missing:
        raise GlamError(f"{EE_TRACKS}: no fingertips of {missing[0]}; every arm needs them in the same cameras")
    points = tuple(found[arm, camera, finger] for arm in names for camera in kept for finger in FINGERS)
    return TrackColumns(names, kept, points) if points else NO_TRACKS


def _mapped(features: Features, options: ImportOptions, name: str) -> tuple[Entry, ...]:
    """Entries of a point that `--map` names; none for another feature."""
    entries = asked(features, options, name) if name.startswith(f"{EE_TRACKS}.") else ()
    if entries and len(entries) not in (PER_POINT - 1, PER_POINT):
        raise GlamError(f"{flag_of(name)}: {len(entries)} entries; a point has u, v and, if it is known, visible")
    return entries


def _by_map(
    mapped: Mapping[str, tuple[Entry, ...]], cameras: Mapping[str, str], arms: Sequence[str]
) -> dict[Point, tuple[Entry, ...]]:
    """Points by what stands before the finger: a camera, or an arm and a camera."""
    found = {}
    for name, entries in mapped.items():
        where, _, finger = name.removeprefix(f"{EE_TRACKS}.").rpartition(".")
        arm, _, camera = where.partition(".")
        is_only = where in cameras or not camera
        found[((*arms, *ONE_ARM)[0], where, finger) if is_only else (arm, camera, finger)] = entries
    return found


def _by_name(features: Features, cameras: Mapping[str, str], arms: Sequence[str]) -> dict[Point, tuple[Entry, ...]]:
    """Those of our own feature, in the cameras that are adopted, also under another name."""
    if EE_TRACKS not in features.vectors:
        return {}
    entries = features.vectors[EE_TRACKS].entries
    known, theirs = cameras_in([entry.name for entry in entries])
    if arms and tuple(arms) != known:
        raise GlamError(f"{EE_TRACKS} is of {', '.join(known)}; the arms are {', '.join(arms)}")
    ours = {feature.rpartition(".")[2]: camera for camera, feature in cameras.items()}
    return {
        (arm, ours[camera], finger): entries[start : start + PER_POINT]
        for start, (arm, camera, finger) in zip(range(0, len(entries), PER_POINT), _points(known, theirs), strict=True)
        if camera in ours
    }


def _points(arms: Sequence[str], cameras: Sequence[str]) -> Iterator[Point]:
    yield from ((arm, camera, finger) for arm in arms for camera in cameras for finger in FINGERS)
