"""That a collection is the same set of bytes whatever the number of workers and however often it was killed."""

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from glam.core.files import read_json
from glam.data import layout
from glam.data.recording import acknowledged
from glam.stages.collect import CollectConfig, collect

KILLS = 20
EPISODES = 12
LONGEST_ORPHAN = 2.0


def determinism() -> dict[str, Any]:
    """Stack-two with one worker and with two."""
    with tempfile.TemporaryDirectory() as folder:
        config = CollectConfig("stack-two", "kinova")
        one, two = Path(folder, "one"), Path(folder, "two")
        collect(config, one, 20, workers=1)
        collect(config, two, 20, workers=2)
        return {"episodes": 20, "files": len(digests(one)), "identical": digests(one) == digests(two)}


def kills() -> dict[str, Any]:
    """`kill -9` of a running `glam collect` at random moments, resumed by the same command."""
    rng = random.Random(0)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "whole")
        subprocess.run(command(whole), check=True, capture_output=True)
        wanted = digests(whole)
        tally = {"kills": 0, "acknowledged": 0, "lost_or_damaged": 0, "partial_visible": 0, "orphans": 0}
        finished: list[bool] = []
        while tally["kills"] < KILLS:
            out = Path(folder, f"run-{len(finished)}")
            while tally["kills"] < KILLS and kill_once(out, rng, tally):
                pass
            subprocess.run(command(out), check=True, capture_output=True)
            finished.append(digests(out) == wanted)
            shutil.rmtree(out)
    return {**tally, "collections": len(finished), "equal_to_uninterrupted": sum(finished)}


def command(out: Path) -> list[str]:
    arguments = ["stack-two", "--embodiment", "umi", "--episodes", str(EPISODES), "--image-size", "32"]
    return [sys.executable, "-m", "glam", "collect", *arguments, "--out", str(out)]


def kill_once(out: Path, rng: random.Random, tally: dict[str, int]) -> bool:
    """Run until a random number of episodes is safe and a random moment longer; False when it ended before."""
    before = acknowledged(out)
    target, pause = rng.randint(len(before), EPISODES), rng.uniform(0.0, 0.3)
    child = subprocess.Popen(command(out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while child.poll() is None and (len(acknowledged(out)) < target or not (out / "meta").exists()):
        time.sleep(0.005)
    time.sleep(pause)
    if child.poll() is not None:
        return False
    workers = descendants(child.pid)
    seen = acknowledged(out)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    tally["kills"] += 1
    tally["orphans"] += len(survivors(workers))
    tally["acknowledged"] += len(seen)
    tally["lost_or_damaged"] += len((before | seen) - intact(out))
    tally["partial_visible"] += is_partial_visible(out)
    return True


def descendants(pid: int) -> list[int]:
    """Every process below `pid`."""
    try:
        children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return children + [below for child in children for below in descendants(child)]


def survivors(pids: list[int]) -> list[int]:
    """Those of `pids` that still run after the longest time an orphan may live."""
    end = time.monotonic() + LONGEST_ORPHAN
    while pids and time.monotonic() < end:
        pids = [pid for pid in pids if is_running(pid)]
        time.sleep(0.05)
    return pids


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def intact(out: Path) -> set[int]:
    """Acknowledged episodes of which every file is there, bit for bit."""
    safe = acknowledged(out)
    if (out / layout.MANIFEST).exists():  # `info.json` is the only file that may still be missing
        files = read_json(out / layout.MANIFEST)["files"]
        is_whole = all(matches(out / name, digest) for name, digest in files.items() if name != layout.INFO)
        return set(safe) if is_whole else set()
    records = {index: read_json(out / layout.journal_record(index))["files"] for index in safe}
    return {index for index, files in records.items() if all(matches(out / name, files[name]) for name in files)}


def matches(path: Path, digest: str) -> bool:
    return path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() == digest


def is_partial_visible(out: Path) -> bool:
    """`meta/info.json` makes a set visible to every reader; it may be there only with all episodes."""
    info = out / layout.INFO
    return info.exists() and read_json(info)["total_episodes"] != EPISODES


def digests(root: Path) -> dict[str, str]:
    """Content of every file below a folder."""
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
