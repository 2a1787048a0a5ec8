import pytest

from glam.bench.cell import Cell
from glam.bench.progress import GridProgress, TimeEstimates
from glam.bench.running import GridState
from glam.core.seals import write_object


@pytest.fixture
def shared(toy):
    return toy("shared", amount=100)


@pytest.fixture
def cells(toy, shared):
    """Two cells of lift on a shared run, one of stack-two; each an hour, the shared run 100 seconds."""
    return [
        Cell(toy("a", (shared,), amount=3600), "lift", "mip"),
        Cell(toy("b", (shared,), amount=3600), "lift", "glam-o"),
        Cell(toy("c", amount=3600), "stack-two", "mip"),
    ]


def state(done=(), running=(), left=(), failed=()):
    return GridState(tuple(done), tuple(running), tuple(left), tuple(failed))


def counts(count):
    return count.done, count.running, count.left, count.failed


def test_before_the_first_state_everything_is_left(cells, store):
    progress = GridProgress(cells, store, 2)
    assert counts(progress.whole) == (0, 0, 3, 0)
    assert progress.whole.hours == pytest.approx((3 * 3600 + 100) / 3600 / 2)


def test_a_shared_run_keeps_only_the_first_cell_busy(cells, shared, store):
    progress = GridProgress(cells, store, 2)
    a, b, c = (cell.run for cell in cells)
    progress.take(state(running=[shared, c], left=[a, b]))
    assert counts(progress.whole) == (0, 2, 1, 0)
    assert {task: counts(count) for task, count in progress.tasks.items()} == {
        "lift": (0, 1, 1, 0),
        "stack-two": (0, 1, 0, 0),
    }


def test_cells_done_and_failed_are_counted(cells, shared, store):
    progress = GridProgress(cells, store, 1)
    a, b, c = (cell.run for cell in cells)
    write_object(store.run_record(c), {"seconds": 60.0})
    progress.take(state(done=[c, shared], running=[a], failed=[b]))
    assert counts(progress.whole) == (1, 1, 0, 1)


def test_time_left_shrinks_while_a_run_is_made(cells, shared, store):
    now = [0.0]
    progress = GridProgress(cells, store, 2, clock=lambda: now[0])
    a, b, c = (cell.run for cell in cells)
    progress.take(state(done=[shared], running=[a, c], left=[b]))
    before = progress.whole.hours
    now[0] = 1800.0
    assert progress.whole.hours == pytest.approx(before - 2 * 1800 / 2 / 3600)
    progress.take(state(done=[shared], running=[a, c], left=[b]))
    assert [line.seconds for line in progress.in_progress] == [1800.0, 1800.0]  # begun when it was first seen
    assert [line.expected for line in progress.in_progress] == [3600.0, 3600.0]
    now[0] = 99_999.0
    assert progress.tasks["stack-two"].hours == 0.0


def measured(store, run, seconds):
    write_object(store.run_record(run), {"seconds": seconds})


def test_before_anything_is_measured_a_run_takes_what_its_kind_says(toy, store):
    assert TimeEstimates.of([toy("a")], store).seconds(toy("a")) == 1.0
    assert TimeEstimates.of([toy("a", amount=4)], store).seconds(toy("a", amount=4)) == 4.0


def test_later_it_takes_what_others_of_its_kind_took_for_its_size(toy, store):
    runs = [toy("a"), toy("b", amount=2), toy("c", amount=10), toy("d", amount=3)]
    for run, seconds in zip(runs, (10.0, 40.0, 3000.0), strict=False):
        measured(store, run, seconds)
    found = TimeEstimates.of(runs, store)
    assert found.seconds(runs[1]) == 40.0
    assert found.seconds(runs[3]) == pytest.approx(60.0)  # by the median of 10, 20 and 300


def test_hours_are_those_of_all_runs_over_the_slots(toy, store):
    runs = [toy("a"), toy("b")]
    measured(store, runs[0], 3600.0)
    found = TimeEstimates.of(runs, store)
    assert found.hours(runs, 2) == pytest.approx(1.0)
    assert found.hours(runs, 1) == pytest.approx(2.0)
