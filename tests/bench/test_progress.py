import pytest

from glam.bench.cell import Cell
from glam.bench.progress import Tally
from glam.bench.running import State
from glam.core.files import write_json


@pytest.fixture
def shared(toy):
    return toy("shared", amount=100)


@pytest.fixture
def cells(toy, shared):
    """Two cells of lift on a shared node, one of stack-two; each an hour, the shared node 100 seconds."""
    return [
        Cell(toy("a", (shared,), amount=3600), "lift", "mip"),
        Cell(toy("b", (shared,), amount=3600), "lift", "glam-o"),
        Cell(toy("c", amount=3600), "stack-two", "mip"),
    ]


def state(done=(), running=(), left=(), failed=()):
    return State(tuple(done), tuple(running), tuple(left), tuple(failed))


def counts(count):
    return count.done, count.running, count.left, count.failed


def test_before_the_first_state_everything_is_left(cells, workshop):
    tally = Tally(cells, workshop, 2)
    assert counts(tally.whole) == (0, 0, 3, 0)
    assert tally.whole.hours == pytest.approx((3 * 3600 + 100) / 3600 / 2)


def test_a_shared_node_keeps_only_the_first_cell_busy(cells, shared, workshop):
    tally = Tally(cells, workshop, 2)
    a, b, c = (cell.node for cell in cells)
    tally.take(state(running=[shared, c], left=[a, b]))
    assert counts(tally.whole) == (0, 2, 1, 0)
    assert {task: counts(count) for task, count in tally.tasks.items()} == {
        "lift": (0, 1, 1, 0),
        "stack-two": (0, 1, 0, 0),
    }


def test_cells_done_and_failed_are_counted(cells, shared, workshop):
    tally = Tally(cells, workshop, 1)
    a, b, c = (cell.node for cell in cells)
    write_json(workshop.note(c), {"seconds": 60.0})
    tally.take(state(done=[c, shared], running=[a], failed=[b]))
    assert counts(tally.whole) == (1, 1, 0, 1)


def test_time_left_shrinks_while_a_node_is_made(cells, shared, workshop):
    now = [0.0]
    tally = Tally(cells, workshop, 2, clock=lambda: now[0])
    a, b, c = (cell.node for cell in cells)
    tally.take(state(done=[shared], running=[a, c], left=[b]))
    before = tally.whole.hours
    now[0] = 1800.0
    assert tally.whole.hours == pytest.approx(before - 2 * 1800 / 2 / 3600)
    tally.take(state(done=[shared], running=[a, c], left=[b]))
    assert [line.seconds for line in tally.lines] == [1800.0, 1800.0]  # begun when it was first seen
    assert [line.expected for line in tally.lines] == [3600.0, 3600.0]
    now[0] = 99_999.0
    assert tally.tasks["stack-two"].hours == 0.0
