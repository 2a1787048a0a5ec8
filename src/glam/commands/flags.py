"""Flags: their help texts, and those that a command line must not hold.

Help is the string below the field of a command. tyro alone would print it with the line breaks of the source, and flags
that may be left out as `{None}|PATH`, with `(default: None)`. Refused are names of version 0.1, and a flag given twice
where it takes a list.
"""

import ast
import dataclasses
import inspect
import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from textwrap import dedent
from types import NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import tyro
from tyro.constructors import ConstructorRegistry, StructConstructorSpec, StructFieldSpec, StructTypeInfo

from glam.core.errors import GlamError

REGISTRY = ConstructorRegistry()
"""Rules for `tyro.cli`."""
_PACKAGE = __name__.rpartition(".")[0]
_ABSENT = (None, (), "")
"""Defaults that mean: not given. Like False, they say nothing in a help text."""
RENAMED: dict[str, str] = json.loads((Path(__file__).parent / "renamed_flags.json").read_text(encoding="utf-8"))
"""New name of each flag of version 0.1 that has another one now."""
REPEATABLE = {"--set", "--map", "--object", "--tool-frame"}
"""Flags that are given once for each value, since a value is a pair such as NAME=VALUE."""


@REGISTRY.struct_rule
def command_rule(info: StructTypeInfo) -> StructConstructorSpec | None:
    """The flags of a class of `glam.commands`; None for other types."""
    kind = info.type
    if not (dataclasses.is_dataclass(kind) and kind.__module__.startswith(_PACKAGE)):
        return None
    types, words = get_type_hints(kind, include_extras=True), field_words(kind)
    fields = tuple(_field(field, types[field.name], words.get(field.name)) for field in dataclasses.fields(kind))
    return StructConstructorSpec(kind, fields)


def _field(field: "dataclasses.Field[Any]", kind: Any, words: str | None) -> StructFieldSpec:
    default = tyro.MISSING if field.default is dataclasses.MISSING else field.default
    markers = get_args(kind)
    if default is tyro.MISSING and tyro.conf.Positional in markers:
        kind = Annotated[kind, tyro.conf.arg(help_behavior_hint="(required)")]
    elif (default in _ABSENT or default is False) and tyro.conf.UseAppendAction not in markers:
        kind = Annotated[kind, tyro.conf.arg(metavar=_metavar(kind), help_behavior_hint="")]
    return StructFieldSpec(field.name, kind, default, words)


def _metavar(kind: Any) -> str | None:
    """The name of a single value for what may be None; None leaves the choice to tyro."""
    if get_origin(kind) not in {UnionType}:
        return None
    (given,) = (part for part in get_args(kind) if part is not NoneType)
    parts = get_args(given) or (given,)
    return " ".join({"Path": "PATH"}.get(part.__name__, part.__name__.upper()) for part in parts)


@cache
def field_words(kind: type) -> dict[str, str]:
    """The string below each field of a class, on one line."""
    (body,) = ast.parse(dedent(inspect.getsource(kind))).body
    assert isinstance(body, ast.ClassDef)
    found = {}
    for field, below in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
            found[field.target.id] = " ".join(str(ast.literal_eval(below.value)).split())
    return found


def check_flags(words: Sequence[str]) -> None:
    """Refuse renamed flags, and flags given twice: the parser would drop all but the last without a word."""
    given = list(_flags(words))
    for flag in given:
        if flag in RENAMED:
            raise GlamError(f"{flag}: this flag is called {RENAMED[flag]} since version 0.2")
        if given.count(flag) > 1 and flag not in REPEATABLE:
            raise GlamError(f"{flag}: given {given.count(flag)} times; give it once, with all its values: {flag} A B")


def _flags(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        if word == "--":
            return
        if word.startswith("--"):
            yield word.partition("=")[0].replace("_", "-")
