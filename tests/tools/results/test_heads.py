from results.document import Table
from results.heads import heads


def test_each_head_has_a_row_with_its_success_and_the_time_of_its_policys_call(made, read):
    grid = made.Grid("heads")
    for method, ms in (("glam-o", 4.24), ("direct", 2.0)):
        grid.cell("evaluation", ("stack-two", method, 0, "head flow"), {"kinova": 100}, made.trials(25, 100))
        grid.value["runs"][-1]["needs"] = [method]
        result = {"policy_call_ms": ms}
        grid.value["runs"].append({"kind": "policy", "name": method, "needs": [], "seconds": 300.0, "result": result})
    (table,) = (block for block in heads(read(grid)).blocks if isinstance(block, Table))
    rows = [(*row[:3], *row[4:]) for row in table.rows]
    assert rows == [("flow", "latent", "25 of 100", "4.2", "5.0"), ("flow", "direct", "25 of 100", "2.0", "5.0")]


def test_without_a_record_the_command_is_named(read):
    assert "glam bench heads" in heads(read()).blocks[0].text
