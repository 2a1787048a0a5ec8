from glam.bench.cell import Cell
from glam.bench.records import revisions, without_recorded, write_record
from glam.bench.run import RunStore, code_revision
from glam.core.files import read_json, write_json
from glam.core.seals import write_object


def test_a_record_holds_what_is_done_and_keeps_what_else_it_said(toy, store, tmp_path):
    part = toy("part")
    whole = Cell(toy("whole", (part,)), "lift", "mip")
    store.make(part)
    write_json(tmp_path / "results" / "my_table.json", {"speed": 7, "runs": []})
    path = write_record("my-table", [whole], store, tmp_path / "results")
    found = read_json(path)
    assert found["speed"] == 7
    assert found["benchmark"] == "my-table"
    assert [run["title"] for run in found["runs"]] == ["part"]
    store.make(whole.run)
    write_record("my-table", [whole], store, tmp_path / "results")
    assert [run["title"] for run in read_json(path)["runs"]] == ["part", "whole"]


def test_a_record_tells_whether_all_its_runs_are_of_the_same_code(toy, store, tmp_path):
    cells = [Cell(toy(label), "lift", label) for label in ("one", "two", "three")]
    for cell in cells:
        store.make(cell.run)
    assert revisions(write_record("t", cells, store, tmp_path)) == {code_revision(): 3}
    made = store.read(cells[0].run)
    write_object(store.run_record(cells[0].run), made | {"code": "another"})
    del made["code"]  # as version 0.1 wrote it
    write_object(store.run_record(cells[1].run), made)
    assert revisions(write_record("t", cells, store, tmp_path)) == {"another": 1, "unknown": 1, code_revision(): 1}


def test_every_cell_has_a_record_whether_it_is_done_or_not(toy, store, tmp_path):
    part = toy("part")
    cells = [Cell(toy("whole", (part,)), "lift", "mip", 1, "few"), Cell(toy("other"), "lift", "glam-o")]
    for run in (part, cells[0].run):
        store.make(run)
    first, second = read_json(write_record("t", cells, store, tmp_path))["cells"]
    assert first["run"] == cells[0].run.name
    assert (first["task"], first["method"], first["seed"], first["detail"]) == ("lift", "mip", 1, "few")
    assert first["learnt_from"] == [{"embodiment": "toys", "episodes": 100}]
    assert set(first["seconds"]) == {"toy"}
    assert (second["run"], second["seconds"]) == (cells[1].run.name, {})


def test_what_was_done_elsewhere_stays_in_the_record_and_counts(toy, store, tmp_path):
    part = toy("part")
    cell = Cell(toy("whole", (part,)), "lift", "mip")
    for run in (part, cell.run):
        store.make(run)
    before = read_json(write_record("t", [cell], store, tmp_path))
    after = read_json(write_record("t", [cell], RunStore(tmp_path / "elsewhere"), tmp_path))
    assert after == before


def test_runs_of_other_grids_in_the_same_folder_count(toy, store, tmp_path):
    shared, own = Cell(toy("shared"), "lift", "mip"), Cell(toy("own"), "lift", "glam-o")
    store.make(shared.run)
    write_record("first", [shared], store, tmp_path)
    write_json(tmp_path / "speeds.json", {"runs": [{"seed": 0, "minutes": 8.7}]})
    write_json(tmp_path / "list.json", [1, 2])
    elsewhere = RunStore(tmp_path / "elsewhere")
    assert without_recorded([shared, own], [tmp_path]) == [own]
    found = read_json(write_record("second", [shared, own], elsewhere, tmp_path))
    assert [run["title"] for run in found["runs"]] == ["shared"]


def test_what_no_cell_needs_any_more_goes(toy, store, tmp_path):
    store.make(toy("old"))
    write_record("t", [Cell(toy("old"), "lift", "mip")], store, tmp_path)
    found = read_json(write_record("t", [Cell(toy("new"), "lift", "mip")], store, tmp_path))
    assert found["runs"] == []


def test_runs_name_what_they_need_instead_of_repeating_it(toy, store, tmp_path):
    part = toy("part", amount=1 / 3)
    cell = Cell(toy("whole", (part,)), "lift", "mip")
    for run in (part, cell.run):
        store.make(run)
    first, second = read_json(write_record("t", [cell], store, tmp_path))["runs"]
    assert second["config"] == {"label": "whole", "parts": [part.name], "fate": "well", "amount": 1.0}
    assert first["result"]["words"] == ["part"]


def test_numbers_have_six_digits(toy, store, tmp_path):
    run = toy("a")
    store.make(run)
    run_record = store.read(run)
    write_object(store.run_record(run), run_record | {"result": {"errors": [{"mm": 12.3456789, "seed": 50_000_000}]}})
    (run,) = read_json(write_record("t", [Cell(run, "lift", "mip")], store, tmp_path))["runs"]
    assert run["result"] == {"errors": [{"mm": 12.3457, "seed": 50_000_000}]}
