"""`glam bench` killed with `kill -9` at random moments and started again: is a finished run lost, or made twice?

    python benchmarks/bench_kills.py [--kills 10] [--grid smoke] [--json docs/results/bench_kills.json]

The grid is run by its own command with two workers, and killed a random time after a random number of further runs
has finished. A finished run has a run record; after every kill, and at the end, each run record must be unchanged, to
the byte and to the nanosecond of its writing. A grid that is done before enough kills starts again in another folder.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from glam.core.files import read_json, write_json

RunRecords = dict[str, tuple[bytes, int]]
"""Content of each run record and the moment of its writing, by name."""

MOST_RUNS = 2
"""Runs that finish between one kill and the next, at most."""
LATEST = 3.0
"""Seconds that a kill follows the last of these, at most."""


def main() -> None:
    options = parse()
    moments = random.Random(options.seed)
    found: dict[str, Any] = {"grid": options.grid, "kills": 0, "lost": 0, "repeated": 0, "moments": []}
    with tempfile.TemporaryDirectory() as folder:
        number = 0
        while found["kills"] < options.kills:
            one_grid(options, Path(folder) / str(number), moments, found)
            number += 1
    found["grids"] = number
    print(f"{found['kills']} kills: {found['lost']} finished runs lost, {found['repeated']} made again")
    write_json(options.json, found)
    sys.exit(1 if found["lost"] or found["repeated"] else 0)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--grid", default="smoke")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, default=Path("docs/results/bench_kills.json"))
    return parser.parse_args()


def one_grid(options: argparse.Namespace, root: Path, moments: random.Random, found: dict[str, Any]) -> None:
    """Run a grid to its end, killed on the way as long as kills are left."""
    known: RunRecords = {}
    while True:
        bench = started(options.grid, root)
        if found["kills"] < options.kills:
            more, later = moments.randint(0, MOST_RUNS), moments.uniform(0.0, LATEST)
            wait_for(bench, root, len(known) + more)
            time.sleep(later)
            bench.send_signal(signal.SIGKILL)
        code = bench.wait()
        time.sleep(2.0)  # workers look twice a second whether their parent is there
        now = run_records(root)
        found["lost"] += len(known.keys() - now.keys())
        found["repeated"] += sum(now[name] != run_record for name, run_record in known.items() if name in now)
        known = now
        if code != -signal.SIGKILL:
            break
        found["kills"] += 1
        found["moments"].append({"further_runs": more, "seconds_later": round(later, 2), "finished": len(now)})
        print(f"kill {found['kills']}: {len(now)} runs finished so far", flush=True)
    assert code == 0, f"ended with {code}; see {root / 'logs'}"
    record = read_json(root / "records" / f"{options.grid}.json")
    assert {f"{run['kind']}.{run['name']}.json" for run in record["runs"]} == known.keys()


def wait_for(bench: subprocess.Popen[bytes], root: Path, finished: int) -> None:
    """Until it works and that many runs have finished, or until it has ended."""
    assert bench.stdout is not None
    bench.stdout.readline()  # the first line: what is being made
    while bench.poll() is None and len(list(root.glob("run_records/*.json"))) < finished:
        time.sleep(0.02)


def started(grid: str, root: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "glam", "bench", grid, "--root", str(root)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "GLAM_CACHE": str(root / "cache")}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)


def run_records(root: Path) -> RunRecords:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in root.glob("run_records/*.json")}


if __name__ == "__main__":
    main()
