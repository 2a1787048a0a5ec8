import pytest

from results.goals import goals

TASKS = ("lift", "pick-place", "knock-down", "stack-two", "stack-three")


def rows(records):
    table, *_ = goals(records).blocks
    return {row[0]: row[1:] for row in table.rows}


def main_grid(grid, made, ours, rival):
    main = grid("main")
    for task in TASKS:
        main.cell("evaluation", (task, "glam-o", 0, ""), {"kinova": 100, "umi": 400}, made.trials(ours))
        main.cell("evaluation", (task, "lapa", 0, ""), {"kinova": 100, "umi": 400}, made.trials(rival))
    return main


def verdict(found, start):
    (key,) = [key for key in found if key.startswith(start)]
    return found[key][1]


@pytest.mark.parametrize(
    ("ours", "rival", "verdicts"),
    [
        (192, 100, ("met", "met", "met")),
        (150, 145, ("missed", "met", "missed")),
        (150, 190, ("missed", "missed", "missed")),
        (190, 190, ("met", "met", "missed")),
    ],
)
def test_goals_are_met_or_missed_by_the_numbers(grid, made, read, ours, rival, verdicts):
    found = rows(read(main_grid(grid, made, ours, rival)))
    starts = ("glam-o succeeds in 95 % or more of lift", "glam-o is the best", "glam-o is significantly better")
    assert tuple(verdict(found, start) for start in starts) == verdicts


def test_hours_are_those_of_two_cores(grid, made, read):
    found = rows(read(main_grid(grid, made, 190, 100)))
    (key,) = [key for key in found if "hours of two cores" in key]
    assert found[key] == (f"{10 * 660 / 3600 / 2:.1f} hours for 10 of 10 cells", "met")


def test_what_is_not_all_run_is_not_judged_too_early(records):
    found = rows(records)
    assert verdict(found, "glam-o is the best") == "not all run"
    assert verdict(found, "glam-o is significantly better") == "met"  # three tasks are enough
    assert verdict(found, "glam-o succeeds in 75 %") == "-"
    assert verdict(found, "the main grid") == "not all run"


def test_labels_and_the_third_source_are_judged(records):
    found = rows(records)
    assert verdict(found, "mip needs") == "met"
    assert verdict(found, "a third source") == "missed"  # pick-place is significantly worse


def test_before_anything_is_run_nothing_is_judged(read, grid):
    assert set(rows(read(grid("main"))).values()) == {("not run", "-")}


def test_policies_are_judged_by_both_ends(grid, made, read):
    policies = grid("policies")
    for method, successes in (("mip", 120), ("glam-o", 186), ("upper-bound", 190)):
        policies.cell("evaluation", ("stack-two", method, 0, ""), {"kinova": 100}, made.trials(successes))
    found = rows(read(policies))
    assert verdict(found, "mip with 500") == "missed"
    assert verdict(found, "glam-o is 30 points") == "met"
    assert verdict(found, "and at most 5 points below") == "met"
