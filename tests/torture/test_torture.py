"""The torture counts what it should, goes on where it was, and its page shows its record."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
import torch
from benchmarks.torture import processes
from benchmarks.torture.__main__ import PAGE, RECORD, SECTIONS, attack
from benchmarks.torture.cases import cases
from benchmarks.torture.digests import digest, fingerprint
from benchmarks.torture.hostile import SECRET, harm
from benchmarks.torture.interruptions import mishap
from benchmarks.torture.jobs import JOBS
from benchmarks.torture.models import counter, number_in
from benchmarks.torture.processes import Ended
from benchmarks.torture.tally import BEGIN, COLUMNS, END, Result, Section, Tally, failures, page_with, table
from tests import pages

import glam.cli
from glam.commands.data import Data

ROOT = Path(__file__).parents[2]


def test_the_page_shows_the_record() -> None:
    page, path = (ROOT / PAGE).read_text(), ROOT / RECORD
    record = json.loads(path.read_text()) if path.exists() else None
    assert page == page_with(page, record)


def test_tests_that_the_page_names_exist() -> None:
    named = [part.partition("::") for part in pages.page("reliability.md").split("`") if part.startswith("tests/")]
    assert len(named) > 30
    texts = {path: (ROOT / path).read_text() if (ROOT / path).is_file() else "" for path, _, _ in named}
    assert [
        path + test for path, _, test in named if f"def {test}" not in texts[path] or not (ROOT / path).exists()
    ] == []


def commands(union: object) -> set[str]:
    """Names of the commands in an annotation of tyro's."""
    return {
        given.name for part in get_args(union) for given in get_args(part)[1:] if hasattr(given, "name") and given.name
    }


def test_every_command_that_writes_is_attacked() -> None:
    of_data = commands(get_type_hints(Data, include_extras=True)["command"])
    assert {"check", "view", "masks"} < of_data
    others = {
        "demo",
        "compare",
        "serve",
        "cache",
        "data",
    }  # a bench, two that write nothing, one that removes, a family
    assert (commands(glam.cli.Command) | of_data) - others == set(JOBS)


def test_sections_have_names_of_their_own_and_as_many_tries_as_was_promised() -> None:
    names = [section.name for section in SECTIONS]
    assert len(set(names)) == len(names)
    assert all(section.full >= 300 for section in SECTIONS if section.name.startswith("mutations"))
    assert all(section.quick <= section.full for section in SECTIONS)
    every = [case.name for case in cases()]
    assert len(set(every)) == len(every) >= 60


def test_the_page_says_whether_the_whole_has_run() -> None:
    record = {"sections": {"a": {"what": "an attack", "seconds": 120.0} | dict.fromkeys(COLUMNS, 0)}}
    record |= {"sections_in_all": 2, "tries_left": {}, "machine": {"cores": 2, "load_average": 1.0}}
    assert "\nThe whole of `make torture`: 2 minutes in all, on 2 cores" in page_with(f"{BEGIN}{END}", record)
    partly = page_with(f"{BEGIN}{END}", record | {"tries_left": {"b": 3}})
    assert "\nA part of `make torture`, not the whole: 1 of 2 sections have made all their tries" in partly


def results(samples: object, numbers: range):
    for number in numbers:
        yield Result("lost" if number == 1 else "detected", f"try {number}", 10, {"last": number})


def test_a_section_goes_on_where_it_was_and_keeps_what_it_counted(tmp_path: Path, capsys) -> None:
    section, path = Section("a", "an attack", 4, 1, results), tmp_path / "a.json"
    attack(section, None, Tally.at(path), 2)
    attack(section, None, Tally.at(path), 4)
    found = Tally.at(path)
    assert (found.next, found.is_done, found.counts) == (4, True, {"detected": 30, "lost": 10})
    row = {"what": section.what} | found.row()
    assert (row["tries"], row["last"], row["cases"]) == (40, 3, ["lost: try 1"])
    assert failures({"a": row}) == 10
    assert "| an attack | 40 | 30 | - | - | - | - | - | 10 |" in table({"a": row})
    attack(section, None, found, 4)
    assert capsys.readouterr().out.count("in 0 s") == 2  # nothing was left to do


