"""Work spread over processes: all of it is done, errors arrive, and nobody outlives the parent."""

import os
import signal
import subprocess
import sys
import time
from itertools import count, islice
from math import sqrt
from pathlib import Path

import pytest

from glam.core.errors import GlamError
from glam.core.workers import spread

PROGRAM = """
import os, sys, time
from pathlib import Path
from glam.core.errors import GlamError
from glam.core.workers import spread

def leave_a_trace(folder):
    Path(folder, str(os.getpid())).touch()
    time.sleep(float(sys.argv[2]))
    return os.getpid()

if __name__ == "__main__":
    print(os.getpid(), *spread(leave_a_trace, [sys.argv[1]] * 2, 2))
"""


def start(folder: Path, seconds: float) -> subprocess.Popen[str]:
    """A program whose two workers each leave their process id in `folder`, then sleep."""
    script = folder.with_suffix(".py")
    script.write_text(PROGRAM)
    folder.mkdir()
    return subprocess.Popen([sys.executable, script, folder, str(seconds)], stdout=subprocess.PIPE, text=True)


def is_alive(process: int) -> bool:
    """Whether a process still runs; a zombie that nobody has collected does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def wait_until(holds, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


@pytest.mark.parametrize("workers", [1, 2])
def test_every_item_is_worked_on_once(workers):
    assert sorted(spread(sqrt, [4.0, 9.0, 16.0], workers)) == [2.0, 3.0, 4.0]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_in_the_work_reaches_the_caller(workers):
    with pytest.raises(ValueError, match="math domain error"):
        list(spread(sqrt, [4.0, -1.0], workers))


def test_one_worker_is_this_process():
    assert list(spread(lambda _: os.getpid(), [None], 1)) == [os.getpid()]


def test_several_workers_are_other_processes(tmp_path):
    output, _ = start(tmp_path / "trace", seconds=0.5).communicate(timeout=60)
    parent, *workers = output.split()
    assert len(workers) == 2
    assert parent not in workers


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_workers_end_when_their_parent_is_killed(tmp_path):
    parent = start(tmp_path / "trace", seconds=60)
    assert wait_until(lambda: len(list((tmp_path / "trace").iterdir())) == 2, seconds=30)
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    workers = [int(path.name) for path in (tmp_path / "trace").iterdir()]
    assert wait_until(lambda: not any(map(is_alive, workers)), seconds=15)


def die(_: float) -> None:
    """Be killed, as by a system that has run out of memory."""
    os.kill(os.getpid(), signal.SIGKILL)


def test_endless_work_begins_at_once():
    assert len(list(islice(spread(sqrt, map(float, count()), 2), 20))) == 20


def test_a_worker_that_is_killed_is_one_sentence():
    with pytest.raises(GlamError, match="a worker process was killed"):
        list(spread(die, [1.0, 2.0], 2))


# Ctrl-C acts there, also where a shell that started the tests in the background ignores it.
TERMINAL = {
    "start_new_session": True,
    "preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_ctrl_c_in_a_terminal_ends_workers_without_a_word_of_theirs(tmp_path):
    script, folder = tmp_path / "trace.py", tmp_path / "trace"
    script.write_text(PROGRAM)
    folder.mkdir()
    words = [sys.executable, script, folder, "60"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, **TERMINAL) as parent:
        assert wait_until(lambda: len(list(folder.iterdir())) == 2, seconds=60)
        os.killpg(parent.pid, signal.SIGINT)  # a terminal sends it to all processes
        said = parent.communicate(timeout=60)[1]
    assert said.count("Traceback") == 1  # that of the program itself, which handles nothing
    assert not any(is_alive(int(path.name)) for path in folder.iterdir())
