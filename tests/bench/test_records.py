from glam.bench import records
from glam.bench.cell import Cell
from glam.bench.making import make
from glam.bench.node import Workshop
from glam.core.files import read_json, write_json


def test_a_record_holds_what_is_done_and_keeps_what_else_it_said(toy, workshop, tmp_path):
    part = toy("part")
    whole = Cell(toy("whole", (part,)), "lift", "mip")
    make(part, workshop)
    write_json(tmp_path / "results" / "my_table.json", {"speed": 7, "runs": []})
    path = records.write("my-table", [whole], workshop, tmp_path / "results")
    found = read_json(path)
    assert found["speed"] == 7
    assert found["benchmark"] == "my-table"
    assert [run["title"] for run in found["runs"]] == ["part"]
    make(whole.node, workshop)
    records.write("my-table", [whole], workshop, tmp_path / "results")
    assert [run["title"] for run in read_json(path)["runs"]] == ["part", "whole"]


def test_every_cell_has_a_record_whether_it_is_done_or_not(toy, workshop, tmp_path):
    part = toy("part")
    cells = [Cell(toy("whole", (part,)), "lift", "mip", 1, "few"), Cell(toy("other"), "lift", "glam-o")]
    for node in (part, cells[0].node):
        make(node, workshop)
    first, second = read_json(records.write("t", cells, workshop, tmp_path))["cells"]
    assert first["run"] == cells[0].node.name
    assert (first["task"], first["method"], first["seed"], first["detail"]) == ("lift", "mip", 1, "few")
    assert first["learnt_from"] == [{"embodiment": "toys", "episodes": 100}]
    assert set(first["seconds"]) == {"toy"}
    assert (second["run"], second["seconds"]) == (cells[1].node.name, {})


def test_what_was_done_elsewhere_stays_in_the_record_and_counts(toy, workshop, tmp_path):
    part = toy("part")
    cell = Cell(toy("whole", (part,)), "lift", "mip")
    for node in (part, cell.node):
        make(node, workshop)
    before = read_json(records.write("t", [cell], workshop, tmp_path))
    after = read_json(records.write("t", [cell], Workshop(tmp_path / "elsewhere"), tmp_path))
    assert after == before


def test_runs_of_other_grids_in_the_same_folder_count(toy, workshop, tmp_path):
    shared, own = Cell(toy("shared"), "lift", "mip"), Cell(toy("own"), "lift", "glam-o")
    make(shared.node, workshop)
    records.write("first", [shared], workshop, tmp_path)
    write_json(tmp_path / "speeds.json", {"runs": [{"seed": 0, "minutes": 8.7}]})
    write_json(tmp_path / "list.json", [1, 2])
    elsewhere = Workshop(tmp_path / "elsewhere")
    assert records.missing([shared, own], tmp_path) == [own]
    found = read_json(records.write("second", [shared, own], elsewhere, tmp_path))
    assert [run["title"] for run in found["runs"]] == ["shared"]


def test_what_no_cell_needs_any_more_goes(toy, workshop, tmp_path):
    make(toy("old"), workshop)
    records.write("t", [Cell(toy("old"), "lift", "mip")], workshop, tmp_path)
    found = read_json(records.write("t", [Cell(toy("new"), "lift", "mip")], workshop, tmp_path))
    assert found["runs"] == []


def test_runs_name_what_they_need_instead_of_repeating_it(toy, workshop, tmp_path):
    part = toy("part", amount=1 / 3)
    cell = Cell(toy("whole", (part,)), "lift", "mip")
    for node in (part, cell.node):
        make(node, workshop)
    first, second = read_json(records.write("t", [cell], workshop, tmp_path))["runs"]
    assert second["node"] == {"label": "whole", "parts": [part.name], "fate": "well", "amount": 1.0}
    assert first["result"]["words"] == ["part"]


def test_numbers_have_six_digits(toy, workshop, tmp_path):
    node = toy("a")
    make(node, workshop)
    note = read_json(workshop.note(node))
    write_json(workshop.note(node), note | {"result": {"errors": [{"mm": 12.3456789, "seed": 50_000_000}]}})
    (run,) = read_json(records.write("t", [Cell(node, "lift", "mip")], workshop, tmp_path))["runs"]
    assert run["result"] == {"errors": [{"mm": 12.3457, "seed": 50_000_000}]}
