"""Fail when source code could run code from a file: pickle, marshal and the like, eval, unsafe yaml or torch.load."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

UNSAFE_MODULES = {"cloudpickle", "dill", "joblib", "jsonpickle", "marshal", "pickle", "shelve"}
UNSAFE_BUILTINS = {"__import__", "compile", "eval", "exec"}


def main() -> None:
    findings = [
        f"{path}:{line}: {what}"
        for path in sorted([*Path("src").rglob("*.py"), *Path("packages").rglob("*.py")])
        for line, what in source_findings(path.read_text(encoding="utf-8"))
    ]
    print("\n".join(findings) or "no unsafe loading: ok")
    sys.exit(1 if findings else 0)


def source_findings(source: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name in sorted(imported_packages(node) & UNSAFE_MODULES):
                yield node.lineno, f"{name} can run code from a file; use safetensors or JSON"
        if isinstance(node, ast.Call):
            yield from ((node.lineno, what) for what in call_findings(node))


def imported_packages(node: ast.Import | ast.ImportFrom) -> set[str]:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    return {name.partition(".")[0] for name in names}


def call_findings(call: ast.Call) -> Iterator[str]:
    name = ast.unparse(call.func)
    keywords = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
    if name in UNSAFE_BUILTINS:
        yield f"{name} is not allowed"
    if keywords.get("allow_pickle", "False") != "False":
        yield "allow_pickle must stay False"
    if name in {"yaml.load", "yaml.unsafe_load", "yaml.full_load"}:
        yield f"{name} can run code from a file; use yaml.safe_load"
    if name == "torch.load" and keywords.get("weights_only") != "True":
        yield "torch.load needs weights_only=True"


if __name__ == "__main__":
    main()
