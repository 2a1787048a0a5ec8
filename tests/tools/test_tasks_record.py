import tasks_record
from glam.core.files import read_json, write_json


def test_one_command_makes_the_record_and_keeps_its_trail(tmp_path, capsys):
    options = ["--bench", str(tmp_path / "bench"), "--records", str(tmp_path)]
    tasks_record.main(options)
    path = tmp_path / "tasks.json"
    write_json(path, read_json(path) | {"trail": [{"tried": "wider"}]})
    tasks_record.main(options)
    record = read_json(path)
    assert record["trail"] == [{"tried": "wider"}]
    assert [entry["verdict"] for entry in record["table"]] == ["not run"] * 10
    assert capsys.readouterr().out.splitlines()[-1] == str(path)
