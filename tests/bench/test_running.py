import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

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
    run(cells, workshop, 2, states.append)
    assert [made(workshop, node) for node in (shared, *cells)] == [1, 1, 1]
    note = read_json(workshop.note(cells[0]))
    assert note["result"]["words"] == ["first", shared.name]
    assert note["needs"] == [shared.name]
    assert [len(state.done) for state in (states[0], states[-1])] == [0, 3]
    assert states[-1].running == states[-1].left == states[-1].failed == ()


def test_what_is_done_is_not_repeated(toy, workshop):
    shared = toy("shared")
    run([shared], workshop, 1, lambda state: None)
    run([toy("first", (shared,))], workshop, 1, lambda state: None)
    assert made(workshop, shared) == 1


@pytest.mark.parametrize("fate", ["fails", "dies"])
def test_a_failure_takes_along_only_what_needs_it(toy, workshop, fate):
    broken = toy("broken", fate=fate)
    above, beside = toy("above", (broken,)), toy("beside")
    states: list[State] = []
    with pytest.raises(GlamError, match=r"2 runs failed.*toy\.broken"):
        run([above, beside], workshop, 1 if fate == "fails" else 2, states.append)
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
    run(cells, workshop, 2, release)
    assert max(most) == 2


def test_two_benchmarks_do_not_share_a_folder_at_the_same_time(toy, workshop):
    with exclusive(workshop.root / ".lock", "busy"), pytest.raises(GlamError, match="another benchmark"):
        run([toy("a")], workshop, 1, lambda state: None)


PROGRAM = """
import sys
sys.path.insert(0, {here!r})
from pathlib import Path
from toys import Toy
from glam.bench.node import Workshop
from glam.bench.running import run

if __name__ == "__main__":
    cells = [Toy("whole", (Toy("done"), Toy("slow", fate="waits")))]
    run(cells, Workshop(Path({root!r})), 1, lambda state: None)
"""


def test_a_killed_benchmark_loses_nothing_and_leaves_nobody_behind(toy, workshop, tmp_path):
    program = tmp_path / "bench.py"
    program.write_text(PROGRAM.format(here=str(Path(__file__).parent), root=str(workshop.root)))
    done, slow = toy("done"), toy("slow", fate="waits")
    first = subprocess.Popen([sys.executable, program])
    wait_until(lambda: made(workshop, slow) == 1)
    worker = int((workshop.place(slow) / "made").read_text())
    os.kill(first.pid, signal.SIGKILL)
    first.wait(timeout=60)
    wait_until(lambda: not is_alive(worker))
    (workshop.root / "toy" / "go").touch()
    subprocess.run([sys.executable, program], check=True, timeout=100)
    assert [made(workshop, node) for node in (done, slow)] == [1, 2]
    assert workshop.is_done(toy("whole", (done, slow)))


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
