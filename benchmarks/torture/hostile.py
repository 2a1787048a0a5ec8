"""Hostile content through the command line.

Each case spoils copies of sound files, seals included where there are any, and types a command on them. It must be
refused in one sentence, or do no harm: a secret file outside the place keeps its content, none of its words are found
in what the command wrote, and nothing but text reaches the terminal.
"""

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.torture.cases import Case, cases
from benchmarks.torture.interruptions import mishap
from benchmarks.torture.processes import glam
from benchmarks.torture.samples import Samples
from benchmarks.torture.tally import Result, Section

SECRET = b"the words of a file that nobody may read or change"
MOST_MEMORY_MB = 1024
"""Of a command, libraries included; these datasets and models need a quarter of it."""
COPIES = ("target", "aux", "arm", "world-model", "policy", "evaluation")


def hostile(samples: Samples, numbers: range) -> Iterator[Result]:
    """Each case once."""
    every, most = list(cases()), 0
    for number in numbers:
        result, memory = met(every[number], samples)
        most = max(most, memory)
        yield replace(result, facts={"most_memory_mb": most})


def met(case: Case, samples: Samples) -> tuple[Result, int]:
    """Type the command of a case and see what came of it; also the megabytes that it took."""
    place = samples.place("hostile")
    for name in COPIES:
        shutil.copytree(samples.sound / name, place / name)
    for folder in (place.parent / "outside", place / "outside"):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "secret.txt").write_bytes(SECRET)
    case.spoil(place)

    def typed() -> None:
        os.chdir(place)
        glam(case.words(place))()

    found = samples.run(typed)
    bad = mishap(found, case.name) if found.code != 1 or "Traceback" in found.said else None
    if not bad and found.memory_mb > MOST_MEMORY_MB:
        bad = Result("hang", f"{case.name}: took {found.memory_mb} MB before {found.last_words}")
    done = harm(place, place.parent / "outside/secret.txt", found.said)
    if found.code == 0 and not case.may_pass:
        done = done or "it was not refused"
    if bad or done:
        return bad or Result("silent", f"{case.name}: {done}"), found.memory_mb
    return Result("detected" if found.code else "harmless", case.name), found.memory_mb


def harm(place: Path, secret: Path, said: str) -> str:
    """What a command has done that it must not do, in words; empty if nothing."""
    if {path.name for path in secret.parent.iterdir()} != {secret.name} or secret.read_bytes() != SECRET:
        return "a file outside was written"
    if (place / "outside/secret.txt").read_bytes() != SECRET or (place / "trapped.txt").exists():
        return "a file outside was written, or code was run"
    if "\x1b" in said:
        return "escape sequences reach the terminal"
    out = place / "out"
    written = out.rglob("*") if out.is_dir() and not out.is_symlink() else ()
    if any(path.is_file() and not path.is_symlink() and SECRET in path.read_bytes() for path in written):
        return "a secret file was copied"
    return ""


SECTIONS = (Section("hostile content", "hostile content through the command line", len(list(cases())), 30, hostile),)
