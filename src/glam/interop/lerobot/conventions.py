"""Features of a dataset that are cameras, state, action and pose: as mapped by the user, else by their names."""

from collections.abc import Mapping
from dataclasses import dataclass

from glam.core.errors import GlamError
from glam.data.dataset_info import ONE_ARM
from glam.data.schema import ACTION, IMAGE_PREFIX, MASK_PREFIX, MOST_MASK_CHANNELS, STATE
from glam.interop.lerobot.arm_columns import ArmColumns, find_arms
from glam.interop.lerobot.entries import Entry, Features
from glam.interop.lerobot.feature_names import arms_in
from glam.interop.lerobot.mapping import ImportOptions, asked, flag_of
from glam.interop.lerobot.track_columns import NO_TRACKS, TrackColumns, find_tracks
from glam_client.pose_conversion import Kinematics


@dataclass(frozen=True)
class Layout:
    """Meaning of the features of a dataset."""

    cameras: dict[str, str]
    """Features by camera."""
    masks: dict[str, str]
    """Features by camera: of all cameras, or of none."""
    state: tuple[Entry, ...]
    action: tuple[Entry, ...]
    """Both are empty in an auxiliary set."""
    arms: tuple[ArmColumns, ...]
    """Empty without any pose."""
    arm_names: tuple[str, ...]
    left_out: tuple[str, ...]
    """Features that are not used."""
    tracks: TrackColumns = NO_TRACKS


def find(features: Features, options: ImportOptions, chains: Mapping[str, Kinematics]) -> Layout:
    """Read a dataset by what the user says of it, and the rest by convention.

    `chains` has a model for each arm whose pose is to be found from joints; an only arm is called as in our own sets.
    """
    cameras = _cameras(features, options)
    masks = _masks(features, cameras)
    state, action = _labels(features, options)
    arms = find_arms(features, options, chains)
    named = tuple(arm.name for arm in arms) or arms_in(state)
    tracks = find_tracks(features, options, cameras, named)
    names = named or tracks.arms or ONE_ARM
    used = {*cameras.values(), *masks.values(), *(entry.feature for entry in (*state, *action))}
    used |= {entry.feature for arm in arms for entry in (*arm.tool.entries, *arm.gripper)}
    used |= {entry.feature for entry in tracks.entries}
    left_out = tuple(name for name in (*features.images, *features.vectors) if name not in used)
    return Layout(cameras, masks, state, action, arms, names if len(names) > 1 else ONE_ARM, left_out, tracks)


def _cameras(features: Features, options: ImportOptions) -> dict[str, str]:
    """Those that are mapped; if none is, every colour camera by its own name."""
    mapped = {ours: theirs for ours, theirs in options.names.items() if ours.startswith(IMAGE_PREFIX)}
    if mapped:
        found = {ours.removeprefix(IMAGE_PREFIX): features.image(flag_of(ours), name) for ours, name in mapped.items()}
    else:
        found = {_camera(name): name for name in features.images if not name.startswith(MASK_PREFIX)}
        found = {camera: name for camera, name in found.items() if _is_colour(features, name)}
    for camera, name in found.items():
        if not _is_colour(features, name):
            raise GlamError(f"{flag_of(IMAGE_PREFIX + camera)}: {name} is no colour camera; it must have 3 channels")
    if not found:
        raise GlamError(f"no camera: no feature is a colour video or image; it has {', '.join(features.vectors)}")
    return found


def _camera(feature: str) -> str:
    return feature.removeprefix(IMAGE_PREFIX).removeprefix("observation.image.").removeprefix("observation.")


def _is_colour(features: Features, name: str) -> bool:
    image = features.images[name]
    return image.image_shape[2] == 3 and not image.is_depth


def _masks(features: Features, cameras: Mapping[str, str]) -> dict[str, str]:
    """Masks of all cameras, where there are such: lossless, of the camera's size, all with the same channels."""
    masks = {camera: MASK_PREFIX + name.removeprefix(IMAGE_PREFIX) for camera, name in cameras.items()}
    kinds = set()
    for camera, name in masks.items():
        mask, image = features.images.get(name), features.images[cameras[camera]]
        if mask is None or mask.dtype == "video" or mask.image_shape[:2] != image.image_shape[:2]:
            return {}
        kinds.add(mask.image_shape[2])
    return masks if len(kinds) == 1 and max(kinds) <= MOST_MASK_CHANNELS else {}


def _labels(features: Features, options: ImportOptions) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """State and action; neither in a set that is, or is to be, auxiliary."""
    action, state = (asked(features, options, key) or _named(features, key) for key in (ACTION, STATE))
    if options.role == "auxiliary" or (options.role == "auto" and not action):
        return (), ()
    if not action:
        known = ", ".join(features.vectors)
        raise GlamError(f"--role target: there is no {ACTION}; name it with --map {ACTION}=FEATURE, one of {known}")
    return state, action


def _named(features: Features, name: str) -> tuple[Entry, ...]:
    return features.vectors[name].entries if name in features.vectors else ()
