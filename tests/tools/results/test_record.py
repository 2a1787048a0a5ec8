import pytest

from glam.core.errors import GlamError
from glam.core.files import read_json, write_json
from results.record import GridRecord, SourceSize, read_records


def test_cells_are_read_with_their_results(grid, made, read):
    main = grid("main")
    main.cell("evaluation", ("lift", "mip", 1, "few"), {"kinova": 100, "umi": 400}, made.trials(150))
    main.cell("evaluation", ("lift", "glam", 0, ""), {"kinova": 100})
    record = read(main).grid("main")
    first, second = record.cells
    assert first.learnt_from == (SourceSize("kinova", 100), SourceSize("umi", 400))
    assert first.amounts == (100, 400)
    ((cell, run),) = record.done("evaluation")
    assert cell == first
    assert run.result["successes"] == 150
    assert [model.kind for model in record.needed(run, "world-model")] == ["world-model"]
    assert second.seconds == {}


def test_a_grid_that_was_never_run_has_no_cells(read, grid):
    assert read(grid("main")).grid("scaling") == GridRecord("scaling")


def test_other_files_are_passed_over_but_for_demo_and_kills(folder, tmp_path):
    write_json(tmp_path / "worlds.json", {"demonstrations": {}})
    write_json(tmp_path / "list.json", [1, 2])
    write_json(tmp_path / "demo.json", {"runs": [{"seed": 0}]})
    write_json(tmp_path / "main.json", {"benchmark": "main", "cells": [], "runs": []})
    found = read_records(tmp_path)
    assert list(found.grids) == ["main"]
    assert found.demo == ({"seed": 0},)
    assert found.kills == {}
    assert read_records(folder).kills["kills"] == 10


@pytest.mark.parametrize("damage", ["no cells", "no such field", "not a list"])
def test_a_record_that_cannot_be_read_is_named_with_what_to_do(folder, tmp_path, damage):
    value = read_json(folder / "main.json")
    if damage == "no cells":
        del value["cells"]
    if damage == "no such field":
        value["cells"][0]["colour"] = "red"
    if damage == "not a list":
        value["runs"] = [7]
    write_json(tmp_path / "main.json", value)
    with pytest.raises(GlamError, match=r"main\.json: .*run `glam bench main` once more"):
        read_records(tmp_path)


def test_records_of_version_0_1_are_read_under_the_present_names(tmp_path):
    held_out = {"eyes_error": 0.3}  # old word
    run = {"kind": "policy", "name": "a", "needs": [], "seconds": 1.0, "result": {"held_out": held_out}}
    cell = {
        "task": "lift", "method": "mip", "seed": 0, "detail": "no keypoints", "kind": "policy", "run": "a",
        "learnt_from": [], "seconds": {},
    }  # fmt: skip
    write_json(tmp_path / "tuning.json", {"benchmark": "tuning", "cells": [cell], "runs": [run | {"node": {}}]})
    record = read_records(tmp_path).grid("tuning")
    assert record.cells[0].detail == "no keypoint loss"
    assert record.runs["policy", "a"].result == {"held_out": {"keypoint_error": 0.3}}
