import re

from results.aggregates import aggregates
from results.document import Figures, Table, Words
from results.record import Records

SCORE = {"coverage": 0.934, "width": 0.123}
COVERAGE = {
    "trainings": 3, "scenes": 200, "tables": 400,
    "rates": [{"rate": 0.9, "spread": 0.04, "hardness": 2.0, "Wilson": SCORE, "mixed model": SCORE}],
    "differences": [{"rates": [0.8, 0.5], "spread": 0.0, "hardness": 0.0, "Newcombe": SCORE}],
}  # fmt: skip


def of_every_task(grid, made):
    main = grid("main")
    for task in ("lift", "pick-place", "knock-down", "stack-two", "stack-three"):
        for seed in (0, 1):
            main.cell("evaluation", (task, "glam-o", seed, ""), {"kinova": 100}, made.trials(180 + seed))
            main.cell("evaluation", (task, "mip", seed, ""), {"kinova": 100}, made.trials(120 + seed))
        main.cell("evaluation", (task, "lapa", 0, ""), {"kinova": 100})
    return main


def test_methods_that_were_run_on_every_task_have_averages(grid, made, read):
    blocks = aggregates(read(of_every_task(grid, made))).blocks
    (figures,) = [block for block in blocks if isinstance(block, Figures)]
    means, wins = figures.drawn
    assert re.search(r"90\.[23] \[", means)
    assert "lapa" not in means
    assert "over mip" in wins
    assert "100.0 [100.0, 100.0]" in wins
    assert figures.note == ""


def test_the_page_says_which_interval_decides(records):
    words = [block.text for block in aggregates(records).blocks if isinstance(block, Words)]
    assert words[0].startswith("The interval over trainings decides")


def test_measured_coverage_is_shown():
    *_, table = aggregates(Records({}, coverage=COVERAGE)).blocks
    assert isinstance(table, Table)
    assert table.rows == (
        ("4", "yes", "90 %", "Wilson", "93 %", "12.3"),
        ("4", "yes", "90 %", "mixed model", "93 %", "12.3"),
        ("0", "no", "80 - 50 %", "Newcombe", "93 %", "12.3"),
    )
