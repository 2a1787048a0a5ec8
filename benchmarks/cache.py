"""How fast random windows come from the decoded cache, and from the real LeRobotDataset on the same set in one run.

    python benchmarks/cache.py

Both are given as frames per second of the best block, since a shared machine may pause at any moment. The comparison
needs LeRobot's own environment, which `make test-lerobot` sets up.
"""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.data.cache import decoded
from glam.data.reader import Dataset
from glam.data.recording import DatasetDescription, publish, recording, save_episode
from glam.data.schema import Episode, Schema
from glam.data.windows import FrameIndices, Frames, Sampler, labelled, window_indices, windows

LEROBOT = Path(__file__).parents[1] / ".lerobot-venv" / "bin" / "python"
REQUIRED_RATIO = 100

EPISODES, LENGTH, WINDOW, SIZE = 20, 60, 4, 64
BATCH, STEPS, BLOCKS = 32, 50, 10
JOINTS = (*(f"joint{number}" for number in range(1, 8)), "gripper")
Take = Callable[[NDArray[np.uint8], FrameIndices], NDArray[Any]]
# No masks: LeRobot would decode them with every item, asked for or not.
SCHEMA = Schema(10, (96, 96), ("front", "overhead"), (), ("arm",), JOINTS, JOINTS)


def main() -> None:
    print(json.dumps(window_speed(), indent=1))


def window_speed(blocks: int = BLOCKS) -> dict[str, Any]:
    """Frames per second of windows of 4 frames from 2 cameras, with the vectors of their first row."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "dataset")
        record(root)
        result = building_speed(root, Path(folder, "cache"))
        frames = decoded(Dataset.open(root), SIZE, Path(folder, "cache"))
        result |= {"cache_frames_per_second": round(cache_rate(frames, as_bytes, blocks))}
        result |= {"cache_frames_per_second_as_float": round(cache_rate(frames, as_floats(), blocks))}
        if not LEROBOT.exists():
            return result | {"lerobot": f"not measured: {LEROBOT} is missing; `make test-lerobot` sets it up"}
        theirs = lerobot_rate(root, blocks)
    result |= {"lerobot_frames_per_second": round(theirs)}
    result |= {"ratio": round(result["cache_frames_per_second"] / theirs)}
    result |= {"ratio_as_float": round(result["cache_frames_per_second_as_float"] / theirs)}
    return result | {"required_ratio": REQUIRED_RATIO, "reached": result["ratio"] >= REQUIRED_RATIO}


def record(root: Path) -> None:
    description = DatasetDescription("benchmark", "kinova", 0, {}, {})
    with recording(root, SCHEMA, description):
        for index in range(EPISODES):
            save_episode(root, SCHEMA, index, episode(index), {})
        publish(root, SCHEMA, description, EPISODES)


def episode(index: int) -> Episode:
    """A square that moves over a table of coloured tiles."""
    numbers = np.random.default_rng(index)
    images = {}
    for key in SCHEMA.image_keys:
        tiles = numbers.integers(0, 256, (12, 12, 3)).astype(np.uint8).repeat(8, axis=0).repeat(8, axis=1)
        images[key] = np.repeat(tiles[None], LENGTH, axis=0)
        for t in range(LENGTH):
            images[key][t, 30:46, t : t + 16] = (200, 30, 4 * t)
    sizes = {key: len(names) for key, names in SCHEMA.vectors.items()}
    vectors = {key: numbers.standard_normal((LENGTH, size)).astype(np.float32) for key, size in sizes.items()}
    return Episode(vectors, images, {}, "Move the square.")


def building_speed(root: Path, folder: Path) -> dict[str, Any]:
    """Camera frames decoded per second, with one process and with two."""
    rates = {}
    for workers in (1, 2):
        dataset, start = Dataset.open(root), time.perf_counter()
        decoded(dataset, SIZE, folder / str(workers), workers=workers)
        rates[str(workers)] = round(len(dataset) * len(SCHEMA.cameras) / (time.perf_counter() - start))
    return {"decoded_frames_per_second_by_workers": rates}


def cache_rate(frames: Frames, take: Take, blocks: int = BLOCKS) -> float:
    target = labelled(frames, "benchmark")
    sampler = Sampler(windows(frames.episodes, WINDOW), BATCH, seed=0)
    rates = []
    for block in range(blocks):
        start = time.perf_counter()
        for step in range(STEPS):
            first = sampler.indices(block * STEPS + step)
            indices = window_indices(first, WINDOW)
            images = [take(images, indices) for images in frames.images.values()]
            vectors = [array[first] for array in (target.ee_pose, target.state, target.action)]
        rates.append(STEPS * BATCH * WINDOW * len(images) / (time.perf_counter() - start))
        assert {len(array) for array in (*images, *vectors)} == {BATCH}
    return max(rates)


def as_bytes(images: NDArray[np.uint8], indices: FrameIndices) -> NDArray[Any]:
    return images[indices]


def as_floats() -> Take:
    """What LeRobot gives: single precision, 0..1. The memory is used again, as a training loop does."""
    buffer = np.empty((BATCH, WINDOW, SIZE, SIZE, 3), np.float32)
    return lambda images, indices: np.multiply(images[indices], np.float32(1 / 255), out=buffer)


def lerobot_rate(root: Path, blocks: int) -> float:
    program = Path(__file__).with_name("lerobot_windows.py")
    quiet = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(root.parent / "huggingface")}
    run = subprocess.run(
        [LEROBOT, program, root, str(WINDOW), str(blocks)],
        env=os.environ | quiet,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    rates: list[float] = json.loads(run.stdout.splitlines()[-1])
    return max(rates)


if __name__ == "__main__":
    main()
