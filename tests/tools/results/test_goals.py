import pytest

from results.document import Section, Words
from results.goals import explanations, goals
from results.record import Records

TASKS = ("lift", "pick-place", "knock-down", "stack-two", "stack-three")


def rows(records):
    _, table = goals(records).blocks
    return {row[0]: row[1:] for row in table.rows}


def main_grid(grid, made, ours, rival):
    main = grid("main")
    for task in TASKS:
        main.cell("evaluation", (task, "glam-o", 0, ""), {"kinova": 100, "umi": 400}, made.trials(ours))
        for method in ("lapa", "glam"):
            main.cell("evaluation", (task, method, 0, ""), {"kinova": 100, "umi": 400}, made.trials(rival))
    return main


def verdict(found, start):
    (key,) = [key for key in found if key.startswith(start)]
    return found[key][1]


@pytest.mark.parametrize(
    ("successes", "verdicts"),
    [
        ((192, 100), ("met", "met", "met")),
        ((150, 145), ("met", "missed", "missed")),
        ((150, 190), ("missed", "missed", "missed")),
        ((190, 190), ("met", "missed", "missed")),
    ],
)
def test_goals_are_met_or_missed_by_the_numbers(grid, made, read, monkeypatch, successes, verdicts):
    monkeypatch.setattr("results.paper.METHODS", ("lapa", "glam", "glam-o"))
    monkeypatch.setattr("results.paper.BASELINES", ("lapa",))
    found = rows(read(main_grid(grid, made, *successes)))
    starts = ("glam-o is the best", "the interval of its lead", "the average lead")
    assert tuple(verdict(found, start) for start in starts) == verdicts


def test_what_is_not_all_run_is_not_judged_too_early(records):
    found = rows(records)
    assert verdict(found, "glam-o is the best") == "not all run"
    assert verdict(found, "the interval of its lead") == "met"  # the four tasks that were run are enough
    assert verdict(found, "the average lead") == "not all run"
    assert verdict(found, "glam, from RGB") == "met"
    assert verdict(found, "glam-o is significantly below retarget") == "not all run"


def test_minutes_are_those_of_a_cell_without_its_demonstrations(grid, made, read):
    found = rows(read(main_grid(grid, made, 190, 100)))
    (key,) = [key for key in found if "a cell of the tasks with one arm" in key]
    assert found[key] == ("median 19.3, at most 19.3 of 12 cells", "missed")
    (key,) = [key for key in found if "a cell of stack-three" in key]
    assert found[key] == ("median 19.3, at most 19.3 of 3 cells", "met")


def test_labels_and_the_third_source_are_judged(records):
    found = rows(records)
    assert verdict(found, "mip needs") == "met"
    assert verdict(found, "a third source") == "missed"  # pick-place is significantly worse


def test_before_anything_is_run_nothing_is_judged(read, grid):
    assert set(rows(read(grid("main"))).values()) == {("not run", "-")}


def test_the_upper_bound_and_retarget_are_compared_on_every_task(grid, made, read):
    main = main_grid(grid, made, 180, 100)
    for task in TASKS:
        for method, successes in (("upper-bound", 190), ("retarget", 185)):
            main.cell("evaluation", (task, method, 0, ""), {"kinova": 500}, made.trials(successes))
    found = rows(read(main))
    assert verdict(found, "glam-o is at most 3 points below the upper-bound") == "missed"
    assert verdict(found, "glam-o is significantly below retarget on no task") == "met"  # 2.5 points are noise


def test_ratios_of_a_run_are_judged_by_their_goals():
    ratios = [
        {"name": "reading", "value": 400.0},
        {"name": "policy call", "value": 12.0},
        {"name": "demo", "value": None},
    ]
    found = rows(Records({}, speed={"ratios": ratios}))
    assert found["reading: 100 times as fast or more"] == ("400 times as fast", "met")
    assert found["policy call: 10 ms or less"] == ("12 ms", "missed")
    assert found["demo: 4 minutes or less"] == ("not run", "-")


def test_what_was_written_about_a_grid_stands_on_the_page_of_goals(grid, read):
    noted = grid("main")
    noted.value["notes"] = ["The arm is too short.", "A longer one was tried."]
    (section,) = explanations(read(noted))
    assert section == Section("Notes on main", (Words("The arm is too short."), Words("A longer one was tried.")))
