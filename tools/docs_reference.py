"""Reference of a function or class as Markdown, from its source: nothing is imported. Standard library only."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from inspect import cleandoc
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).resolve().parent.parent
SOURCES = {"glam": ROOT / "src", "glam_client": ROOT / "packages/glam_client/src"}
_ENTRY = re.compile(r"^- \[`(glam(?:_client)?\.[\w.]+)`\]\([^)]+\)$", re.MULTILINE)
_ARGUMENT = re.compile(r"^ {4}(\*{0,2}\w+): ", re.MULTILINE)


def with_reference(text: str) -> str:
    """A page on which each item of a list that is nothing but the link of a name has become that name's reference."""
    return _ENTRY.sub(lambda found: reference(found.group(1)), text)


def reference(name: str) -> str:
    """What a name of a module is, takes and gives, under a heading of the third level."""
    module, _, own = name.rpartition(".")
    path = SOURCES[module.partition(".")[0]] / f"{module.replace('.', '/')}.py"
    for node in _parsed(path).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == own:
            parts = _class(node, path) if isinstance(node, ast.ClassDef) else [_head(node, path), _words(node)]
            return "\n\n".join([f"### {own}", f"In `{module}`.", *parts, ""])
    raise SystemExit(f"docs/api.md: {path} has no function or class {own}; correct the name.")


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _class(node: ast.ClassDef, path: Path) -> Iterator[str]:
    yield _words(node)
    fields = [_field(name, doc) for name, doc in zip(node.body, [*node.body[1:], ast.Pass()], strict=True)]
    yield "\n".join(filter(None, fields))
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and (part.name == "__init__" or not part.name.startswith("_")):
            yield f"{_head(part, path)}\n\n{_words(part)}"


def _field(node: ast.stmt, after: ast.stmt) -> str:
    """A field of a class, with the string below it that says what it is; empty for anything else."""
    if not isinstance(node, ast.AnnAssign) or ast.unparse(node.target).startswith("_"):
        return ""
    is_told = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
    words = " ".join(str(after.value.value).split()) if is_told else ""  # type: ignore[attr-defined]
    return f"- `{ast.unparse(node)}`" + (f": {words}" if words else "")


def _head(node: ast.FunctionDef, path: Path) -> str:
    """The signature as it is written."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    lines = path.read_text(encoding="utf-8").splitlines()[first - 1 : node.body[0].lineno - 1]
    return "```python\n" + dedent("\n".join(lines)).removesuffix(":") + "\n```"


def _words(node: ast.FunctionDef | ast.ClassDef) -> str:
    """The docstring; its section of arguments becomes a list."""
    text = cleandoc(ast.get_docstring(node) or "")
    return _ARGUMENT.sub(r"- `\1`: ", text.replace("Args:\n", "\n"))
