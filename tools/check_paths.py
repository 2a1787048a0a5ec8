"""Fail when a path is joined to a name that may come out of a file's content, other than by `files.contained`.

Joined to a folder with `/` are constants of ours alone: literals, names in capitals, and what `ALLOWED` lists with the
reason. Everything else goes through `glam.core.files.contained`, which refuses names that lead out of the folder.

Types are not known here. What is a path is told by names: everything that is annotated as a `Path` anywhere, and what
is made of such things.
"""

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

FOLDERS = ("src/glam", "packages")
JOINING = {"joinpath", "with_name"}
LISTING = {"iterdir", "glob", "rglob"}
MAKING = {"absolute", "expanduser", "joinpath", "resolve", "with_name", "with_suffix"}

NUMBERS = {"count", "frame", "self", "share", "side", "step", "usual", "view", "weights"}
"""Names that paths have in one place, and numbers that are divided in another."""

_BESIDE = "a name of ours beside a path of ours"
_OURS = "made of our own names and of digests"
_GIVEN = "a name that the user gave, or that a loop over constants has"
ALLOWED = {
    "src/glam/bench/records.py": {"folder / f\"{name.replace('-', '_')}.json\"": _OURS},
    "src/glam/bench/run.py": {
        "self.root / run.kind / run.name": _OURS,
        "self.root / run.kind": _OURS,
        "self.root / 'run_records' / f'{run.kind}.{run.name}.json'": _OURS,
        "self.logs / f'{run.kind}.{run.name}.log'": _OURS,
    },
    "src/glam/commands/world_models.py": {"self.world_model / f'replay-{self.source.resolve().name}'": _GIVEN},
    "src/glam/core/files.py": {
        "path.with_name(f'.{path.name}.{os.getpid()}{TEMPORARY_SUFFIX}')": _BESIDE,
        "path / part": "the function itself",
        "folder / lock": _GIVEN,
        "folder / path.name": _GIVEN,
        "Path(place) / name": "refuses links itself",
    },
    "src/glam/data/cache.py": {
        "folder.with_name(f'.{folder.name}.lock')": _BESIDE,
        "folder.with_name(f'.{folder.name}.{which}{files.TEMPORARY_SUFFIX}')": _BESIDE,
        "default_folder() / name": _OURS,
        "(cache_dir or default_folder()) / name": _OURS,
    },
    "src/glam/data/cache_upkeep.py": {"entry.with_name(f'.{entry.name}.used')": _BESIDE},
    "src/glam/data/check/dataset.py": {"root / file": _GIVEN},
    "src/glam/data/check/integrity.py": {"root / folder": _GIVEN},
    "src/glam/interop/imports/checksums.py": {"source.with_name(source.name + '.sha256')": _BESIDE},
    "src/glam/interop/imports/track_table.py": {"folder / name": _GIVEN},
    "src/glam/interop/imports/umi_zarr.py": {"source / name": _GIVEN},
    "src/glam/interop/imports/video_folder.py": {"folder / name": _GIVEN},
    "src/glam/policies/encoders/inputs.py": {
        "default_folder() / f'{frames.content_id[:32]}-{height}x{width}-features-{backbone}-v{FORMAT_VERSION}'": _OURS,
    },
    "src/glam/stages/masks.py": {"root.with_name(f'{root.name}-masks.{suffix}')": _BESIDE},
    "src/glam/stages/relabel.py": {
        "world_model / FOLDER / f'{dataset.content_id[:16]}.parquet'": _OURS,
        "out / name": _GIVEN,
    },
    "src/glam/stages/tracks.py": {"out.resolve().with_name(f'{out.resolve().name}-tracks.mp4')": _BESIDE},
    "src/glam/stages/train_policy.py": {
        "world_model / FOLDER / f'{source.frames.content_id[:16]}.parquet'": _OURS,
    },
    "src/glam/training/checkpoint.py": {
        "folder.with_name(f'.{folder.name}.old{files.TEMPORARY_SUFFIX}')": _BESIDE,
        "folder / _file(part)": _OURS,
    },
}


