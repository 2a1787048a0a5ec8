"""Frozen dataclass configs as JSON and back. A misfit is an error that names the field and what is allowed.

A field that may hold one of several configs is read by a tag. Each of these configs has a field `kind` with one
allowed value, such as `kind: Literal["glam"] = "glam"`. The alternatives are the members of a union, or the values of a
registry that maps tags to classes: `model: Annotated[MethodConfig, WORLD_MODELS]`.
"""

import dataclasses
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import MISSING
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from glam_client.errors import GlamError

Config = TypeVar("Config")

_LONGEST = 200
"""Characters of a value that an error shows."""

TAG = "kind"
"""Name of the field that tells the configs of a union or a registry apart."""


def to_json(config: Any) -> Any:
    """Plain JSON value of a config: dataclasses become objects, tuples lists, paths strings."""
    if dataclasses.is_dataclass(config) and not isinstance(config, type):
        return {field.name: to_json(getattr(config, field.name)) for field in dataclasses.fields(config)}
    if isinstance(config, Mapping):
        return {str(key): to_json(value) for key, value in config.items()}
    if isinstance(config, tuple | list):
        return [to_json(value) for value in config]
    if isinstance(config, Path):
        return str(config)
    if config is None or isinstance(config, bool | int | float | str):
        return config
    raise TypeError(f"{type(config).__name__} has no place in a config: {config!r}")


def from_json(kind: type[Config], value: Any) -> Config:
    """Rebuild a config of type `kind`; an unknown or missing field is a clear error."""
    return _build(kind, value, getattr(kind, "__name__", str(kind)))


def from_tagged_json(registry: Mapping[str, type[Config]], value: Any, where: str) -> Config:
    """Rebuild a config whose tag names its class in `registry`; `where` is what an error calls it."""
    return _build_tagged(registry, value, where)


def _build(kind: Any, value: Any, where: str) -> Any:
    if dataclasses.is_dataclass(kind):
        return _build_dataclass(kind, value, where)
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        registries = [part for part in parts[1:] if isinstance(part, Mapping)]
        return _build_tagged(registries[0], value, where) if registries else _build(parts[0], value, where)
    if origin in {Union, UnionType}:
        return _build_union(parts, value, where)
    if origin in {list, tuple}:
        built: Any = _build_tuple(parts if origin is tuple else (*parts, Ellipsis), value, where)
        return origin(built)
    if origin in {dict, Mapping}:
        return _build_mapping(parts[1], value, where)
    return _build_leaf(kind, value, where)


def _build_leaf(kind: Any, value: Any, where: str) -> Any:
    if kind is Any or (get_origin(kind) is Literal and value in get_args(kind)):
        return value
    if get_origin(kind) is Literal:
        raise _misfit(where, value, f"one of {', '.join(map(repr, get_args(kind)))}")
    if kind is Path and isinstance(value, str):
        return Path(value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    # A bool is an int to Python, but True is no number of episodes.
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise _misfit(where, value, f"of type {kind.__name__}")
    return value


def _build_tuple(parts: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise _misfit(where, value, "a list")
    if parts[-1] is Ellipsis:
        parts = (parts[0],) * len(value)
    if len(parts) != len(value):
        raise _misfit(where, value, f"a list of {len(parts)} entries")
    return tuple(_build(part, item, f"{where}[{i}]") for i, (part, item) in enumerate(zip(parts, value, strict=True)))


def _build_mapping(part: Any, value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise _misfit(where, value, "an object")
    return {key: _build(part, item, f"{where}.{key}") for key, item in value.items()}


def _build_tagged(by_tag: Mapping[str, Any], value: Any, where: str) -> Any:
    """The config of the class that the tag names."""
    if not isinstance(value, Mapping):
        raise _misfit(where, value, "an object")
    known = ", ".join(map(repr, sorted(by_tag)))
    if TAG not in value:
        raise GlamError(f"{where}: field {TAG!r} is missing; it must be one of {known}")
    if value[TAG] not in by_tag:
        raise _misfit(f"{where}.{TAG}", value[TAG], f"one of {known}")
    return _build(by_tag[value[TAG]], value, where)


def _tags(parts: tuple[Any, ...]) -> dict[str, Any]:
    """The members of a union by their tags; empty if a member has none."""
    by_tag: dict[str, Any] = {}
    for part in parts:
        tag = get_type_hints(part).get(TAG) if dataclasses.is_dataclass(part) else None
        if get_origin(tag) is not Literal:
            return {}
        by_tag |= dict.fromkeys(get_args(tag), part)
    return by_tag


def _build_union(parts: tuple[Any, ...], value: Any, where: str) -> Any:
    """The alternative that the tag names, or else the one that fits.

    Configs without a tag must therefore differ in the names of their fields. A stored config names all its fields, so
    one that names exactly these comes before one that could fill up others.
    """
    if by_tag := _tags(parts):
        return _build_tagged(by_tag, value, where)
    given = set(value) if isinstance(value, Mapping) else set()
    named = [part for part in parts if dataclasses.is_dataclass(part) and _names(part) == given]
    fits = []
    for part in named or parts:
        with suppress(GlamError):
            fits.append(_build(part, value, where))
    if not fits or any(fit != fits[0] for fit in fits):
        raise _misfit(where, value, f"exactly one of {', '.join(part.__name__ for part in parts)}")
    return fits[0]


def _names(kind: Any) -> set[str]:
    return {field.name for field in dataclasses.fields(kind)}


def _build_dataclass(kind: Any, value: Any, where: str) -> Any:
    if not isinstance(value, Mapping):
        raise _misfit(where, value, "an object")
    hints = get_type_hints(kind, include_extras=True)
    fields = dataclasses.fields(kind)
    known = ", ".join(sorted(field.name for field in fields))
    for name in value:
        if name not in hints:
            raise GlamError(f"{where}: unknown field {name!r}; known are {known}")
    for field in fields:
        if field.name not in value and field.default is MISSING and field.default_factory is MISSING:
            raise GlamError(f"{where}: field {field.name!r} is missing; known are {known}")
    return kind(**{name: _build(hints[name], item, f"{where}.{name}") for name, item in value.items()})


def _misfit(where: str, value: Any, allowed: str) -> GlamError:
    return GlamError(f"{where}: {repr(value)[:_LONGEST]} is not {allowed}")
