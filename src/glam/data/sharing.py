"""Datasets that are used together: the features that all have, and checks that one network can read them all."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from glam.core.errors import GlamError
from glam.data.frames import Frames
from glam.data.reader import Dataset
from glam.data.schema import ACTION, IMAGE_PREFIX, MASK_PREFIX, Schema

SomeFrames = TypeVar("SomeFrames", bound=Frames)

_LOG = logging.getLogger(__name__)
_CHECK = "glam data check --target --aux says what to do"


class Format(Protocol):
    """The properties in which datasets that are used together must agree; a schema has them."""

    @property
    def fps(self) -> int:
        """Frames per second."""

    @property
    def arms(self) -> tuple[str, ...]:
        """Names of the arms."""

    @property
    def objects(self) -> tuple[str, ...]:
        """Names of the objects that have masks."""


@dataclass(frozen=True)
class Shared:
    """Features that all of several datasets have."""

    cameras: tuple[str, ...]
    """In the order of the first dataset."""
    has_pose: bool
    has_masks: bool
    """True if all have masks of the same objects."""


def shared(schemas: Sequence[Schema]) -> Shared:
    """Features that all schemas have; the first one is the target's."""
    first = schemas[0]
    cameras = tuple(camera for camera in first.cameras if all(camera in schema.cameras for schema in schemas))
    has_masks = bool(first.objects) and all(schema.objects == first.objects for schema in schemas)
    return Shared(cameras, all(schema.has_pose for schema in schemas), has_masks)


def restricted(frames: SomeFrames, wanted: Shared) -> SomeFrames:
    """The frames without what is not shared; masks go with their cameras."""
    images = {IMAGE_PREFIX + camera: frames.images[IMAGE_PREFIX + camera] for camera in wanted.cameras}
    has_masks = wanted.has_masks and bool(frames.masks)
    masks = {MASK_PREFIX + camera: frames.masks[MASK_PREFIX + camera] for camera in wanted.cameras if has_masks}
    pose = frames.ee_pose if wanted.has_pose else frames.ee_pose[:, :0]
    objects = frames.schema.objects if has_masks else ()
    schema = replace(frames.schema, cameras=wanted.cameras, objects=objects, has_pose=wanted.has_pose)
    return replace(frames, images=images, masks=masks, ee_pose=pose, schema=schema)


def left_out(schema: Schema, wanted: Shared) -> str:
    """Words for the features of a dataset that not all have; empty if there are none."""
    cameras = [f"the camera {camera}" for camera in schema.cameras if camera not in wanted.cameras]
    pose = ["the end-effector pose"] if schema.has_pose and not wanted.has_pose else []
    return " and ".join([*cameras, *pose])


def shared_features(datasets: Sequence[Dataset]) -> Shared:
    """Features that all datasets have, of which the first is the target; warns about what is left out."""
    found = shared([dataset.schema for dataset in datasets])
    if not found.cameras:
        listed = "; ".join(f"{dataset.root} has {', '.join(dataset.schema.cameras)}" for dataset in datasets)
        raise GlamError(f"no camera is common to all datasets: {listed}; rename cameras with glam data adopt --map")
    for dataset in datasets:
        if dropped := left_out(dataset.schema, found):
            _LOG.warning("%s: not used is %s, which not all datasets have", dataset.root, dropped)
    return found


def require_target(target: Dataset, *, needs_masks: bool) -> None:
    """Refuse a target without actions, or without the masks that are needed, before it is decoded."""
    if target.schema.role != "target":
        raise GlamError(f"{target.root}: an auxiliary set, without {ACTION}; --target must be a set with actions")
    if needs_masks and not target.schema.objects:
        way_out = "give a dataset with masks, or choose a method without -o"
        raise GlamError(f"{target.root}: has no object masks, which methods with -o need; {way_out}")


def require_alike(target: Dataset, other: Dataset, *, needs_pose: bool, needs_masks: bool) -> None:
    """Refuse a dataset that networks for the target could not read; cameras may differ."""
    if difference := first_difference_of(other.schema, target.schema, needs_masks=needs_masks):
        what, its, mine = difference
        raise GlamError(f"{other.root}: {what} is {its}, but the target {target.root} has {mine}; {_CHECK}")
    if needs_pose and not other.schema.has_pose:
        way_out = "compute it with glam data adopt --kinematics, or train a method with -no-pose"
        raise GlamError(f"{other.root}: has no end-effector pose, which this method needs; {way_out}")


def first_difference_of(its: Format, mine: Format, *, needs_masks: bool) -> tuple[str, object, object] | None:
    """Name and both values of the first property in which two formats differ; objects count where masks are needed."""
    for what in ("fps", "arms", "objects") if needs_masks else ("fps", "arms"):
        if getattr(its, what) != getattr(mine, what):
            return what, getattr(its, what), getattr(mine, what)
    return None
