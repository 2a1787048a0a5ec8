"""Check that a collection has the same bytes with any number of workers, and however often it was killed."""

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
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
    """`kill -9` of a `glam collect` at work, resumed by the same command.

    In turns: the recorder alone, at a random moment of recording or publishing; and the recorder with its workers, as
    soon as one of them has begun to write a random episode. A process that has not begun to write, or that finds
    nothing left to do, is not worth killing and is not counted.
    """
    rng = random.Random(0)
    blows: list[dict[str, Any]] = []
    finished: list[bool] = []
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "whole")
        subprocess.run(command(whole), check=True, capture_output=True)
        while len(blows) < KILLS:
            out = Path(folder, f"run-{len(finished)}")
            while len(blows) < KILLS and len(acknowledged(out)) < EPISODES:
                blows += kill_once(out, rng, with_workers=len(blows) % 2 == 1)
            subprocess.run(command(out), check=True, capture_output=True)
            finished.append(digests(out) == digests(whole))
            shutil.rmtree(out)
    return {
        "kills": len(blows),
        "episodes_safe_at_each_kill": [blow["safe"] for blow in blows],
        "kills_that_left_unfinished_files": sum(blow["unfinished"] > 0 for blow in blows),
        "acknowledged_episodes_checked": sum(blow["safe"] for blow in blows),
        "lost_or_damaged": sum(blow["lost"] for blow in blows),
        "partial_visible": sum(blow["is_partial_visible"] for blow in blows),
        "orphans": sum(blow["orphans"] for blow in blows),
        "collections": len(finished),
        "equal_to_uninterrupted": sum(finished),
    }


def command(out: Path) -> list[str]:
    arguments = ["stack-two", "--embodiment", "umi", "--episodes", str(EPISODES), "--image-size", "32"]
    return [sys.executable, "-m", "glam", "collect", *arguments, "--out", str(out)]


def kill_once(out: Path, rng: random.Random, *, with_workers: bool) -> list[dict[str, Any]]:
    """One blow, or none when the run came to its end first."""
    before, old = acknowledged(out), episode_files(out)
    target = rng.randint(len(before), EPISODES - with_workers)
    child = subprocess.Popen(command(out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def is_time() -> bool:
        is_writing = bool(unfinished(out) if with_workers else episode_files(out) - old)
        return is_writing and len(acknowledged(out)) >= target

    while child.poll() is None and not is_time():
        time.sleep(0.001)
    time.sleep(0.0 if with_workers else rng.uniform(0.0, 0.15))
    if child.poll() is not None:
        return []
    workers, seen = descendants(child.pid), acknowledged(out)
    for process in [child.pid, *(workers if with_workers else [])]:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    child.wait()
    orphans = survivors(workers)
    return [
        {
            "safe": len(seen),
            "unfinished": len(unfinished(out)),
            "lost": len((before | seen) - intact(out)),
            "is_partial_visible": is_partial_visible(out),
            "orphans": len(orphans),
        }
    ]


def unfinished(out: Path) -> set[Path]:
    """Files of episodes that are not acknowledged."""
    safe = acknowledged(out)
    named = {f"episode-{index:06d}" for index in safe} | {f"file-{index:03d}" for index in safe}
    return {path for path in episode_files(out) if not any(name in path.name for name in named)}


def episode_files(out: Path) -> set[Path]:
    """Everything but the description of the recording, finished or not."""
    return {path for path in out.rglob("*") if path.suffix in {".tmp", ".mp4", ".parquet"}}


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
