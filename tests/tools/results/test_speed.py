import pytest

from results.document import Table, Words
from results.record import Records
from results.speed import GOALS, met, speed

MEASURED = {
    "load_average": [0.1, 1.9], "is_busy": False, "is_quick": False, "conditions": {"machine": {"cores": 2}},
    "ratios": [
        {"name": "reading", "value": 412.3, "ours": "1000000 frames/s", "other": "LeRobotDataset: 2425 frames/s"},
        {"name": "policy call", "value": 12.04, "ours": "12.0 ms", "other": "ACT of LeRobot: 20.0 ms"},
        {"name": "stage 1 of the convolution peak", "value": 0.5, "ours": "50 gflop/s", "other": "100 gflop/s"},
        {"name": "demo", "value": None, "why": "left out"},
    ],
}  # fmt: skip


def test_ratios_stand_beside_their_goals_and_what_they_are_made_of():
    words, table = speed(Records({}, speed=MEASURED)).blocks
    assert words.text == "All of one run of `make speed` on 2 cores, with a load of 0.1 before and 1.9 after it."
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["reading"] == (
        "412 times as fast", "100 times as fast or more", "met", "1000000 frames/s", "LeRobotDataset: 2425 frames/s",
    )  # fmt: skip
    assert rows["policy call"][:3] == ("12 ms", "10 ms or less", "missed")
    assert rows["stage 1 of the convolution peak"][:3] == ("50 %", "60 % or more", "missed")
    assert rows["demo"] == ("not measured", "4 minutes or less", "-", "-", "left out")


def test_a_busy_machine_and_a_low_size_are_told():
    texts = [block.text for block in speed(Records({}, speed=MEASURED | {"is_busy": True, "is_quick": True})).blocks
             if isinstance(block, Words)]  # fmt: skip
    assert texts[0].endswith("Low size, to see that it works.")
    assert texts[1].startswith("The machine was busy with other work")


def test_nothing_measured_is_told():
    assert speed(Records({})).blocks == (Words("Not measured yet: make speed."),)


def test_killed_trainings_are_told(grid, read):
    models = grid("world-models")
    models.value |= {"kills": {"what": "world-model", "trials": 20, "equal": 19}}
    *_, words = speed(read(models)).blocks
    assert words.text.startswith("Training a world model, killed at 20 random steps and resumed: 19 of 20 end")


@pytest.mark.parametrize(("name", "value", "is_met"), [("reading", 100.0, True), ("reading", 99.0, False),
                                                       ("demo", 4.0, True), ("demo", 4.1, False)])  # fmt: skip
def test_a_bound_itself_is_good_enough(name, value, is_met):
    assert met(GOALS[name], value) is is_met


def test_a_table_of_ratios_is_shown_at_once():
    (table,) = [block for block in speed(Records({}, speed=MEASURED)).blocks if isinstance(block, Table)]
    assert table.is_open