@pytest.mark.parametrize(
    ("code", "said", "verdict"),
    [
        (2, "glam: data: no such folder\n", None),
        (0, "", None),
        (2, "glam: one\nglam: two\n", "traceback"),
        (1, "Traceback (most recent call last)", "traceback"),
        (-11, "", "traceback"),
        (-24, "", "hang"),
    ],
)
def test_an_end_that_no_user_should_see_is_told(code: int, said: str, verdict: str | None) -> None:
    found = mishap(Ended(code, said, 1.0, 1), "a case")
    assert (found and found.verdict) == verdict


def test_time_in_which_others_had_the_processor_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    assert processes.stood_in_line(os.getpid()) >= 0.0
    assert processes.stood_in_line(1 << 30) == 0.0  # there is no such process
    monkeypatch.setattr(processes, "stood_in_line", lambda _: 7.0)
    late = [processes.is_late(1, seconds, patience=5.0) for seconds in (4.0, 11.0, 13.0)]
    assert late == [False, False, True]


def test_harm_is_noticed(tmp_path: Path) -> None:
    place, secret = tmp_path / "places/hostile", tmp_path / "places/outside/secret.txt"
    for path in (place / "outside/secret.txt", secret):
        path.parent.mkdir(parents=True)
        path.write_bytes(SECRET)
    assert harm(place, secret, "glam: no") == ""
    assert harm(place, secret, "glam: \x1b[31m") == "escape sequences reach the terminal"
    (place / "out").mkdir()
    (place / "out/copy.txt").write_bytes(b"here: " + SECRET)
    assert harm(place, secret, "") == "a secret file was copied"
    secret.write_bytes(b"changed")
    assert harm(place, secret, "") == "a file outside was written"


def test_digests_leave_out_times_and_nothing_else(tmp_path: Path) -> None:
    for name, seconds, value in (("a", 1, 2), ("b", 3, 2), ("c", 1, 4)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.json").write_text(json.dumps({"seconds": seconds, "list": [{"value": value}]}))
    first, second, third = (digest(tmp_path / name) for name in "abc")
    assert first == second != third


def test_fingerprints_tell_values_apart() -> None:
    values = [torch.zeros(2), torch.zeros(3), torch.zeros(2).double(), {"a": 1}, {"a": 2}, [1, 2], "x"]
    assert len({fingerprint(value) for value in values}) == len(values)
    assert fingerprint({"b": 1, "a": torch.ones(2)}) == fingerprint({"a": torch.ones(2), "b": 1})


def test_a_frame_shows_its_number() -> None:
    assert [number_in(counter(number)) for number in (0, 1, 4095, 65535)] == [0, 1, 4095, 65535]


FAULTS = """
import os, sys
from pathlib import Path
from benchmarks.torture.processes import faulty, full_after, run

scratch = Path(sys.argv[1])
place = scratch / "place"

def work():
    for name in "abc":
        (place / name).write_text("x" * 100)

def made(change):
    place.mkdir()
    found = run(change(work), scratch)
    names = sorted(path.name for path in place.iterdir() if path.stat().st_size == 100)
    for path in place.iterdir():
        path.unlink()
    place.rmdir()
    return found.code, names, found.said.splitlines()[-1:]

whole = made(lambda work: faulty(work, place, "EIO", 0, scratch / "passed"))
print(whole, (scratch / "passed").read_text(), flush=True)  # what is not flushed, a fork would print again
print(made(lambda work: faulty(work, place, "EIO", 2)), flush=True)
print(made(lambda work: faulty(work, place, "ENOSPC", 3)), flush=True)
print(made(lambda work: faulty(work, place, "kill", 2)), flush=True)
print(made(lambda work: full_after(lambda: (place / 'd').write_text('x' * 5000), 4096)), flush=True)
"""


def test_faults_come_where_they_are_asked_for(tmp_path: Path) -> None:
    """In a process without threads, which can be forked."""
    words = [sys.executable, "-c", FAULTS, str(tmp_path)]
    found = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    assert found == [
        "(0, ['a', 'b', 'c'], []) 3",
        f"(1, ['a'], [\"OSError: [Errno 5] Input/output error: '{tmp_path}/place/b'\"])",
        f"(1, ['a', 'b'], [\"OSError: [Errno 28] No space left on device: '{tmp_path}/place/c'\"])",
        "(-9, ['a'], [])",
        "(1, [], ['OSError: [Errno 27] File too large'])",
    ]
