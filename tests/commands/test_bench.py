import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from glam.bench import grids
from glam.bench.cell import Cell
from glam.bench.run import BenchRun, FolderOf, RunStore
from glam.bench.runs import DataRun
from glam.cli import outcome
from glam.commands.bench import Bench
from glam.core.files import read_json, write_json
from glam.core.seals import write_object


def test_a_dry_run_tells_cells_and_hours_and_makes_nothing(tmp_path, capsys):
    assert outcome(Bench(("main",), root=tmp_path / "store", dry_run=True)) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("to do")
    assert told[0].endswith("stack-two glam-o, seed 0")
    assert told[-1].startswith("0 of 135 cells done; about ")
    assert told[-1].endswith("hours left with 2 at a time")
    assert list(tmp_path.iterdir()) == []


def test_what_cells_share_is_counted_with_the_first_of_them(tmp_path, capsys):
    flags = {"tasks": ("lift",), "methods": ("glam-o", "retarget"), "seeds": (0,), "dry_run": True}
    assert outcome(Bench(("main",), root=tmp_path / "store", **flags)) == 0
    first, second, last = capsys.readouterr().out.splitlines()
    assert float(first.split()[2]) > 8.0  # datasets, world model, policy, trials
    assert float(second.split()[2]) < float(first.split()[2])  # policy and trials
    assert last.startswith("0 of 2 cells done")


@dataclass(frozen=True)
class Toy(BenchRun):
    """Takes no time."""

    kind = "toy"
    seconds = 60.0
    title: str = ""

    @property
    def settings(self):
        return {"title": self.title}

    def make(self, folder: Path, folder_of: FolderOf):
        return {"words": self.title}


def test_the_chosen_part_of_a_grid_is_run_and_its_record_lists_every_cell(tmp_path, capsys, monkeypatch):
    cells = [Cell(Toy(f"{method}-{seed}"), "lift", method, seed) for seed in (0, 1) for method in ("glam-o", "mip")]
    monkeypatch.setattr(grids, "find_grid", {"toys": cells}.__getitem__)
    flags = {"root": tmp_path / "store", "methods": ("mip",)}
    assert outcome(Bench(("toys",), workers=1, **flags)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("0 cells done, 1 running, 1 left; about 2 minutes left; now toy mip-0")
    assert lines[-2].startswith("2 cells done, 0 running, 0 left; ")
    assert lines[-1] == str(tmp_path / "store" / "records" / "toys.json")
    record = read_json(tmp_path / "store" / "records" / "toys.json")
    assert [cell["method"] for cell in record["cells"]] == ["glam-o", "mip", "glam-o", "mip"]
    assert [run["title"] for run in record["runs"]] == ["mip-0", "mip-1"]


def test_cells_recorded_elsewhere_are_not_run_again(tmp_path, capsys, monkeypatch):
    cells = [Cell(Toy(method), "lift", method) for method in ("glam-o", "mip", "clam")]
    monkeypatch.setattr(grids, "find_grid", {"toys": cells, "others": cells[1:]}.__getitem__)
    here, there = tmp_path / "here", tmp_path / "there"
    assert outcome(Bench(("toys",), root=there, methods=("mip",), workers=1)) == 0
    known = there / "records" / "toys.json"
    before = known.read_bytes()
    assert outcome(Bench(("others",), root=here, skip_recorded=(there / "records",), workers=1)) == 0
    assert [path.name.split("-")[0] for path in (here / "run_records").iterdir()] == ["toy.clam"]
    assert known.read_bytes() == before


def git(*words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")
    return subprocess.run(["git", *identity, *words], capture_output=True, text=True, check=True).stdout


def test_a_grid_changes_no_tracked_file_of_a_repository_unless_its_folder_is_named(tmp_path, monkeypatch):
    """With real demonstrations and the record of another result in the repository, ignored as in this one."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(Path(__file__).parents[2] / ".gitignore", tmp_path)
    write_json(tmp_path / "docs/results/toys.json", {"benchmark": "toys", "cells": [], "runs": [], "notes": ["slow"]})
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "begin")):
        git(*words)
    cells = [Cell(DataRun("lift", "umi", 1, 0), "lift", "expert"), Cell(Toy("mip"), "lift", "mip")]
    monkeypatch.setattr(grids, "find_grid", {"toys": cells}.__getitem__)
    assert outcome(Bench(("toys",), workers=1)) == 0
    assert len(read_json(tmp_path / "runs/bench/records/toys.json")["runs"]) == 2
    assert git("status", "--porcelain") == ""
    assert outcome(Bench(("toys",), workers=1, records=Path("docs/results"))) == 0
    assert git("status", "--porcelain") == " M docs/results/toys.json\n"
    published = read_json(tmp_path / "docs/results/toys.json")
    assert (len(published["runs"]), published["notes"]) == (2, ["slow"])


def test_a_table_whose_runs_are_of_several_revisions_of_the_code_is_named(tmp_path, capsys, monkeypatch):
    cells = [Cell(Toy(method), "lift", method) for method in ("glam-o", "mip")]
    monkeypatch.setattr(grids, "find_grid", {"toys": cells}.__getitem__)
    assert outcome(Bench(("toys",), methods=("mip",), root=tmp_path, workers=1)) == 0
    assert "same code" not in capsys.readouterr().out
    store = RunStore(tmp_path)
    write_object(store.run_record(cells[1].run), store.read(cells[1].run) | {"code": "another"})
    assert outcome(Bench(("toys",), root=tmp_path, workers=1)) == 0
    assert "toys: not all runs were made by the same code: 1 of " in capsys.readouterr().out


def test_several_grids_are_run_together_and_what_they_share_once(tmp_path, capsys, monkeypatch):
    cells = [Cell(Toy(method), "lift", method) for method in ("glam-o", "mip", "clam")]
    monkeypatch.setattr(grids, "find_grid", {"toys": cells[:2], "others": cells[1:]}.__getitem__)
    flags = {"root": tmp_path / "store", "workers": 1}
    assert outcome(Bench(("toys", "others"), methods=("mip", "clam"), **flags)) == 0
    told = capsys.readouterr().out.splitlines()
    assert [line for line in told if "cells done" not in line] == [
        str(tmp_path / "store" / "records" / "toys.json"),
        str(tmp_path / "store" / "records" / "others.json"),
    ]
    runs = {name: read_json(tmp_path / "store" / "records" / f"{name}.json")["runs"] for name in ("toys", "others")}
    titles = {name: [run["title"] for run in found] for name, found in runs.items()}
    assert titles == {"toys": ["mip"], "others": ["mip", "clam"]}
    assert len(list((tmp_path / "store" / "run_records").iterdir())) == 2


@pytest.mark.parametrize(
    ("command", "named"),
    [
        (Bench(()), "NAME: choose at least one of main, scaling"),
        (Bench(("main", "main-course")), "main-course"),
        (Bench(("world-models",), workers=0), "--workers 0"),
        (Bench(("world-models",), workers=0, dry_run=True), "--workers 0"),
        (Bench(("main",), tasks=("juggle",)), "--tasks juggle"),
        (Bench(("main",), methods=("magic",)), "--methods magic"),
        (Bench(("main",), seeds=(9,)), "--seeds 9"),
    ],
)
def test_what_cannot_be_run_is_refused_in_one_sentence(command, named, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert outcome(command) == 2
    told = capsys.readouterr().err
    assert named in told
    assert len(told.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
