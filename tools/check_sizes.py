"""Fail when a source file or function grows too long, or when a module with logic has no test file of its own.

`src/glam/data/reader.py` belongs to `tests/data/test_reader.py`, and `glam_client/client.py` of packages/glam_client to
`tests/packages/glam_client/test_client.py`; `tested-together` in `pyproject.toml` names the modules
that a test file of another name covers. The exceptions in `pyproject.toml` may only shrink: an
entry that is no longer needed must go, and none may be added to those of the last commit.
"""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

CLIENT = "packages/glam_client/src/glam_client"
MOST_FILE_LINES = 300
MOST_FUNCTION_LINES = 60
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def main() -> None:
    findings = list(all_findings(Path.cwd()))
    print("\n".join(findings) or "sizes and mirrored tests: ok")
    sys.exit(1 if findings else 0)


def all_findings(root: Path) -> Iterator[str]:
    package, client = root / "src" / "glam", root / CLIENT
    for path in sorted([*package.rglob("*.py"), *client.rglob("*.py")]):
        yield from size_findings(path, str(path.relative_to(root)))
    pyproject = (root / "pyproject.toml").read_text(encoding="utf-8")
    excused = exceptions(pyproject)
    elsewhere = tested_elsewhere(root, pyproject)
    clients = {name for name in elsewhere if name.startswith(f"{client.name}/")}
    yield from mirror_findings(root, package, root / "tests", excused | (elsewhere - clients))
    own = {name.removeprefix(f"{client.name}/") for name in clients}
    yield from mirror_findings(root, client, root / "tests" / "packages" / client.name, own)
    for name in excused - committed_exceptions(root):
        yield f"pyproject.toml: {name} is new in without-mirrored-test, which may only shrink; write its test instead"


def size_findings(path: Path, name: str) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    lines = len(text.splitlines())
    if lines > MOST_FILE_LINES:
        yield f"{name}: {lines} lines, at most {MOST_FILE_LINES} allowed"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, FUNCTIONS) and node.end_lineno is not None:
            length = node.end_lineno - node.lineno + 1
            if length > MOST_FUNCTION_LINES:
                yield f"{name}:{node.lineno}: {node.name} has {length} lines, at most {MOST_FUNCTION_LINES} allowed"


def mirror_findings(root: Path, package: Path, tests: Path, excused: set[str]) -> Iterator[str]:
    untested = set()
    for path in sorted(package.rglob("*.py")):
        module = path.relative_to(package)
        mirror = tests / module.parent / f"test_{path.name}"
        if path.name not in {"__init__.py", "__main__.py"} and has_logic(path) and not mirror.exists():
            untested.add(str(module))
            if str(module) not in excused:
                yield f"{path.relative_to(root)}: no test file {mirror.relative_to(root)}"
    for name in sorted(excused - untested):
        yield f"pyproject.toml: {name} needs no place in without-mirrored-test any more; remove it"


def has_logic(path: Path) -> bool:
    """Whether the module does anything: a function with more than a docstring, `...` or `pass` in its body."""
    functions = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, FUNCTIONS))
    return any(not all(is_idle(statement) for statement in function.body) for function in functions)


def is_idle(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def tested_elsewhere(root: Path, pyproject: str) -> set[str]:
    """Modules that are tested together with others in a test file that exists, such as those of tests/paper."""
    groups = tomllib.loads(pyproject)["tool"]["glam"]["check"].get("tested-together", {})
    return {module for test, modules in groups.items() if (root / test).is_file() for module in modules}


def exceptions(pyproject: str) -> set[str]:
    return set(tomllib.loads(pyproject)["tool"]["glam"]["check"]["without-mirrored-test"])


def committed_exceptions(root: Path) -> set[str]:
    """The exceptions of the last commit; those of the file itself where there is no commit to compare with."""
    try:
        shown = subprocess.run(
            ["git", "show", "HEAD:./pyproject.toml"], cwd=root, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return exceptions((root / "pyproject.toml").read_text(encoding="utf-8"))
    return exceptions(shown.stdout)


if __name__ == "__main__":
    main()
