"""Recorders that die, share or wait: a program, so that no thread of a test run is forked along.

    crashes.py faults FOLDER PUBLISHED EPISODES   die once at every fault point, see `die_at`
    crashes.py kills FOLDER EPISODES TIMES        be killed at random moments, going on each time
    crashes.py share ROOT EPISODES                record with two processes that save at the same time
    crashes.py hold ROOT                          open a recording, say so, and wait for the end of the input

A recording that died at point K is copied to FOLDER/dead-K; then the same command finishes it in FOLDER/done-K.
"""

import importlib.util
import os
import random
import shutil
import signal
import sys
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from glam.core import files
from glam.data.recording import publish, recording, save_episode

SPEC = importlib.util.spec_from_file_location("tiny", Path(__file__).with_name("tiny.py"))
tiny = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tiny)

DIED = 9
os.fsync = lambda descriptor: None  # a dead process loses nothing that the kernel has: this only saves time


def die_at(fault):
    """Make this process vanish at its `fault`-th point: around every file's renaming, and before every removal."""
    passed = 0
    replacing, unlink = files.replacing, Path.unlink

    def point():
        nonlocal passed
        passed += 1
        if passed == fault:
            os._exit(DIED)

    @contextmanager
    def fragile(path):
        point()
        with replacing(path) as temporary:
            yield temporary
            point()
        point()

    def fragile_unlink(path, **options):
        if path.exists():
            point()
        unlink(path, **options)

    files.replacing, Path.unlink = fragile, fragile_unlink


def forked(work, fault=0):
    """Start `work` in a process of its own, to die at a fault point."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            die_at(fault)
            work()
            code = 0
        finally:
            os._exit(code)
    return child


def exit_code(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def faults(folder, published, episodes):
    begun = folder / "begun"
    tiny.record(begun, published or 1)  # in any case: children inherit what is loaded and initialised by now
    fault, code = 0, DIED
    while code == DIED:
        fault += 1
        root = folder / f"done-{fault:03d}"
        if published:
            shutil.copytree(begun, root)
        code = exit_code(forked(partial(tiny.record, root, episodes), fault))
        shutil.copytree(root, folder / f"dead-{fault:03d}")
        if exit_code(forked(partial(tiny.record, root, episodes))) != 0:
            sys.exit(f"recording again after fault {fault} failed")
    sys.exit(code)


def kills(folder, episodes, times):
    begin = time.monotonic()
    exit_code(forked(partial(tiny.record, folder / "undisturbed", episodes)))
    duration = time.monotonic() - begin
    moments = random.Random(0)
    root = folder / "done-000"
    for kill in range(times):
        child = forked(partial(tiny.record, root, episodes))
        time.sleep(moments.uniform(0.0, duration / 4))
        os.kill(child, signal.SIGKILL)
        exit_code(child)
        if root.exists():
            shutil.copytree(root, folder / f"dead-{kill:03d}")
    sys.exit(exit_code(forked(partial(tiny.record, root, episodes))))


def share(root, episodes):
    with recording(root, tiny.TARGET, tiny.DESCRIPTION):
        halves = (range(episodes - 1, -1, -2), range(episodes - 2, -1, -2))
        codes = [exit_code(child) for child in [forked(partial(save, root, indices)) for indices in halves]]
        publish(root, tiny.TARGET, tiny.DESCRIPTION, episodes)
    sys.exit(any(codes))


def save(root, indices):
    for index in indices:
        save_episode(root, tiny.TARGET, index, tiny.episode(index), {"seed": 100 + index})


def hold(root):
    with recording(root, tiny.TARGET, tiny.DESCRIPTION):
        sys.stdout.write("recording\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    _, mode, place, *numbers = sys.argv
    {"faults": faults, "kills": kills, "share": share, "hold": hold}[mode](Path(place), *map(int, numbers))
