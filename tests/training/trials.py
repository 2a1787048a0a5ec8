"""Trainings that die or share their work: a program, so that no thread of a test run is forked along.

    trials.py dying FOLDER CRASHES KILLS   die at chosen points and at random moments, going on by the same command
    trials.py parallel FOLDER              train with one process, and with two that share each batch

Results are printed as JSON. For another training than that of the small learner, call `crash_trials` and `kill_trials`
from a program that has loaded what it needs and has used one thread and no GPU so far.
"""

import hashlib
import importlib.util
import json
import os
import random
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # a process that has used a GPU cannot be forked

from glam.core import files
from glam.core.seals import MANIFEST
from glam.training import batches, checkpoint, fit, metrics
from glam.training.recorder import CHECKPOINTS, METRICS

CHANGES = {"open", "os.mkdir", "os.rename", "os.truncate"}
REMOVALS = {"os.remove", "os.rmdir"}  # may be told by a name inside an open folder
Train = Callable[[Path], None]
"""Trains in the given folder, going on with what it finds there."""


def crash_trials(train: Train, folder: Path, count: int, seed: int = 0) -> dict[str, int]:
    """Die `count` times at points spread over the whole training, each followed by a second death and a resume.

    Returns how many points there are (see `die_at`), how many trials ended equal to an undisturbed run, and the deaths.
    """
    undisturbed, notes = folder / "undisturbed", folder / "points"
    folder.mkdir(parents=True, exist_ok=True)
    run(train, undisturbed, count_in=notes)
    points, expected = int(notes.read_text()), fingerprint(undisturbed)
    moments = random.Random(seed)
    equal = deaths = 0
    for trial in range(count):
        root = folder / f"trial-{trial:03d}"
        # The first deaths are spread evenly so that every kind of point has its turn; the second ones are random.
        for fault in (1 + (points * trial) // count, moments.randint(1, points)):
            deaths += run(train, root, fault) == -signal.SIGKILL
        equal += run(train, root) == 0 and fingerprint(root) == expected
        shutil.rmtree(root)
    return {"points": points, "trials": count, "equal": equal, "deaths": deaths}


def kill_trials(train: Train, folder: Path, count: int, seed: int = 0) -> dict[str, int]:
    """Be killed from outside `count` times at random moments of one training, going on each time."""
    begin = time.monotonic()
    run(train, folder / "undisturbed")
    duration = time.monotonic() - begin
    moments, root, deaths = random.Random(seed), folder / "killed", 0
    for _ in range(count):
        child = forked(partial(train, root), root)
        time.sleep(moments.uniform(0.0, duration / 3))
        os.kill(child, signal.SIGKILL)
        deaths += exit_code(child) == -signal.SIGKILL
    is_equal = run(train, root) == 0 and fingerprint(root) == fingerprint(folder / "undisturbed")
    return {"trials": count, "deaths": deaths, "equal": int(is_equal)}


def fingerprint(root: Path) -> str:
    """Digest of weights, optimiser, average, config and log of a finished run, without the times."""
    found = hashlib.sha256()
    for step in checkpoint.steps(root / CHECKPOINTS):
        for part in checkpoint.PARTS:
            found.update(checkpoint.path_of(root / CHECKPOINTS, step, part).read_bytes())
    # Not the seal, since it covers the times of the log.
    for path in sorted([*root.glob("*.safetensors"), *root.glob("*.json")]):
        found.update(path.read_bytes() if path.name != MANIFEST else b"")
    for line in metrics.read(root / METRICS):
        found.update(json.dumps({name: value for name, value in line.items() if name != "seconds"}).encode())
    rubbish = sorted(path.name for path in root.rglob(f"*{files.TEMPORARY_SUFFIX}"))
    found.update(json.dumps(rubbish).encode() if rubbish else b"")
    return found.hexdigest()


def run(train: Train, root: Path, fault: int = 0, count_in: Path | None = None) -> int:
    """Train in a process of its own, to die at a fault point if any; returns its exit code."""
    return exit_code(forked(partial(train, root), root, fault, count_in))


def forked(work: Callable[[], None], root: Path, fault: int = 0, count_in: Path | None = None) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        passed = die_at(fault, root)
        work()
        if count_in:
            count_in.write_text(str(passed()))
        code = 0
    except BaseException as error:  # the child must not go on as if it were its parent
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
    finally:
        sys.stderr.flush()
        os._exit(code)


def exit_code(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def die_at(fault: int, root: Path) -> Callable[[], int]:
    """Make this process kill itself at its `fault`-th point; returns what tells how many it has passed.

    Points come before every opening, renaming and removal of a file below `root`, and around every gradient step.
    """
    passed = 0

    def point() -> None:
        nonlocal passed
        passed += 1
        if passed == fault:
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event in REMOVALS or (event in CHANGES and str(arguments[0]).startswith(str(root))):
            point()

    def step(*arguments: object) -> object:
        point()
        values = gradient_step(*arguments)
        point()
        return values

    gradient_step, fit.gradient_step = fit.gradient_step, step
    sys.addaudithook(hook)
    return lambda: passed


def parallel_trial(toy, folder: Path) -> dict[str, list[dict[str, float]]]:
    """The logs of one process, and of two that share each batch."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def member(rank: int, root: Path) -> None:
        os.environ |= {"RANK": str(rank), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
        with batches.joined("cpu") as processes:
            toy.train(root, processes=processes)

    # Not `ALONE` itself, whose training uses dropout: that cannot be the same in two processes.
    alone = forked(partial(toy.train, folder / "one", processes=batches.Processes(0, 1)), folder)
    codes = [exit_code(alone)]
    members = [forked(partial(member, rank, folder / "two"), folder) for rank in range(2)]
    codes += [exit_code(child) for child in members]
    if any(codes):
        sys.exit(f"exit codes {codes}")
    return {name: metrics.read(folder / name / METRICS) for name in ("one", "two")}


def loaded_toy():
    spec = importlib.util.spec_from_file_location("toy", Path(__file__).with_name("toy.py"))
    toy = importlib.util.module_from_spec(spec)
    sys.modules["toy"] = toy  # a dataclass looks its own module up
    spec.loader.exec_module(toy)
    return toy


def main() -> None:
    mode, folder, *counts = sys.argv[1], Path(sys.argv[2]), *map(int, sys.argv[3:])
    toy = loaded_toy()
    toy.train(folder / "warm-up")  # children inherit what is loaded and initialised by now
    os.fsync = lambda descriptor: None  # a dead process loses nothing that the kernel has: this only saves time
    if mode == "parallel":
        results = parallel_trial(toy, folder)
    else:
        results = {
            "crashes": crash_trials(toy.train, folder / "crashes", counts[0]),
            "kills": kill_trials(toy.train, folder / "kills", counts[1]),
        }
    sys.stdout.write(json.dumps(results))


if __name__ == "__main__":
    main()
