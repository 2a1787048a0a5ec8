from results.document import Table
from results.revisions import revisions


def test_a_table_tells_whether_all_its_runs_are_of_the_same_code(grid, made, read):
    one, several, old = grid("main"), grid("scaling"), grid("transfer")
    for record, code in ((one, {"abc": 3}), (several, {"abc": 2, "def": 1}), (old, None)):
        record.cell("evaluation", ("lift", "mip", 0, ""), {"kinova": 100}, made.trials(100))
        record.value |= {"code": code} if code else {}
    _, table = revisions(read(one, several, old)).blocks
    assert isinstance(table, Table)
    assert table.rows == (
        ("main", "one", "abc 3"),
        ("scaling", "2: not all from the same code", "abc 2, def 1"),
        ("transfer", "unknown", "unknown 2"),
    )


def test_nothing_run_has_nothing_to_tell(read, grid):
    assert revisions(read(grid("main"))).blocks == ()
