"""Time and memory of every command that works through a dataset, on sets of 100, 1000 and 10,000 episodes.

    python -m benchmarks.scale [--episodes 100 1000 10000] [--folder DIR] [--json docs/results/scale.json]

A few demonstrations are recorded in simulation, and the sets are made of them by repetition with variation: shifted
images of several brightnesses, and noise on all numbers. Each stage is a process of its own. Processor time is counted,
so that other programs on the machine matter little, and memory is what the process itself took: pages of mapped files,
which the system takes back whenever it likes, are left out. Videos of equal content are encoded once. The record is
written after every set, and sizes that it has are not made again.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from benchmarks.conditions import conditions

from glam.data import image_codecs
from glam.data.reader import Dataset
from glam.data.recording import DatasetDescription, publish, recording, save_episode
from glam.data.schema import EE_POSE, Episode, Schema

FRAMES, PIXELS, BASE, LOOKS = 12, 32, 8, 16
STEPS = 50
DESCRIPTION = DatasetDescription("lift", "kinova", 0, {"made_by": "benchmarks.scale"}, {})
STAGES = ("collect", "check", "decode", "relabel", "train")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, nargs="+", default=[100, 1000, 10_000])
    parser.add_argument("--folder", type=Path, help="where sets are made and kept; by default a temporary folder")
    parser.add_argument(
        "--stages", nargs="+", default=STAGES, choices=STAGES, help="to measure again, of sets in --folder"
    )
    parser.add_argument("--json", type=Path, help="where the record goes")
    parser.add_argument("--make", type=Path, nargs=2, metavar=("BASE", "SET"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.make:
        make(*given.make, given.episodes[0])
        return
    with tempfile.TemporaryDirectory() as temporary:
        measure(given.folder or Path(temporary), given.episodes, given.stages, given.json)


def measure(folder: Path, sizes: list[int], stages: Sequence[str], record: Path | None) -> None:
    """Make and measure sets of these sizes in `folder`."""
    known = json.loads(record.read_text(encoding="utf-8")) if record and record.exists() else {"sizes": {}}
    base, model = folder / "base", folder / "world-model"
    os.environ["GLAM_CACHE"] = str(folder / "cache")
    if not model.exists():
        glam("collect", "lift", "--embodiment", "kinova", "--episodes", BASE, "--image-size", PIXELS, "--out", base)
        make(base, folder / "few", BASE)
        glam("train-world-model", "glam", "--target", folder / "few", "--aux", folder / "few", "--out", model,
             "--preset", "smoke", "--threads", 1)  # fmt: skip
    for size in sizes:
        before = known["sizes"].get(str(size), {})
        if before and set(stages) == set(STAGES):
            continue
        if "decode" in stages:
            shutil.rmtree(folder / "cache", ignore_errors=True)  # of an earlier set of the same content
        rows = {stage: measured(command(stage, folder, size)) for stage in stages}
        for stage, row in rows.items():
            print(f"{size} episodes, {stage}: {row['processor_seconds']} s, {row['megabytes']} MB", flush=True)
        known["sizes"][str(size)] = before | rows
        if record:
            setting = {"frames_per_episode": FRAMES, "pixels": PIXELS, "cameras": 1, "training_steps": STEPS}
            content = known | {"setting": setting} | conditions("numpy", "torch", "av", "pyarrow")
            record.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def command(stage: str, folder: Path, size: int) -> list[str]:
    """The command of a stage."""
    root, out = folder / f"set-{size}", folder / f"policy-{size}"
    words: dict[str, list[object]] = {
        "collect": ["-m", "benchmarks.scale", "--make", folder / "base", root, "--episodes", size],
        "check": ["-m", "glam", "data", "check", root],
        "decode": ["-m", "glam", "cache", "decode", root, "--size", 16, "--workers", 1],
        "relabel": ["-m", "glam", "relabel", "--world-model", folder / "world-model", "--data", root],
        "train": ["-m", "glam", "train-policy", "mip", "--target", root, "--out", out, "--preset", "smoke",
                  "--threads", 1, "--set", f"fit.steps={STEPS}"],
    }  # fmt: skip
    return [sys.executable, *map(str, words[stage])]


def measured(words: list[str]) -> dict[str, float]:
    """Processor time, time and memory of a command."""
    begin = time.monotonic()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    most, over = [0.0], threading.Event()
    watching = threading.Thread(target=watch, args=(process.pid, most, over))
    watching.start()
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    over.set()
    watching.join()
    if status:
        raise SystemExit(f"{' '.join(words)}: {said.decode(errors='replace')[-2000:]}")
    return {
        "processor_seconds": round(usage.ru_utime + usage.ru_stime, 2),
        "seconds": round(time.monotonic() - begin, 1),
        "megabytes": round(most[0]),
    }


def watch(pid: int, most: list[float], over: threading.Event) -> None:
    """Note the most memory of its own that a process ever had, in MB."""
    while not over.wait(0.05):
        try:
            lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
        except OSError:
            return
        found = [int(line.split()[1]) / 1e3 for line in lines if line.startswith("RssAnon:")]
        most[0] = max([most[0], *found])


def glam(*words: object) -> None:
    subprocess.run([sys.executable, "-m", "glam", *map(str, words)], check=True, capture_output=True)


def make(base: Path, root: Path, episodes: int) -> None:
    """Record a set of so many variations of the episodes in `base`."""
    image_codecs.encode_video = encoder(image_codecs.encode_video)
    source = Dataset.open(base)
    schema = replace(source.schema, cameras=("front",), objects=())
    with recording(root, schema, DESCRIPTION):
        for index in range(episodes):
            save_episode(root, schema, index, variation(source, schema, index), {"seed": index})
        publish(root, schema, DESCRIPTION, episodes)


def encoder(encode):
    """`encode`, once for all equal videos."""
    known: dict[bytes, bytes] = {}

    def once(images, fps):
        content = images.tobytes()
        if content not in known:
            known[content] = encode(images, fps)
        return known[content]

    return once


def variation(source: Dataset, schema: Schema, index: int) -> Episode:
    """Episode `index` of a set: one of the source with another look and noise on all numbers."""
    numbers = np.random.default_rng(index)
    vectors, images, task = read(source.root, index % len(source.episodes))
    shift, light = divmod(index % LOOKS, 4)
    shown = np.roll(images, shift, axis=2)
    shown = np.minimum(shown.astype(np.uint16) + 8 * light, 255).astype(np.uint8)
    noisy = {key: values + 0.001 * numbers.standard_normal(values.shape) for key, values in vectors.items()}
    noisy[EE_POSE][:, 3:9] = vectors[EE_POSE][:, 3:9]  # rotations stay rotations
    return Episode(
        {key: noisy[key].astype(np.float32) for key in schema.vectors}, {schema.image_keys[0]: shown}, {}, task
    )


@cache
def read(root: Path, index: int):
    """Numbers, images and task of an episode of the source, the middle of it."""
    dataset = Dataset.open(root)
    start = max(0, (dataset.episodes[index].length - FRAMES) // 2)
    part = slice(start, start + FRAMES)
    vectors = {key: values[part] for key, values in dataset.vectors(index).items()}
    return vectors, dataset.images(index, "observation.images.front")[part], dataset.episodes[index].task


if __name__ == "__main__":
    main()
