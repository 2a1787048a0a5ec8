from pathlib import Path

from glam.bench.grids.parts import RECIPE, setting_of
from glam.bench.grids.tuning import SETTINGS
from results.document import Table
from results.record import read_records
from results.tuning import GRID, chosen, tuning

DOCS = Path(__file__).parents[3] / "docs"


def test_the_rule_of_the_grid_chooses_from_the_successes_on_both_tasks(records):
    mip = chosen(records.grid(GRID), "mip")  # the recipe in full is best, of the short ones half the learning rate
    assert [str(change) for change in mip.policy] == ["learning rate 0.0005"]
    assert chosen(records.grid(GRID), "glam-o") == SETTINGS["glam-o"]["2000 steps"]


def test_nothing_is_chosen_before_all_settings_of_a_method_have_been_tried_on_both_tasks(records):
    assert chosen(records.grid(GRID), "lapa") is chosen(records.grid(GRID), "glam") is None


def test_the_table_has_all_that_was_tried_and_marks_what_is_chosen(records):
    (table,) = [block for block in tuning(records).blocks if isinstance(block, Table)]
    assert [row for row in table.rows if row[0] == "mip"] == [
        ("mip", "recipe", "130 of 200", "130 of 200", "65.0 %", "steps"),
        ("mip", "2000 steps", "100 of 200", "100 of 200", "50.0 %", ""),
        ("mip", "2000 steps, half the learning rate", "120 of 200", "120 of 200", "60.0 %", "settings"),
        ("mip", "2000 steps, twice the learning rate", "90 of 200", "90 of 200", "45.0 %", ""),
        ("mip", "2000 steps, no state dropout", "120 of 200", "120 of 200", "60.0 %", ""),
    ]
    assert [row[-1] for row in table.rows if row[0] == "glam-o"] == ["", "both", "", "", ""]
    assert ("lapa", "recipe", "50 of 200", "not run", "25.0 %", "") in table.rows
    assert len(table.rows) == 5 + 5 + 1


def test_the_grids_use_what_the_record_chooses():
    record = read_records(DOCS / "results").grid(GRID)
    for method in SETTINGS:
        assert setting_of(method) == (chosen(record, method) or RECIPE)