def main() -> None:
    sources = {path.as_posix(): path.read_text(encoding="utf-8") for path in python_files()}
    allowed = {(name, text) for name, reasons in ALLOWED.items() for text in reasons}
    findings = list(all_findings(sources, allowed))
    print("\n".join(findings) or "paths from content: ok")
    sys.exit(1 if findings else 0)


def python_files() -> Iterator[Path]:
    for folder in FOLDERS:
        yield from sorted(Path(folder).rglob("*.py"))


def all_findings(sources: dict[str, str], allowed: set[tuple[str, str]]) -> Iterator[str]:
    """Joins that are not allowed, and allowed ones that are gone."""
    trees = {name: ast.parse(source) for name, source in sources.items()}
    known = path_names(trees.values())
    found = {(name, text): line for name, tree in trees.items() for line, text in joins(tree, known)}
    for (name, text), line in found.items():
        if (name, text) not in allowed:
            yield f"{name}:{line}: {text}: use files.contained, or say in tools/check_paths.py why it is not needed"
    for name, text in sorted(allowed - found.keys()):
        yield f"tools/check_paths.py: {name} no longer has {text}; remove it from the list"


def joins(tree: ast.Module, known: set[str]) -> Iterator[tuple[int, str]]:
    """Line and text of each path that is joined to something else than a constant."""
    for node in ast.walk(tree):
        folder, names = parts(node)
        if folder is not None and is_path(folder, known) and not all(map(is_constant, names)):
            yield node.lineno, ast.unparse(node)


def parts(node: ast.AST) -> tuple[ast.expr | None, list[ast.expr]]:
    """Both sides of what would be a join if the left one is a path."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return node.left, [node.right]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in JOINING:
        return node.func.value, node.args
    return None, []


def path_names(trees: Iterable[ast.Module]) -> set[str]:
    """Names of everything that is a path, of functions that return one too."""
    nodes = [node for tree in trees for node in ast.walk(tree)]
    known = {name for node in nodes for name in annotated(node)}
    while new := {name for node in nodes for name in assigned(node, known)} - known:
        known |= new
    return known


def annotated(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.arg | ast.AnnAssign) and is_annotation(node.annotation):
        yield last_name(node.target if isinstance(node, ast.AnnAssign) else ast.Name(node.arg))
    if isinstance(node, ast.FunctionDef) and is_annotation(node.returns):
        yield node.name


def is_annotation(node: ast.expr | None) -> bool:
    return node is not None and ast.unparse(node).strip("'") in {
        *("Path", "Path | None", "Iterator[Path]", "list[Path]", "tuple[Path, ...]", "Sequence[Path]"),
    }


def assigned(node: ast.AST, known: set[str]) -> Iterator[str]:
    if isinstance(node, ast.Assign) and is_path(node.value, known):
        yield from (last_name(target) for target in node.targets if isinstance(target, ast.Name))
    if isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Name):
        is_listing = isinstance(node.iter, ast.Call) and last_name(node.iter.func) in LISTING
        if is_listing or is_path(node.iter, known):
            yield node.target.id


def is_path(node: ast.expr, known: set[str]) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return is_path(node.left, known)
    if isinstance(node, ast.BoolOp | ast.IfExp):
        parts = node.values if isinstance(node, ast.BoolOp) else [node.body, node.orelse]
        return any(is_path(part, known) for part in parts)
    if isinstance(node, ast.Call):
        name = last_name(node.func)
        return name in {"Path", *MAKING} or name in known - NUMBERS
    if isinstance(node, ast.Attribute) and node.attr == "parent":
        return True
    return last_name(node) in known - NUMBERS


def is_constant(node: ast.expr) -> bool:
    """True for a literal, a name in capitals, and a literal filled in with these or with numbers."""
    if isinstance(node, ast.JoinedStr):
        return all(map(is_constant, node.values))
    if isinstance(node, ast.FormattedValue):
        return is_constant(node.value) or (node.format_spec is not None and ast.unparse(node.format_spec)[-2] == "d")
    return isinstance(node, ast.Constant) or last_name(node).strip("_").isupper()


def last_name(node: ast.expr) -> str:
    """Name of a variable, attribute or function; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


if __name__ == "__main__":
    main()
