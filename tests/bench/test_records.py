from glam.bench import records
from glam.bench.running import make
from glam.core.files import read_json, write_json


def test_a_record_holds_what_is_done_and_keeps_what_else_it_said(toy, workshop, tmp_path):
    part = toy("part")
    whole = toy("whole", (part,))
    make(part, workshop)
    write_json(tmp_path / "results" / "my_table.json", {"speed": 7, "runs": []})
    path = records.write("my-table", [whole], workshop, tmp_path / "results")
    found = read_json(path)
    assert found["speed"] == 7
    assert found["benchmark"] == "my-table"
    assert [run["title"] for run in found["runs"]] == ["part"]
    make(whole, workshop)
    records.write("my-table", [whole], workshop, tmp_path / "results")
    assert [run["title"] for run in read_json(path)["runs"]] == ["part", "whole"]
