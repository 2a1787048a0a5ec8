from dataclasses import replace

import pytest

from glam.bench.cell import Cell
from glam.bench.grids import find_grid
from glam.bench.records import write_record
from glam.bench.run import RunStore
from glam.core.files import read_json, write_bytes, write_json
from glam.core.seals import write_object
from results.publish import keep_films, publish


@pytest.fixture
def store(tmp_path):
    return RunStore(tmp_path / "store")


def made(cell: Cell, store, *films: str) -> Cell:
    """As if this cell had been run."""
    write_object(store.run_record(cell.run), {})
    folder = store.folder(cell.run) / "films"
    folder.mkdir(parents=True)
    for name in films:
        (folder / name).write_bytes(name.encode())
    return cell


def test_one_success_and_one_failure_of_the_method_are_kept_for_each_task(store, tmp_path):
    grid = find_grid("main")
    lift, mip, later = (
        next(cell for cell in grid if (cell.task, cell.method, cell.seed) == wanted)
        for wanted in (("lift", "glam-o", 0), ("lift", "mip", 0), ("lift", "glam-o", 1))
    )
    for cell in (lift, mip, later):
        made(cell, store, "7-success.mp4", "8-success.mp4", "9-failed-place.mp4")
    (tmp_path / "films" / "main" / "of-another-recipe").mkdir(parents=True)
    (tmp_path / "films" / "transfer" / "of-another-grid").mkdir(parents=True)
    keep_films("main", grid, store, tmp_path)
    kept = sorted(
        path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.mp4") if "store" not in path.parts
    )
    assert kept == [f"films/main/{lift.run.name}/{name}.mp4" for name in ("7-success", "9-failed-place")]
    assert not (tmp_path / "films" / "main" / "of-another-recipe").exists()
    assert (tmp_path / "films" / "transfer" / "of-another-grid").exists()


def test_one_replay_of_each_source_is_kept(store, tmp_path):
    cell, later = (next(cell for cell in find_grid("transfer") if cell.seed == seed) for seed in (0, 1))
    for each in (cell, later):
        write_object(store.run_record(each.run), {})
        for name in ("episode-000003.mp4", "episode-000001.mp4", "replay.json"):
            write_bytes(store.folder(each.run) / name, name.encode())
    keep_films("transfer", [cell, later], store, tmp_path / "records")
    (kept,) = (tmp_path / "records").rglob("*.*")
    assert kept == tmp_path / "records" / "films" / "transfer" / cell.run.name / "episode-000001.mp4"


def test_other_grids_keep_none(store, tmp_path):
    cell = replace(find_grid("policies")[1], method="glam-o", seed=0)
    made(cell, store, "7-success.mp4")
    keep_films("policies", [cell], store, tmp_path / "records")
    assert not (tmp_path / "records").exists()


def test_records_of_a_run_store_are_added_to_the_published_ones(store, tmp_path):
    """What the published record holds besides is kept."""
    published = tmp_path / "docs"
    write_json(published / "smoke.json", {"benchmark": "smoke", "cells": [], "runs": [], "notes": ["By hand."]})
    cells = find_grid("smoke")
    done = {"kind": "evaluation", "name": cells[0].run.name, "result": {"successes": 1}, "seconds": 2.0}
    write_object(store.run_record(cells[0].run), done)
    write_record("smoke", cells, store)
    assert list(publish(store.root, published)) == [published / "smoke.json"]
    found = read_json(published / "smoke.json")
    assert found["notes"] == ["By hand."]
    assert [run["name"] for run in found["runs"]] == [cells[0].run.name]
    assert len(found["cells"]) == len(cells)
