"""The guides to tasks and embodiments, run as they are printed: a file in the right package and a registry line."""

import importlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from glam.core.registry import Registry, RegistryEntry

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINE = re.compile(r'^"([\w-]+)": RegistryEntry\("([\w.]+):(\w+)", "([^"]+)"\),\n$')


@contextmanager
def followed(page: str, registry: Registry, folder: Path, patch: pytest.MonkeyPatch) -> Iterator[tuple[str, Any]]:
    """Name and definition of what a page adds, while its file is in its package and its line in the registry."""
    file, line = BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))
    name, module, variable, summary = LINE.fullmatch(line).groups()
    package, _, stem = module.rpartition(".")
    assert f"src/{module.replace('.', '/')}.py" in (DOCS / page).read_text(encoding="utf-8")
    (folder / f"{stem}.py").write_text(file, encoding="utf-8")
    parent: ModuleType = importlib.import_module(package)
    patch.setattr(parent, "__path__", [*parent.__path__, str(folder)])
    patch.setitem(registry.entries, name, RegistryEntry(f"{module}:{variable}", summary))
    try:
        yield name, registry[name]
    finally:
        sys.modules.pop(module, None)
        vars(parent).pop(stem, None)
