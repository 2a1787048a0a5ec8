"""Measure every figure of docs/worlds.md and write it to one file.

    python benchmarks/worlds.py --anew      # docs/results/worlds.json anew; the same command resumes it
    python benchmarks/worlds.py --list      # sections, and how long each took the last time
    python benchmarks/worlds_page.py        # then the tables of the page

Each section is saved as soon as it is done. With `--anew` they are gathered in runs/worlds.json, which takes the place
of the record when all are there. Otherwise sections that the record has are skipped; `--again NAME` measures one anew,
`--only NAME` nothing else. A section that fails is told at the end and leaves the others alone. The machine may be
busy: its load is recorded with every section.
"""

import argparse
import os
import platform
import sys
import time
import traceback
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
    "contract_with_lerobot": contract_with_lerobot,  # sets up what the next one compares with
    "windows_from_cache": windows_from_cache,
    "planted_faults": planted_faults,
}

GATHERED = Path("runs/worlds.json")


def main() -> None:
    options = parse()
    wanted = options.only or SECTIONS
    out: Path = GATHERED if options.anew else options.out
    missing = [name for name in wanted if name in options.again or name not in recorded(out)]
    for name in SECTIONS if options.list else missing:
        print(f"{name}: {last_time(recorded(options.out), name)}")
    if options.list:
        return
    failed = [name for name in missing if not is_measured(name, out)]
    if failed:
        sys.exit(f"{', '.join(failed)}: failed; the reasons are above, and the same command tries again")
    if options.anew and recorded(out).keys() == SECTIONS.keys():
        write_json(options.out, recorded(out))
        out.unlink()
    print(options.out if not out.exists() or not options.anew else f"{out}: some sections are not measured yet")


def last_time(record: dict[str, Any], name: str) -> str:
    """What a section took when it was last measured."""
    if name not in record:
        return "not measured before"
    conditions = record[name]["conditions"]
    load = " to ".join(map(str, conditions["load_average_before_and_after"]))
    minutes = conditions["seconds"] / 60
    return f"about {minutes:.1f} min, as the last time, with a load of {load} on {conditions['cores']} cores"


def is_measured(name: str, out: Path) -> bool:
    """Measure a section and write it to the record."""
    print(f"{name} ...", flush=True)
    try:
        section = with_conditions(SECTIONS[name])
    except Exception:
        traceback.print_exc()
        return False
    write_json(out, recorded(out) | {name: section})  # read anew: another run may have added to it
    print(f"{name}: {section['conditions']['seconds']} s", flush=True)
    return True


def recorded(path: Path) -> dict[str, Any]:
    record: dict[str, Any] = read_json(path) if path.exists() else {}
    return record


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("docs/results/worlds.json"))
    parser.add_argument("--anew", action="store_true", help="measure all sections, whatever the record has")
    parser.add_argument("--list", action="store_true", help="only tell how long each section took the last time")
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
