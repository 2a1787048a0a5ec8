import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from glam.bench.engines import local
from glam.bench.running import State, run
from glam.core.errors import GlamError
from glam.core.files import exclusive, read_json


def made(workshop, node):
    """How often a node was made."""
    path = workshop.place(node) / "made"
    return len(path.read_text().splitlines()) if path.exists() else 0


def test_everything_is_made_once_with_what_it_needs(toy, workshop):
    shared = toy("shared")
    cells = [toy("first", (shared,)), toy("second", (shared,))]
    states: list[State] = []
    run(cells, workshop, local(2), states.append)
    assert [made(workshop, node) for node in (shared, *cells)] == [1, 1, 1]
    note = read_json(workshop.note(cells[0]))
    assert note["result"]["words"] == ["first", shared.name]
    assert note["needs"] == [shared.name]
    assert [len(state.done) for state in (states[0], states[-1])] == [0, 3]
    assert states[-1].running == states[-1].left == states[-1].failed == ()


def test_what_is_done_is_not_repeated(toy, workshop):
    shared = toy("shared")
    run([shared], workshop, local(1), lambda state: None)
    run([toy("first", (shared,))], workshop, local(1), lambda state: None)
    assert made(workshop, shared) == 1


@pytest.mark.parametrize("fate", ["fails", "dies"])
def test_a_failure_takes_along_only_what_needs_it(toy, workshop, fate):
    broken = toy("broken", fate=fate)
    above, beside = toy("above", (broken,)), toy("beside")
    states: list[State] = []
    with pytest.raises(GlamError, match=r"2 runs failed.*toy\.broken"):
        run([above, beside], workshop, local(1 if fate == "fails" else 2), states.append)
    assert states[-1].failed == (broken, above)
    assert states[-1].done == (beside,)
    assert made(workshop, above) == 0
    assert ("a toy that breaks" in workshop.log(broken).read_text()) == (fate == "fails")


def test_as_many_run_at_a_time_as_there_are_workers(toy, workshop):
    cells = [toy(label, fate="waits") for label in "abc"]

    def release(state):
        if len(state.running) == 2:
            (workshop.root / "toy").mkdir(parents=True, exist_ok=True)
            (workshop.root / "toy" / "go").touch()
        most.append(len(state.running))

    most: list[int] = []
    run(cells, workshop, local(2), release)
    assert max(most) == 2


def test_two_benchmarks_do_not_share_a_folder_at_the_same_time(toy, workshop):
    with exclusive(workshop.root / ".lock", "busy"), pytest.raises(GlamError, match="another benchmark"):
        run([toy("a")], workshop, local(1), lambda state: None)


PROGRAM = """
import sys
sys.path.insert(0, {here!r})
from pathlib import Path
from toys import Toy
from glam.bench.engines import local
from glam.bench.node import Workshop
from glam.bench.running import run

if __name__ == "__main__":
    run({nodes}, Workshop(Path({root!r})), local({workers}), lambda state: None)
"""


@pytest.fixture
def program(workshop, tmp_path):
    """A benchmark as a program of its own, to be killed."""

    def write(nodes, workers):
        path = tmp_path / "bench.py"
        here, root = str(Path(__file__).parent), str(workshop.root)
        path.write_text(PROGRAM.format(here=here, root=root, nodes=nodes, workers=workers))
        return path

    return write


def test_a_killed_benchmark_loses_nothing_and_leaves_nobody_behind(toy, workshop, program):
    path = program("[Toy('whole', (Toy('done'), Toy('slow', fate='waits')))]", 1)
    done, slow = toy("done"), toy("slow", fate="waits")
    first = subprocess.Popen([sys.executable, path])
    wait_until(lambda: made(workshop, slow) == 1)
    worker = int((workshop.place(slow) / "made").read_text())
    os.kill(first.pid, signal.SIGKILL)
    first.wait(timeout=60)
    wait_until(lambda: not is_alive(worker))
    (workshop.root / "toy" / "go").touch()
    subprocess.run([sys.executable, path], check=True, timeout=100)
    assert [made(workshop, node) for node in (done, slow)] == [1, 2]
    assert workshop.is_done(toy("whole", (done, slow)))


def test_what_is_done_when_a_benchmark_is_killed_is_never_made_again(toy, workshop, program):
    """Killed at three moments, with processes at work; what was being made is made again, and nothing else."""
    path = program("[Toy(str(number), fate='lasts') for number in range(12)]", 2)
    nodes = [toy(str(number), fate="lasts") for number in range(12)]
    for least in (1, 4, 8):
        running = subprocess.Popen([sys.executable, path])
        wait_until(lambda: sum(map(workshop.is_done, nodes)) >= least)  # noqa: B023
        os.kill(running.pid, signal.SIGKILL)
        running.wait(timeout=60)
        wait_until(lambda: not any(map(is_alive, workers(workshop, nodes))))
        finished = {node: (made(workshop, node), workshop.note(node).read_bytes()) for node in nodes if
                    workshop.is_done(node)}  # fmt: skip
        assert len(finished) < len(nodes)
    subprocess.run([sys.executable, path], check=True, timeout=100)
    assert all(map(workshop.is_done, nodes))
    assert {node: (made(workshop, node), workshop.note(node).read_bytes()) for node in finished} == finished


def workers(workshop, nodes):
    """All processes that ever made one of these."""
    logs = [workshop.place(node) / "made" for node in nodes]
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
