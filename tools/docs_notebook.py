"""Run the cells of a notebook and collect what each of them prints and shows, as Markdown. Standard library only.

The cells run as one script in `.venv`, the environment of GLAM; that of the documentation has no torch. Where it is
missing, cells have no outputs.
"""

import ast
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

_PRELUDE = """
import io, json, pathlib, sys
_outputs = []

def _show(value):
    if hasattr(value, "_repr_html_"):
        _outputs[-1]["html"] = value._repr_html_()
    elif value is not None:
        print(repr(value))

def _next_cell():
    _outputs.append({"html": "", "printed": io.StringIO()})
    sys.stdout = _outputs[-1]["printed"]

"""
_NARROW = "&lt;style&gt;img, video { max-width: 100%; height: auto }&lt;/style&gt;"
"""Style for the frames that a notebook shows: on the site they are narrower than in Jupyter."""
_END = """
_found = [{"html": one["html"], "text": one["printed"].getvalue()} for one in _outputs]
pathlib.Path("outputs.json").write_text(json.dumps(_found), encoding="utf-8")
"""


def outputs(cells: Sequence[str], root: Path) -> list[str]:
    """Markdown with the outputs of each code cell; empty where the environment of GLAM is missing."""
    python = root / ".venv" / "bin" / "python"
    if not python.exists():
        print(f"{python} is missing: the notebook has no outputs; `make setup` first", file=sys.stderr)
        return [""] * len(cells)
    with TemporaryDirectory() as folder:
        (Path(folder) / "cells.py").write_text(script(cells), encoding="utf-8")
        done = subprocess.run([str(python), "cells.py"], cwd=folder, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            sys.exit(f"The notebook fails:\n{done.stderr[-2000:]}")
        found = json.loads((Path(folder) / "outputs.json").read_text(encoding="utf-8"))
    return [markdown(one["text"], one["html"]) for one in found]


def script(cells: Sequence[str]) -> str:
    """One program that runs the cells and writes their outputs to `outputs.json`."""
    return _PRELUDE + "".join(f"_next_cell()\n{_with_display(cell)}\n" for cell in cells) + _END


def markdown(text: str, html: str) -> str:
    """What was printed as a block, and what was shown as raw HTML."""
    printed = f"~~~~text\n{text.rstrip()}\n~~~~\n\n" if text.strip() else ""
    narrow = html.replace("&lt;/head&gt;", f"{_NARROW}&lt;/head&gt;")
    raw = f"~~~~{{raw}} html\n{narrow}\n~~~~\n" if html else ""
    return printed + raw


def _with_display(cell: str) -> str:
    """The cell with its last expression shown, as notebooks do."""
    body = ast.parse(cell).body
    if not body or not isinstance(body[-1], ast.Expr):
        return cell
    lines = cell.splitlines()
    first, last = body[-1].lineno - 1, body[-1].end_lineno
    return "\n".join([*lines[:first], "_show(" + "\n".join(lines[first:last]) + ")", *lines[last:]])
