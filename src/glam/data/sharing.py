"""What datasets of different features have in common: one network reads them all, so it sees no more than that."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from glam.data.frames import Frames
from glam.data.schema import IMAGE_PREFIX, MASK_PREFIX, Schema

SomeFrames = TypeVar("SomeFrames", bound=Frames)


@dataclass(frozen=True)
class Shared:
    """Features that every one of some datasets has."""

    cameras: tuple[str, ...]
    """In the order of the first dataset."""
    has_pose: bool
    has_masks: bool
    """Whether all have masks of the same objects."""


def shared(schemas: Sequence[Schema]) -> Shared:
    """What all of some datasets have; the first one is the target."""
    first = schemas[0]
    cameras = tuple(camera for camera in first.cameras if all(camera in schema.cameras for schema in schemas))
    has_masks = bool(first.objects) and all(schema.objects == first.objects for schema in schemas)
    return Shared(cameras, all(schema.has_pose for schema in schemas), has_masks)


def restricted(frames: SomeFrames, wanted: Shared) -> SomeFrames:
    """The frames less what is not shared; masks go with their cameras."""
    images = {IMAGE_PREFIX + camera: frames.images[IMAGE_PREFIX + camera] for camera in wanted.cameras}
    has_masks = wanted.has_masks and bool(frames.masks)
    masks = {MASK_PREFIX + camera: frames.masks[MASK_PREFIX + camera] for camera in wanted.cameras if has_masks}
    pose = frames.ee_pose if wanted.has_pose else frames.ee_pose[:, :0]
    objects = frames.schema.objects if has_masks else ()
    schema = replace(frames.schema, cameras=wanted.cameras, objects=objects, has_pose=wanted.has_pose)
    return replace(frames, images=images, masks=masks, ee_pose=pose, schema=schema)


def left_out(schema: Schema, wanted: Shared) -> str:
    """What a dataset has that not all have, as words; empty when there is nothing."""
    cameras = [f"the camera {camera}" for camera in schema.cameras if camera not in wanted.cameras]
    pose = ["the end-effector pose"] if schema.has_pose and not wanted.has_pose else []
    return " and ".join([*cameras, *pose])
