"""Write hashes.txt: for each pinned package that `.venv` needs, the sha256 of every file of that version.

    .venv/bin/python tools/pin_hashes.py         # `uv` must be on the PATH; it asks the package index

torch is left out: a CPU build at hand is taken where there is one, other machines need a build for their GPU, and these
come from several sources with files of their own. What only such a build needs is left out as well.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

PINS, HASHES = Path("constraints.txt"), Path("hashes.txt")
LEFT_OUT = {"torch", "glam-robot", "glam-robot-client"}
"""torch, and what is installed from this repository."""
WORDS = ("uv", "pip", "compile", "--no-deps", "--generate-hashes", "--no-header", "--no-annotate", "--quiet", "-")


def main() -> None:
    pins = {normal(line.split("==")[0]): line for line in PINS.read_text().splitlines() if "==" in line}
    names = sorted(set(needed("glam-robot", frozenset({"dev"}), set())) - LEFT_OUT)
    missing = [name for name in names if name not in pins]
    if missing:
        sys.exit(f"{PINS}: has no {', '.join(missing)}; add what `pip freeze` says")
    text = "\n".join(pins[name] for name in names)
    made = subprocess.run(WORDS, input=text, capture_output=True, text=True, check=False)
    if made.returncode:
        sys.exit(made.stderr)
    HASHES.write_text(made.stdout)


def needed(name: str, extras: frozenset[str], seen: set[tuple[str, frozenset[str]]]) -> Iterator[str]:
    """Names of an installed package and of all that it needs here."""
    if (normal(name), extras) in seen:
        return
    seen.add((normal(name), extras))
    yield normal(name)
    for text in metadata.requires(name) or ():
        wanted = Requirement(text)
        if not wanted.marker or any(wanted.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield from needed(wanted.name, frozenset(wanted.extras), seen)


def normal(name: str) -> str:
    """Name by which an index knows a package."""
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    main()
