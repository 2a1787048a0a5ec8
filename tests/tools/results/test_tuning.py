from pathlib import Path

from glam.bench.grids.parts import RECIPE, setting_of
from glam.bench.grids.tuning import SETTINGS
from results.document import Table
from results.record import read_records
from results.tuning import GRID, chosen, tuning

DOCS = Path(__file__).parents[3] / "docs"


def test_the_setting_with_the_most_successes_on_both_tasks_is_chosen_and_the_first_at_a_tie(records):
    assert chosen(records.grid(GRID), "mip") == "twice the steps"  # as many as without state dropout, which comes later
    assert chosen(records.grid(GRID), "glam-o") == "recipe"


def test_nothing_is_chosen_before_all_settings_of_a_method_have_been_tried(records):
    assert chosen(records.grid(GRID), "lapa") == chosen(records.grid(GRID), "glam") == ""


def test_the_table_has_all_that_was_tried(records):
    (table,) = [block for block in tuning(records).blocks if isinstance(block, Table)]
    assert ("mip", "recipe", "100 of 200", "100 of 200", "50.0 %", "") in table.rows
    assert ("mip", "twice the steps", "120 of 200", "120 of 200", "60.0 %", "chosen") in table.rows
    assert ("lapa", "recipe", "50 of 200", "not run", "25.0 %", "") in table.rows
    assert len(table.rows) == 5 + 5 + 1


def test_the_grids_use_what_the_record_chooses():
    record = read_records(DOCS / "results").grid(GRID)
    for method, settings in SETTINGS.items():
        assert setting_of(method) == settings.get(chosen(record, method), RECIPE)
