import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from toys import SimulatedCores, SpreadToy

from glam.bench.running import GridState, local_engine, run_all
from glam.core.errors import GlamError
from glam.core.files import exclusive


def made(store, run):
    """How often a run was made."""
    path = store.folder(run) / "made"
    return len(path.read_text().splitlines()) if path.exists() else 0


def test_everything_is_made_once_with_what_it_needs(toy, store):
    shared = toy("shared")
    cells = [toy("first", (shared,)), toy("second", (shared,))]
    states: list[GridState] = []
    run_all(cells, store, local_engine(2), states.append)
    assert [made(store, run) for run in (shared, *cells)] == [1, 1, 1]
    run_record = store.read(cells[0])
    assert run_record["result"]["words"] == ["first", shared.name]
    assert run_record["needs"] == [shared.name]
    assert [len(state.done) for state in (states[0], states[-1])] == [0, 3]
    assert states[-1].running == states[-1].left == states[-1].failed == ()


def test_what_is_done_is_not_repeated(toy, store):
    shared = toy("shared")
    run_all([shared], store, local_engine(1), lambda state: None)
    run_all([toy("first", (shared,))], store, local_engine(1), lambda state: None)
    assert made(store, shared) == 1


@pytest.mark.parametrize("fate", ["fails", "dies"])
def test_a_failure_takes_along_only_what_needs_it(toy, store, fate):
    broken = toy("broken", fate=fate)
    above, beside = toy("above", (broken,)), toy("beside")
    states: list[GridState] = []
    with pytest.raises(GlamError, match=r"2 runs failed.*toy\.broken"):
        run_all([above, beside], store, local_engine(1 if fate == "fails" else 2), states.append)
    assert states[-1].failed == (broken, above)
    assert states[-1].done == (beside,)
    assert made(store, above) == 0
    assert ("a toy that breaks" in store.log(broken).read_text()) == (fate == "fails")


def test_as_many_run_at_a_time_as_there_are_workers(toy, store):
    cells = [toy(label, fate="waits") for label in "abc"]

    def release(state):
        if len(state.running) == 2:
            (store.root / "toy").mkdir(parents=True, exist_ok=True)
            (store.root / "toy" / "go").touch()
        most.append(len(state.running))

    most: list[int] = []
    run_all(cells, store, local_engine(2), release)
    assert max(most) == 2


def test_a_run_that_can_spread_has_all_cores_that_are_free(toy, store):
    wide, narrow, late = SpreadToy("wide"), toy("narrow"), SpreadToy("late")
    engine = SimulatedCores(2)
    run_all([wide, narrow, late], store, engine, lambda state: None)
    assert engine.cores == {wide: 2, narrow: 1, late: 1}
    store.make(SpreadToy("made"), 3)
    assert store.read(SpreadToy("made"))["result"]["cores"] == 3


def test_two_benchmarks_do_not_share_a_folder_at_the_same_time(toy, store):
    with exclusive(store.root / ".lock", "busy"), pytest.raises(GlamError, match="another benchmark"):
        run_all([toy("a")], store, local_engine(1), lambda state: None)


PROGRAM = """
import sys
sys.path.insert(0, {here!r})
from pathlib import Path
from toys import Toy
from glam.bench.running import local_engine
from glam.bench.run import RunStore
from glam.bench.running import run_all

if __name__ == "__main__":
    run_all({runs}, RunStore(Path({root!r})), local_engine({workers}), lambda state: None)
"""


@pytest.fixture
def program(store, tmp_path):
    """A benchmark as a program of its own, to be killed."""

    def write(runs, workers):
        path = tmp_path / "bench.py"
        here, root = str(Path(__file__).parent), str(store.root)
        path.write_text(PROGRAM.format(here=here, root=root, runs=runs, workers=workers))
        return path

    return write


def test_a_killed_benchmark_loses_nothing_and_leaves_nobody_behind(toy, store, program):
    path = program("[Toy('whole', (Toy('done'), Toy('slow', fate='waits')))]", 1)
    done, slow = toy("done"), toy("slow", fate="waits")
    first = subprocess.Popen([sys.executable, path])
    wait_until(lambda: made(store, slow) == 1)
    worker = int((store.folder(slow) / "made").read_text())
    os.kill(first.pid, signal.SIGKILL)
    first.wait(timeout=60)
    wait_until(lambda: not is_alive(worker))
    (store.root / "toy" / "go").touch()
    subprocess.run([sys.executable, path], check=True, timeout=100)
    assert [made(store, run) for run in (done, slow)] == [1, 2]
    assert store.is_done(toy("whole", (done, slow)))


def test_what_is_done_when_a_benchmark_is_killed_is_never_made_again(toy, store, program):
    """Killed at three moments, with processes at work; what was being made is made again, and nothing else."""
    path = program("[Toy(str(number), fate='lasts') for number in range(12)]", 2)
    runs = [toy(str(number), fate="lasts") for number in range(12)]
    for least in (1, 4, 8):
        running = subprocess.Popen([sys.executable, path])
        wait_until(lambda: sum(map(store.is_done, runs)) >= least)  # noqa: B023
        os.kill(running.pid, signal.SIGKILL)
        running.wait(timeout=60)
        wait_until(lambda: not any(map(is_alive, workers(store, runs))))
        finished = {run: (made(store, run), store.run_record(run).read_bytes()) for run in runs if
                    store.is_done(run)}  # fmt: skip
        assert len(finished) < len(runs)
    subprocess.run([sys.executable, path], check=True, timeout=100)
    assert all(map(store.is_done, runs))
    assert {run: (made(store, run), store.run_record(run).read_bytes()) for run in finished} == finished


def workers(store, runs):
    """All processes that ever made one of these."""
    logs = [store.folder(run) / "made" for run in runs]
    return [int(line) for log in logs if log.exists() for line in log.read_text().splitlines()]


def wait_until(holds, seconds=60.0):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_alive(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(") ", 1)[1][0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_one_worker_is_this_process(toy, store):
    engine = local_engine(1)
    engine.start(toy("a"), store, 1)
    assert engine.ended() == [toy("a")]
    assert int((store.folder(toy("a")) / "made").read_text()) == os.getpid()


def test_several_workers_are_processes_of_their_own(toy, store):
    store.logs.mkdir(parents=True)
    engine = local_engine(2)
    assert engine.slots == 2
    for label in "ab":
        engine.start(toy(label), store, 1)
    over = []
    while len(over) < 2:
        over += engine.ended()
    assert {run.title for run in over} == {"a", "b"}
    makers = {int((store.folder(toy(label)) / "made").read_text()) for label in "ab"}
    assert len(makers) == 2
    assert os.getpid() not in makers


def test_no_workers_are_refused():
    with pytest.raises(GlamError, match="--workers 0"):
        local_engine(0)
