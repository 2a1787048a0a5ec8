from glam.core.files import read_json, write_json
from results.document import Table
from results.tasks import BANDS, Band, tasks, write_table
from results.trials import of_method


def test_each_verdict_says_on_which_side_of_its_band_a_policy_is(made, folder):
    verdicts = {(entry["task"], entry["method"]): entry["verdict"] for entry in write_table(folder)}
    assert len(verdicts) == 2 * len(BANDS) == 10
    expected = {"lift": ("below", "below"), "pick-place": ("inside", "inside"), "stack-two": ("above", "inside")}
    expected |= {"knock-down": ("not run", "not run"), "stack-three": ("inside", "not run")}
    for task, (few, many) in expected.items():
        assert (verdicts[task, "mip"], verdicts[task, "upper-bound"]) == (few, many)


def test_the_ends_of_a_band_are_inside(made, read):
    grid = made.Grid("tasks")
    grid.cell("evaluation", ("lift", "mip", 0, ""), {"kinova": 100}, made.trials(60))
    tried = of_method(read(grid).grid("tasks"), "lift", "mip")
    assert Band(30.0, 70.0).verdict(tried) == Band(10.0, 30.0).verdict(tried) == "inside"
    assert Band(30.5, 70.0).verdict(tried) == "below"


def test_what_is_written_by_hand_is_kept_and_shown(made, tmp_path, read):
    records = read(made.tasks())
    path = tmp_path / "tasks.json"
    assert write_table(tmp_path)[0]["percent_of_each_training"] == [25.0, 25.0]
    assert read_json(path)["trail"] == []
    write_json(path, read_json(path) | {"trail": [{"tried": "20 x 20 cm"}, {"tried": "30 x 40 cm", "mip": "62 %"}]})
    table = write_table(tmp_path)
    written = read_json(path)
    assert written["trail"][1] == {"tried": "30 x 40 cm", "mip": "62 %"}
    assert written["table"] == table
    assert (written["benchmark"], len(written["cells"])) == ("tasks", 13)
    shown = [block for block in tasks(read()).blocks if isinstance(block, Table)]
    assert shown[0].rows[0][:4] == ("lift", "100", "2", "100 of 400")
    assert shown[1].rows == (("20 x 20 cm", ""), ("30 x 40 cm", "62 %"))
    assert not [block for block in tasks(records).blocks if isinstance(block, Table) and block.title]
