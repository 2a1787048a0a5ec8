"""Images inside the data files: object masks, and images of sets that have no video."""

import struct
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.data.check.data_files import EpisodeSlice
from glam.data.check.finding import Checking, Finding, more
from glam.data.check.frame_statistics import FrameStatistics, check_frame_statistics
from glam.data.check.info import CheckedInfo
from glam.data.image_codecs import decode_image
from glam.data.schema import MASK_PREFIX

Counts = NDArray[np.intp]
_PNG = b"\x89PNG\r\n\x1a\n"


def check_images(rows: EpisodeSlice, info: CheckedInfo, objects: Sequence[str]) -> Checking[None]:
    """Decode and check every image of an episode."""
    areas: dict[str, Counts] = {}
    for key, feature in info.features.items():
        if feature.dtype != "image" or len(feature.shape) != 3 or key not in rows.columns:
            continue
        if not pa.types.is_struct(rows.columns[key].type):
            yield rows.finding("column", f"{key} is a column of {rows.columns[key].type}, not of images")
        elif key.startswith(MASK_PREFIX):
            areas[key] = yield from _masks(rows, key, info)
        else:
            yield from _images(rows, key, info)
    yield from _presence(rows, areas, objects)


def _images(rows: EpisodeSlice, key: str, info: CheckedInfo) -> Iterator[Finding]:
    statistics = FrameStatistics()
    frames, images = yield from _decoded(rows, key, info)
    for number, image in enumerate(images):
        statistics.add(image.mean(axis=-1).astype(np.uint8), begins_episode=number == 0)
    if len(frames):
        yield from check_frame_statistics(statistics, np.arange(len(frames)), key, rows.file, rows.episode)


def _masks(rows: EpisodeSlice, key: str, info: CheckedInfo) -> Checking[Counts]:
    """Check the values of the masks; returns the area of each object in each readable frame, (T, C)."""
    frames, masks = yield from _decoded(rows, key, info)
    grey = np.flatnonzero(((masks != 0) & (masks != 255)).any(axis=(1, 2, 3)))
    if len(grey):
        problem = f"{key} has values other than 0 and 255{more(len(grey))}"
        yield rows.finding("mask-values", problem, frames[grey[0]])
    for first, second in combinations(range(masks.shape[-1]), 2):
        if masks[..., first].any() and np.array_equal(masks[..., first], masks[..., second]):
            yield rows.finding("mask-equal", f"channels {first} and {second} of {key} are equal in every frame")
    channels = [masks[..., channel].reshape(len(masks), -1) for channel in range(masks.shape[-1])]
    return np.stack([np.count_nonzero(channel, axis=1) for channel in channels], axis=-1)


def _decoded(rows: EpisodeSlice, key: str, info: CheckedInfo) -> Checking[tuple[list[int], NDArray[np.uint8]]]:
    """The frames whose image can be read and has the declared shape, and these images, (T, Y, X, C)."""
    shape = info.features[key].shape
    decoded: dict[int, NDArray[np.uint8]] = {}
    misshapen: dict[int, tuple[int, ...]] = {}
    broken: dict[int, str] = {}
    for frame, cell in enumerate(rows.columns[key].to_pylist()):
        content = (cell or {}).get("bytes") or b""
        try:
            size = _png_size(content)
            image = decode_image(content) if size in ((), shape[:2]) else np.zeros((*size, 0), np.uint8)
        except (GlamError, OSError, ValueError, struct.error) as error:
            broken[frame] = str(error)
            continue
        if image.shape == shape:
            decoded[frame] = image
        else:
            misshapen[frame] = image.shape
    yield from _faulty(rows, key, shape, misshapen, broken)
    images = np.stack([*decoded.values()]) if decoded else np.zeros((0, *shape), np.uint8)
    return list(decoded), images


def _faulty(
    rows: EpisodeSlice, key: str, shape: tuple[int, ...], misshapen: dict[int, tuple[int, ...]], broken: dict[int, str]
) -> Iterator[Finding]:
    if misshapen:
        frame, other = next(iter(misshapen.items()))
        problem = f"{key} is {_by(other)}, but meta/info.json says {_by(shape)}{more(len(misshapen))}"
        yield rows.finding("image-size", problem, frame)
    if broken:
        frame, reason = next(iter(broken.items()))
        yield rows.finding("unreadable", f"{key}: {reason}{more(len(broken))}", frame)


def _png_size(content: bytes) -> tuple[int, ...]:
    """Height and width by the header of a PNG, before anything is unpacked: a small file can claim a huge image."""
    if not content.startswith(_PNG):
        return ()
    width, height = struct.unpack(">II", content[16:24])
    return height, width


def _presence(rows: EpisodeSlice, areas: dict[str, Counts], objects: Sequence[str]) -> Iterator[Finding]:
    for channel in range(max((area.shape[1] for area in areas.values()), default=0)):
        name = objects[channel] if channel < len(objects) else f"channel {channel}"
        seen = {
            key: bool(area[:, channel].any()) for key, area in areas.items() if len(area) and channel < area.shape[1]
        }
        if seen and not any(seen.values()):
            yield rows.finding("mask-empty", f"the mask of {name} is empty in every frame of every camera")
            continue
        for key in (key for key, is_seen in seen.items() if not is_seen):
            yield rows.finding("mask-empty-view", f"{key}: the mask of {name} is empty in every frame")


def _by(shape: tuple[int, ...]) -> str:
    channels = f" with {shape[2]} channels" if len(shape) == 3 and shape[2] else ""
    return f"{shape[1]} x {shape[0]}{channels}" if len(shape) > 1 else str(shape)
