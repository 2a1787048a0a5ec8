"""Damaged recordings of other projects: is each a clear error or a correct read?

    python -m benchmarks.mutated_imports [--each 200] [--only robomimic umi-zarr video-folder] [--json OUT]

Small files in each format are damaged in as many ways: flipped bits, cuts, scribbles, missing keys, wrong types, absurd
shapes, links to other files, bombs. Counted is what comes of reading them:

    error     one sentence that names the file
    same      exactly what was read before the damage
    faithful  what the file now says, as the format's own library reads it, for the format has no checksum
    WRONG     anything else: a crash, a traceback, other numbers; ends with code 1
"""

import argparse
import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.conditions import conditions
from tests.interop.imports.mutations import KINDS, mutated, outcome, read_all

from glam.core.files import write_json
from glam.interop.imports.reader_client import ReaderClient

VERDICTS = ("error", "same", "faithful", "WRONG")
PACKAGES = ("numpy", "h5py", "zarr", "imagecodecs", "av")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=200)
    parser.add_argument("--only", nargs="+", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    results = {name: damaged(name, arguments.each, arguments.verbose) for name in arguments.only}
    if arguments.json:
        write_json(arguments.json, {"formats": results} | conditions(*PACKAGES))
    sys.exit(1 if any(result["verdicts"]["WRONG"] for result in results.values()) else 0)


def damaged(name: str, count: int, verbose: bool) -> dict[str, Any]:  # noqa: FBT001
    kind, verdicts, slowest, deaths = KINDS[name], Counter[str](), 0.0, 0
    with tempfile.TemporaryDirectory() as scratch, ReaderClient() as reader:
        sound = kind.make(Path(scratch))
        episodes = read_all(reader, sound, name)
        for number in range(count):
            folder = Path(scratch) / str(number)
            folder.mkdir()
            source = mutated(kind, sound, folder, number)
            start = time.monotonic()
            result = outcome(reader, kind, source, episodes)
            slowest = max(slowest, time.monotonic() - start)
            deaths += "ends the process" in result.detail
            verdicts[result.verdict] += 1
            if verbose or result.verdict == "WRONG":
                print(f"{name} {number}: {result.verdict}: {result.detail}")
    memory = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    found = {"files": count, "verdicts": {verdict: verdicts[verdict] for verdict in VERDICTS}}
    found |= {"slowest_seconds": round(slowest, 2), "reader_deaths": deaths, "most_memory_mb": memory // 1024}
    print(name, found, flush=True)
    return found


if __name__ == "__main__":
    main()
