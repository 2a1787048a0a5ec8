"""Measure every figure of docs/worlds.md and write it to one file.

    python benchmarks/worlds.py --out docs/results/worlds.json

Each section is saved as soon as it is done, and skipped when the file has it already; `--again NAME` measures one anew,
`--only NAME` nothing else. The machine may be busy: its load is recorded with every section.
"""

import argparse
import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from inverse_kinematics import against_mink
from worlds_data import contract_with_lerobot, planted_faults, windows_from_cache
from worlds_experts import demonstrations, negative_controls, visibility
from worlds_recording import determinism, kills
from worlds_speed import mesa_threads, throughput

from glam.core.files import read_json, write_json

SECTIONS: dict[str, Callable[[], dict[str, Any]]] = {
    "demonstrations": demonstrations,
    "negative_controls": negative_controls,
    "visibility": visibility,
    "determinism": determinism,
    "kills": kills,
    "inverse_kinematics": against_mink,
    "mesa_threads": mesa_threads,
    "throughput": throughput,
    "windows_from_cache": windows_from_cache,
    "contract_with_lerobot": contract_with_lerobot,
    "planted_faults": planted_faults,
}


def main() -> None:
    options = parse()
    for name in options.only or SECTIONS:
        if name in recorded(options.out) and name not in options.again:
            print(f"{name}: measured before")
            continue
        print(f"{name} ...", flush=True)
        section = with_conditions(SECTIONS[name])
        write_json(options.out, recorded(options.out) | {name: section})  # read anew: another run may have added to it
        print(f"{name}: {section['conditions']['seconds']} s", flush=True)
    print(options.out)


def recorded(path: Path) -> dict[str, Any]:
    record: dict[str, Any] = read_json(path) if path.exists() else {}
    return record


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("docs/results/worlds.json"))
    parser.add_argument("--again", nargs="*", choices=SECTIONS, default=[], metavar="NAME", help="measure anew")
    parser.add_argument("--only", nargs="*", choices=SECTIONS, metavar="NAME", help="leave the other sections out")
    return parser.parse_args()


def with_conditions(section: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Result of a section, with the conditions under which it was measured."""
    before, start = os.getloadavg()[0], time.monotonic()
    result = section()
    return {
        "result": result,
        "conditions": {
            "seconds": round(time.monotonic() - start, 1),
            "load_average_before_and_after": [round(before, 1), round(os.getloadavg()[0], 1)],
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "versions": {
                name: version(name) for name in ("glam-robot", "mujoco", "numpy", "av", "pyarrow", "gymnasium")
            },
        },
    }


if __name__ == "__main__":
    main()
