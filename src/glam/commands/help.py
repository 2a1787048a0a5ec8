"""Help texts of flags, from the strings below the fields of a command.

tyro alone would print them with the line breaks of the source, and flags that may be left out as `{None}|PATH`, with
`(default: None)`.
"""

import ast
import dataclasses
import inspect
from functools import cache
from textwrap import dedent
from types import NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import tyro
from tyro.constructors import ConstructorRegistry, StructConstructorSpec, StructFieldSpec, StructTypeInfo

REGISTRY = ConstructorRegistry()
"""Rules for `tyro.cli`."""
_PACKAGE = __name__.rpartition(".")[0]
_ABSENT = (None, (), "")
"""Defaults that mean: not given. Like False, they say nothing in a help text."""


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
