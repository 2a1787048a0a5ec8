"""Attacks on everything that GLAM promises, counted: `make torture`, about an hour on two cores.

    python -m benchmarks.torture [--quick] [--tries N] [--only WORD...] [--sides N] [--folder DIR] [--afresh]
                                 [--publish]

Two processes (--sides) take the sections in turn; those that measure times come last, alone. Each section is recorded
when it is done, and the same command goes on where it was interrupted; `--afresh` begins again. With --quick sections
are cut short, to about five minutes in all. Exits with code 1 if anything was lost, silent, ended in a traceback or
hung. The record holds the counts and the failures; docs/reliability.md shows it.
"""

import argparse
import os
import shutil
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # a process that has used a GPU cannot be forked
os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from benchmarks.conditions import conditions
from benchmarks.torture import hostile, interruptions, models, mutations, network, robots
from benchmarks.torture.samples import Samples
from benchmarks.torture.sound import samples_in
from benchmarks.torture.tally import FAILURES, Section, Tally, failures, latencies, page_with, table

from glam.core.errors import GlamError
from glam.core.files import exclusive, read_json, write_bytes, write_json

SECTIONS: tuple[Section, ...] = (
    *mutations.SECTIONS,
    *interruptions.SECTIONS,
    *hostile.SECTIONS,
    *robots.SECTIONS,
    *models.SECTIONS,
    *network.SECTIONS,
)
RECORD, PAGE = Path("docs/results/torture.json"), Path("docs/reliability.md")
PACKAGES = ("numpy", "torch", "mujoco", "pyarrow", "av", "safetensors", "websockets", "msgpack")


def main() -> None:
    options = parse()
    torch.set_num_threads(1)  # a process whose threads have worked cannot be forked
    folder = options.folder.resolve()
    if options.afresh:
        shutil.rmtree(folder, ignore_errors=True)
    made, sections = samples_in(folder), chosen(options.only)
    together = [section for section in sections if not section.is_timed]
    rooms = [made.beside(f"side-{side}") for side in range(options.sides)]
    workers = [forked(partial(attack_all, together, room, options)) for room in rooms]
    is_over = [os.waitpid(worker, 0)[1] == 0 for worker in workers]
    if not all(is_over):
        sys.exit("Interrupted; the same command goes on from there.")
    attack_all([section for section in sections if section.is_timed], made, options)
    rows = rows_in(folder)
    print(f"\n{table(rows)}\n\n{latencies(rows)}")
    sys.exit(1 if failures(rows) else 0)


def forked(work: Callable[[], None]) -> int:
    """Do `work` in another process; returns its number."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except KeyboardInterrupt:
            pass
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(code)
    return child


def attack_all(sections: list[Section], made: Samples, options: argparse.Namespace) -> None:
    """Attack in each section that no other process has taken."""
    folder = options.folder.resolve()
    for section in sections:
        path = tally_of(section, folder)
        with ExitStack() as stack:
            try:
                stack.enter_context(exclusive(path.with_suffix(".lock"), "taken"))
            except GlamError:
                continue
            count = options.tries or (section.quick if options.quick else section.full)
            attack(section, made, Tally.at(path), min(count, section.full))
            found = record(rows_in(folder))
            write_json(folder / RECORD.name, found)
            if options.publish:
                write_json(RECORD, found)
                write_bytes(PAGE, page_with(PAGE.read_text(encoding="utf-8"), read_json(RECORD)).encode())


def tally_of(section: Section, folder: Path) -> Path:
    """The file of a section's counts."""
    return folder / "tallies" / f"{section.name.replace(' ', '-')}.json"


def rows_in(folder: Path) -> dict[str, dict[str, Any]]:
    """The rows of all sections that have begun, by name."""
    tallies = {section: Tally.at(tally_of(section, folder)) for section in SECTIONS}
    return {section.name: {"what": section.what} | tally.row() for section, tally in tallies.items() if tally.next}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--tries", type=int, default=0, help="in each section, at most; 0: as many as it has")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="sections whose names hold one of these")
    parser.add_argument("--sides", type=int, default=2, metavar="N", help="processes side by side")
    parser.add_argument("--folder", type=Path, default=Path("runs/torture"))
    parser.add_argument("--afresh", action="store_true")
    parser.add_argument("--publish", action="store_true", help=f"write {RECORD} and the tables of {PAGE}")
    return parser.parse_args()


def chosen(words: list[str]) -> list[Section]:
    """Sections whose names hold one of the words; all without words."""
    found = [section for section in SECTIONS if not words or any(word in section.name for word in words)]
    if not found:
        sys.exit(f"--only {' '.join(words)}: no such section; there are {', '.join(one.name for one in SECTIONS)}")
    return found


def attack(section: Section, made: Any, tally: Tally, count: int) -> None:
    """Make the tries of a section that are left."""
    if tally.next >= count:
        return
    start, before = time.monotonic(), tally.seconds
    for result in section.tries(made, range(tally.next, count)):
        tally.add(result, before + time.monotonic() - start)
        if result.verdict in FAILURES:
            print(f"  {result.verdict}: {result.case}", flush=True)
    tally.facts["load_average"] = round(os.getloadavg()[0], 1)  # what else ran
    tally.is_done = tally.next >= count
    tally.save()
    print(f"{section.name}: {tally.counts} in {tally.seconds:.0f} s", flush=True)


def record(rows: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """What is published: whole if every section has made all its tries."""
    left = {section.name: section.full - rows.get(section.name, {}).get("made", 0) for section in SECTIONS}
    left = {name: count for name, count in left.items() if count > 0}
    return {"sections": rows, "sections_in_all": len(SECTIONS), "tries_left": left} | conditions(*PACKAGES)


if __name__ == "__main__":
    main()
