"""Entries of the features of a LeRobot dataset, and the notation `FEATURE[entries]+FEATURE` for them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from glam.core.errors import GlamError
from glam.data.dataset_info import DeclaredFeature
from glam.data.schema import INDEX_FEATURES

_PART = re.compile(r"([^\[\]+]+)(?:\[([^\[\]]*)\])?")
_SLICE = re.compile(r"(\d*):(\d*)")


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
class Features:
    """The features of a dataset but for the automatic ones."""

    vectors: Mapping[str, Vector]
    images: Mapping[str, DeclaredFeature]
    """Videos and features that are images."""

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
        """Name of a feature that must be an image."""
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


def features_of(declared: Mapping[str, DeclaredFeature]) -> Features:
    """Vectors and images among the declared features; texts and tables are passed over."""
    images = {name: feature for name, feature in declared.items() if feature.is_image}
    numbers = {name: feature for name, feature in declared.items() if feature.is_numbers and name not in INDEX_FEATURES}
    return Features({name: _vector(name, feature) for name, feature in numbers.items()}, images)


def notation(entries: tuple[Entry, ...]) -> str:
    """Entries in the notation of `--map`."""
    parts: dict[str, list[str]] = {}
    for entry in entries:
        parts.setdefault(entry.feature, []).append(entry.name)
    return " + ".join(f"{feature}[{', '.join(names)}]" for feature, names in parts.items())


def _chosen(entries: tuple[Entry, ...], word: str) -> Iterator[Entry]:
    """Entries selected by a name, a number or a range of numbers; none if nothing fits."""
    span = _SLICE.fullmatch(word)
    if span:
        yield from entries[int(span[1] or 0) : int(span[2] or len(entries))]
    elif word.isdecimal() and int(word) < len(entries):
        yield entries[int(word)]
    else:
        yield from (entry for entry in entries if entry.name == word)


def _vector(name: str, feature: DeclaredFeature) -> Vector:
    (size,), names = feature.shape, feature.names
    is_named = len(names) == len(set(names)) == size
    called = names if is_named else tuple(str(number) for number in range(size))
    entries = tuple(Entry(name, number, word) for number, word in enumerate(called))
    return Vector(entries, is_named)
