"""What a LeRobot dataset declares to hold, and the notation `FEATURE[entries]+FEATURE` for numbers in it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from glam.core.errors import GlamError
from glam.data.names import entry_names
from glam.data.schema import INDEX_FEATURES

_PART = re.compile(r"([^\[\]+]+)(?:\[([^\[\]]*)\])?")
_SLICE = re.compile(r"(\d*):(\d*)")
_IMAGES = ("video", "image")


@dataclass(frozen=True)
class Entry:
    """One number of a feature."""

    feature: str
    number: int
    """Its place in the feature."""
    name: str
    """As the dataset calls it; its place where it calls it nothing."""


@dataclass(frozen=True)
class Vector:
    """A feature that is a list of numbers."""

    entries: tuple[Entry, ...]
    is_named: bool
    """Whether the dataset names its entries."""


@dataclass(frozen=True)
class ImageFeature:
    """A feature that is a film or a row of images."""

    size: tuple[int, int]
    """Height and width."""
    channels: int
    is_video: bool
    is_depth: bool


@dataclass(frozen=True)
class Features:
    """The features of a dataset but for the automatic ones."""

    vectors: Mapping[str, Vector]
    images: Mapping[str, ImageFeature]

    def select(self, flag: str, text: str) -> tuple[Entry, ...]:
        """The numbers that a text such as `observation.state[0:3]+observation.gripper` names."""
        found: list[Entry] = []
        for part in text.split("+"):
            match = _PART.fullmatch(part.strip())
            if match is None:
                raise GlamError(f"{flag}: {part.strip()!r} is not written as FEATURE or FEATURE[0:3] or FEATURE[x,y]")
            found += self._part(flag, match[1].strip(), match[2])
        return tuple(found)

    def image(self, flag: str, name: str) -> str:
        """The name of a feature that must be a image."""
        if name not in self.images:
            raise GlamError(f"{flag}: no camera {name!r}; the dataset has {', '.join(self.images) or 'none'}")
        return name

    def _part(self, flag: str, name: str, chosen: str | None) -> list[Entry]:
        if name not in self.vectors:
            raise GlamError(f"{flag}: no feature {name!r} of numbers; the dataset has {', '.join(self.vectors)}")
        entries = self.vectors[name].entries
        if chosen is None:
            return list(entries)
        found: list[Entry] = []
        for word in chosen.split(","):
            named = list(_chosen(entries, word.strip()))
            if not named:
                known = ", ".join(entry.name for entry in entries)
                raise GlamError(f"{flag}: {name} has no entry {word.strip()!r}; it has {len(entries)}: {known}")
            found += named
        return found


def read_features(declared: Mapping[str, Mapping[str, Any]]) -> Features:
    """What the `features` of an `info.json` are; texts and tables are passed over."""
    vectors, images = {}, {}
    for name, feature in declared.items():
        shape = tuple(feature["shape"])
        if feature["dtype"] in _IMAGES and len(shape) == 3:
            images[name] = _image(feature, shape)
        elif name not in INDEX_FEATURES and len(shape) == 1 and feature["dtype"].startswith(("float", "int", "uint")):
            vectors[name] = _vector(name, feature, shape[0])
    return Features(vectors, images)


def told(entries: tuple[Entry, ...]) -> str:
    """Entries in the notation in which they can be asked for."""
    parts: dict[str, list[str]] = {}
    for entry in entries:
        parts.setdefault(entry.feature, []).append(entry.name)
    return " + ".join(f"{feature}[{', '.join(names)}]" for feature, names in parts.items())


def _chosen(entries: tuple[Entry, ...], word: str) -> Iterator[Entry]:
    """What a name, a number or a range of numbers stands for; a word that stands for nothing gives nothing at all."""
    span = _SLICE.fullmatch(word)
    if span:
        yield from entries[int(span[1] or 0) : int(span[2] or len(entries))]
    elif word.isdecimal() and int(word) < len(entries):
        yield entries[int(word)]
    else:
        yield from (entry for entry in entries if entry.name == word)


def _image(feature: Mapping[str, Any], shape: tuple[int, ...]) -> ImageFeature:
    names = feature.get("names")
    first = str(names[0]) if isinstance(names, list) and names else ""
    # Some sets declare channels first; the images themselves are stored as ever.
    height, width, channels = (*shape[1:], shape[0]) if first.startswith("channel") else shape
    info = feature.get("info")
    is_depth = isinstance(info, dict) and bool(info.get("video.is_depth_map") or info.get("is_depth_map"))
    return ImageFeature((height, width), channels, feature["dtype"] == "video", is_depth)


def _vector(name: str, feature: Mapping[str, Any], size: int) -> Vector:
    names = entry_names(feature)
    is_named = len(names) == len(set(names)) == size
    called = names if is_named else tuple(str(number) for number in range(size))
    entries = tuple(Entry(name, number, word) for number, word in enumerate(called))
    return Vector(entries, is_named)
