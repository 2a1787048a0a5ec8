"""Low-dimensional arrays of an open store, checked to be what their names promise."""

import numpy as np

from glam.core.errors import GlamError
from glam.interop.imports.reader_client import OpenedFile
from glam.interop.imports.recordings import Array

_MOST_ENTRIES = 256
"""Of a state or an action; a humanoid has fewer."""


def numbers(opened: OpenedFile, name: str, entries: int | None = None) -> Array:
    """An array of vectors, (T, entries); a plain list counts as vectors of one entry. Every number is finite."""
    kind = opened.arrays[name]
    width = 1 if len(kind.shape) == 1 else kind.shape[1]
    if len(kind.shape) > 2 or not 1 <= width <= _MOST_ENTRIES or width != (entries or width):
        wanted = f"(frames, {entries or 'entries'})"
        raise GlamError(f"{opened.path}: {name} has shape {kind.shape}; it must be {wanted}")
    values = opened.whole(name).reshape(-1, width).astype(np.float64)
    wrong = np.argwhere(~(np.abs(values) < np.finfo(np.float32).max))
    if len(wrong):
        frame, entry = wrong[0]
        raise GlamError(f"{opened.path}: {name} is {values[frame, entry]} in frame {frame}; it must be a finite number")
    return values


def image_size(opened: OpenedFile, name: str, channels: int = 3) -> tuple[int, int]:
    """Height and width of an array of images."""
    kind = opened.arrays[name]
    if len(kind.shape) != 4 or kind.shape[3] != channels or kind.dtype != "uint8" or min(kind.shape[1:3]) < 1:
        wanted = f"uint8 of shape (frames, height, width, {channels})"
        raise GlamError(f"{opened.path}: {name} is {kind.dtype} of shape {kind.shape}; it must be {wanted}")
    return kind.shape[1], kind.shape[2]


def require_length(opened: OpenedFile, name: str, frames: int) -> None:
    """Arrays of the same moments are equally long."""
    found = opened.arrays[name].shape[0]
    if found != frames:
        raise GlamError(f"{opened.path}: {name} has {found} frames instead of {frames}")
