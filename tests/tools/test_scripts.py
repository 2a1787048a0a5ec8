"""Programs outside the package import only what is there; most of them run too rarely to notice."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "glam": ROOT / "src",
    "glam_client": ROOT / "packages" / "glam_client" / "src",
    "lerobot_policy_glam": ROOT / "packages" / "lerobot_policy_glam" / "src",
    "benchmarks": ROOT,
    "tests": ROOT,
    "results": ROOT / "tools",
}
FOLDERS = ("benchmarks", "examples", "tools", "packages/lerobot_policy_glam")
SCRIPTS = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def source_of(module: str, script: Path) -> Path | None:
    """File of one of our modules, also of one beside the script; None for other people's."""
    first, *_ = module.split(".")
    root = PACKAGES.get(first, script.parent)
    path = root.joinpath(*module.split("."))
    found = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return found if found.exists() or first in PACKAGES else None


@cache
def names_in(path: Path) -> set[str]:
    """Names that a module has after its import."""
    names = {beside.stem for beside in path.parent.glob("*.py")} if path.name == "__init__.py" else set()
    if not path.exists():  # a folder without __init__.py has its modules and nothing else
        return names
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def imports_of(script: Path) -> Iterator[tuple[int, str, str]]:
    """Line, module and name of each import; a whole module has no name."""
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, node.module or "", alias.name) for alias in node.names)
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, "") for alias in node.names)


def missing_imports(script: Path) -> Iterator[str]:
    for line, module, name in imports_of(script):
        path = source_of(module, script)
        if path and not (path.exists() or (path.name == "__init__.py" and path.parent.is_dir())):
            yield f"{script.name}:{line}: there is no module {module}"
        elif path and name and name not in names_in(path):
            yield f"{script.name}:{line}: {module} has no {name}"


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_programs_import_is_there(folder: str) -> None:
    scripts = [script for script in SCRIPTS if script.is_relative_to(ROOT / folder)]
    assert scripts
    assert [found for script in scripts for found in missing_imports(script)] == []


@pytest.mark.parametrize(
    ("line", "finding"),
    [
        ("from glam.data.check.kinds import KINDS", "there is no module glam.data.check.kinds"),
        ("from glam.core.files import vanished", "glam.core.files has no vanished"),
        ("import glam.sim.walking", "there is no module glam.sim.walking"),
        ("from beside import other", "beside has no other"),
    ],
)
def test_an_import_of_nothing_is_found(line: str, finding: str, tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("one = 1\n")
    (tmp_path / "script.py").write_text(f"{line}\n")
    assert list(missing_imports(tmp_path / "script.py")) == [f"script.py:1: {finding}"]
