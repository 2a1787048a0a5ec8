import method_record
from glam.bench.grids import find_grid
from glam.core.files import read_json


def test_one_command_makes_the_record_with_a_row_for_each_setting_and_policy(tmp_path, capsys):
    method_record.main(["--bench", str(tmp_path / "bench"), "--records", str(tmp_path)])
    record = read_json(tmp_path / "method.json")
    replayed = {(cell.task, cell.method, cell.detail) for cell in find_grid("method") if cell.run.kind == "replay"}
    assert len(record["table"]) == len(replayed) + 25
    assert {entry.get("action error", "-") for entry in record["table"]} == {"-"}
    assert capsys.readouterr().out.splitlines()[-1] == str(tmp_path / "method.json")
