"""Description of a run: configs as JSON and back, differences between two of them, and versions of software.

An artefact stores the whole config that made it.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple, TypeVar

from glam.core.errors import GlamError
from glam_client.configs import from_json as from_json
from glam_client.configs import from_tagged_json as from_tagged_json
from glam_client.configs import to_json as to_json

Config = TypeVar("Config")


def changed(config: Config, changes: Mapping[str, Any]) -> Config:
    """The same config with other values, by names such as `fit.steps`."""
    value = to_json(config)
    for name, new in changes.items():
        *path, last = name.split(".")
        part = value
        for key in path:
            part = part.get(key) if isinstance(part, dict) else None
        if not isinstance(part, dict) or last not in part:
            raise GlamError(f"{type(config).__name__}: there is no field {name!r}{_meant(name, to_json(config))}")
        part[last] = to_json(new)
    return from_json(type(config), value)


def _meant(name: str, value: dict[str, Any]) -> str:
    """Words for the fields that may be meant: of the same last name, or else of nearly the same name."""
    known = list(_paths(value))
    last = name.rpartition(".")[2]
    close = [path for path in known if path.rpartition(".")[2] == last] or get_close_matches(name, known, 3)
    return f"; is {' or '.join(close[:3])} meant?" if close else ""


def _paths(value: Any, where: str = "") -> Iterator[str]:
    for name, item in value.items():
        place = f"{where}.{name}" if where else name
        yield place
        if isinstance(item, dict):
            yield from _paths(item, place)


def digest(config: Any) -> str:
    """Short hash of a config, equal for equal configs: 1 and 1.0 are the same number."""
    text = json.dumps(_canonical(to_json(config)), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _canonical(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _canonical(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_canonical(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


ABSENT = "nothing"
"""Value of an entry that one side does not have."""


class Difference(NamedTuple):
    """One entry that differs."""

    where: str
    """Path of the entry, such as `fit.steps` or `cameras[1]`."""
    there: Any
    here: Any


def differences(there: Any, here: Any, where: str = "") -> Iterator[Difference]:
    """Every entry that differs, in a stable order. Lists of different lengths count as one entry."""
    if isinstance(there, dict) and isinstance(here, dict):
        for name in sorted(there.keys() | here.keys()):
            place = f"{where}.{name}" if where else name
            if name in there and name in here:
                yield from differences(there[name], here[name], place)
            else:
                yield Difference(place, there.get(name, ABSENT), here.get(name, ABSENT))
    elif isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        for number, (old, new) in enumerate(zip(there, here, strict=True)):
            yield from differences(old, new, f"{where}[{number}]")
    # 1 == 1.0 == True for Python; a switch that became a number is still a difference.
    elif there != here or isinstance(there, bool) != isinstance(here, bool):
        yield Difference(where, there, here)


def first_difference(there: Any, here: Any, where: str) -> str:
    """Sentence about the first difference, such as `fit.steps is 100 there and 200 here`; empty when there is none."""
    for difference in differences(there, here, where):
        return f"{difference.where} is {difference.there!r} there and {difference.here!r} here"
    return ""


DISTRIBUTION = "glam-robot"
"""Name by which pip knows this package; it is imported as `glam`."""


def installed(packages: Iterable[str]) -> dict[str, str]:
    """Version of each package, from the metadata of the installation, so that nothing is imported."""
    return {package: _version(package) for package in packages}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
