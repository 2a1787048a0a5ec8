"""Damaged files of every kind: is each refused, read as if nothing had happened, or read wrongly without a word?

Files are copied, one of them is damaged (a flipped bit, random bytes, a zeroed, doubled or missing part, a cut), and
then everything is read that GLAM ever reads of them. A reader that is silent is a failure, but for files of others that
have no checksum: there it is counted apart, as what nobody can tell.
"""

import json
import os
import random
import select
import shutil
import signal
import tempfile
import time
import traceback
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO

from benchmarks.torture.digests import fingerprint
from benchmarks.torture.processes import is_late, limit_memory, stood_in_line
from benchmarks.torture.samples import Samples
from benchmarks.torture.specimens import SPECIMENS, Specimen
from benchmarks.torture.tally import Result, Section
from tests.interop.imports.damage.to_bytes import BYTES
from tests.interop.imports.mutations import KINDS, mutated, outcome, read_all

from glam.core.errors import GlamError
from glam.interop.imports.reader_client import ReaderClient

PATIENCE = 180.0
LOOK_EVERY = 5.0
BATCH = 25
"""Tries in one forked process."""


def tried(specimen: Specimen, samples: Samples, expected: str, number: int) -> tuple[str, str]:
    """Damage a copy and read it; returns verdict and case."""
    rng = random.Random(f"{specimen.name} {number}")
    damage = rng.choice(BYTES)
    case = f"{specimen.name} {number}, {damage.__name__}"
    with tempfile.TemporaryDirectory(dir=samples.root) as folder:
        target = specimen.make(samples, Path(folder))
        damage(target, rng)
        try:
            found = fingerprint(specimen.read(samples, target))
        except GlamError as error:
            sentence = str(error)
            return ("detected", case) if "\n" not in sentence else ("traceback", f"{case}: {sentence}")
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            return "traceback", f"{case}: {error!r} in {Path(place.filename).name}:{place.lineno}"
    return ("harmless", case) if found == expected else (specimen.otherwise, case)


def mutations(specimen: Specimen, samples: Samples, numbers: range) -> Iterator[Result]:
    """Tries in forked processes of several each; if one dies or hangs, that is told and the next one begins."""
    samples.place("mutations")
    printed = samples.root / "sound.txt"
    samples.must(lambda: printed.write_text(_sound(specimen, samples)))
    expected, following = printed.read_text(), numbers.start
    while following < numbers.stop:
        batch = range(following, min(following + BATCH, numbers.stop))
        for verdict, case in _some(specimen, samples, expected, batch):
            yield Result(verdict, case)  # type: ignore[arg-type]
            following += 1


def _sound(specimen: Specimen, samples: Samples) -> str:
    with tempfile.TemporaryDirectory(dir=samples.root) as folder:
        return fingerprint(specimen.read(samples, specimen.make(samples, Path(folder))))


def _some(specimen: Specimen, samples: Samples, expected: str, numbers: range) -> Iterator[tuple[str, str]]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            limit_memory()
            for number in numbers:
                os.write(writing, json.dumps(tried(specimen, samples, expected, number)).encode() + b"\n")
        finally:
            os._exit(0)
    os.close(writing)
    count = 0
    with os.fdopen(reading, "rb", buffering=0) as results:
        while is_heard(results, child):
            line = results.readline()
            if not line:
                break
            yield tuple(json.loads(line))
            count += 1
        else:
            yield "hang", f"{specimen.name} {numbers[count]}"
            count = len(numbers)
            os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if count < len(numbers):
        yield "traceback", f"{specimen.name} {numbers[count]}: the process died of {status}"


def is_heard(results: IO[bytes], child: int) -> bool:
    """Wait for the next result; false if there is none in time."""
    start, before = time.monotonic(), stood_in_line(child)
    while not select.select([results], [], [], LOOK_EVERY)[0]:
        if is_late(child, time.monotonic() - start, PATIENCE - before):
            return False
    return True


def recordings(name: str, samples: Samples, numbers: range) -> Iterator[Result]:
    """Damage to recordings of other projects: read as the format's own library reads them, or refused."""
    kind, place = KINDS[name], samples.place("recordings")
    verdicts = {"error": "detected", "same": "harmless", "faithful": "untellable", "WRONG": "silent"}
    with ReaderClient() as reader:
        sound = kind.make(place)
        episodes = read_all(reader, sound, name)
        for number in numbers:
            folder = place / str(number)
            folder.mkdir()
            found = outcome(reader, kind, mutated(kind, sound, folder, number), episodes)
            shutil.rmtree(folder)
            yield Result(verdicts[found.verdict], f"{name} {number}: {found.detail}")  # type: ignore[arg-type]


SECTIONS = (
    *(
        Section(f"mutations of a {one.name}", f"damage to {one.what}", 300, 20, partial(mutations, one))
        for one in SPECIMENS
    ),
    *(
        Section(f"mutations of {name}", f"damage to recordings, {name}", 300, 20, partial(recordings, name))
        for name in KINDS
    ),
)
