"""False alarms of `glam data quality` on sound datasets, and detections of injected faults.

    python -m benchmarks.quality [--data FOLDER] [--episodes 40] [--spoilt 8] [--json docs/results/quality.json]

Sound are demonstrations of every task by every embodiment, and two sets with other rooms, pushes, missed grasps and a
badly calibrated tracker. Missing ones are collected into FOLDER first, about a minute each. Then each fault is put into
one episode of a set at a time, with all others as they are.
"""

import argparse
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.conditions import conditions
from numpy.typing import NDArray

from glam.core.files import read_json, write_json
from glam.data.quality.measures import Measures, measured
from glam.data.quality.rules import judge
from glam.data.reader import Dataset
from glam.data.schema import EE_POSE, GRIPPER, POSE_SIZE, Episode, Schema
from glam.sim.expert import Disturbance
from glam.sim.sensors import Tracker
from glam.stages.collect import CollectConfig, collect

FIRST_SEED, SEEDS = 21_000_000, 1_000
TASKS_TRIED, BODIES = ("stack-two", "pick-place", "lift", "knock-down", "stack-three"), ("kinova", "umi", "kinova-lab")
COLLECTED = 40
"""Episodes of each set."""
Draw = np.random.Generator
Fault = Callable[[Episode, Schema, Draw], Episode]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("quality-data"))
    parser.add_argument("--episodes", type=int, default=40)
    parser.add_argument("--spoilt", type=int, default=8, help="episodes of each set that each fault is put into")
    parser.add_argument("--sets", nargs="*", default=list(configs()), help="some sets; the record keeps the others")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    known = read_json(options.json)["sets"] if options.json and options.json.exists() else {}
    for name in options.sets:
        collect(configs()[name], options.data / name, COLLECTED, workers=1)
        known[name] = judged(Dataset.open(options.data / name), options.episodes, options.spoilt)
        print(name, known[name]["verdicts"], flush=True)
    record = summary(known)
    print(record["false_alarms"], record["detections"])
    if options.json:
        write_json(options.json, record | {"sets": known} | conditions("numpy", "av", "mujoco"))


def judged(dataset: Dataset, episodes: int, spoilt: int) -> dict[str, Any]:
    """Verdicts on the first episodes of a sound set, and on spoilt ones among them."""
    sound = [of(dataset.episode(index), dataset.schema, index) for index in range(episodes)]
    draw = np.random.default_rng(zlib.crc32(dataset.root.name.encode()))
    found = {fault: dict(counts) for fault, counts in found_in(dataset, sound, spoilt, draw)}
    return {"verdicts": verdicts(sound, dataset.schema), "detections": found}


def summary(sets: dict[str, Any]) -> dict[str, Any]:
    """Counts over all sets."""
    alarms, detections = Counter[str](), dict[str, Counter[str]]()
    for one in sets.values():
        alarms.update(one["verdicts"])
        for fault, counts in one["detections"].items():
            detections.setdefault(fault, Counter()).update(counts)
    return {
        "episodes": alarms.total(),
        "false_alarms": {verdict: alarms[verdict] for verdict in ("leave out", "look")},
        "detections": {fault: dict(counts) for fault, counts in sorted(detections.items())},
    }


def configs() -> dict[str, CollectConfig]:
    """The sound datasets by name, each from scenes of its own."""
    pushed, bad = Disturbance(probability=0.3, misses=0.3), Tracker(20.0, 5.0)
    found = {f"{task}-{body}": CollectConfig(task, body) for task in TASKS_TRIED for body in BODIES}
    found["stack-two-umi-hard"] = CollectConfig("stack-two", "umi", disturbance=pushed, tracker=bad, vary_look=True)
    found["stack-two-kinova-hard"] = CollectConfig("stack-two", "kinova", disturbance=pushed, vary_look=True)
    seeds = (*range(1, 1 + len(TASKS_TRIED) * len(BODIES)), 100, 101)
    pairs = zip(found.items(), seeds, strict=True)
    return {name: replace(config, seed=FIRST_SEED + SEEDS * seed) for (name, config), seed in pairs}


def of(episode: Episode, schema: Schema, number: int) -> Measures:
    return measured(number, episode.vectors, episode.images, schema)


def verdicts(measures: list[Measures], schema: Schema) -> dict[str, int]:
    return dict(Counter(one.verdict for one in judge(measures, schema.fps, schema.arms)))


def found_in(dataset: Dataset, sound: list[Measures], spoilt: int, draw: Draw) -> Iterator[tuple[str, Counter[str]]]:
    """For each fault the verdicts on spoilt episodes: the verdict and whether the fault was named."""
    schema = dataset.schema
    for fault, (name, spoil) in FAULTS.items():
        if fault.startswith("gripper") and np.mean([min(one.strokes) > 0.2 for one in sound]) < 1.0:
            continue  # some tasks need no gripper
        counts: Counter[str] = Counter()
        for index in range(spoilt):
            one = of(spoil(dataset.episode(index), schema, draw), schema, index)
            if fault == "copy":
                measures = [*sound, replace(one, episode=len(sound))]
            else:
                measures = [*sound[:index], one, *sound[index + 1 :]]
            said = judge(measures, schema.fps, schema.arms)[len(sound) if fault == "copy" else index]
            named = any(remark.fault == name for remark in said.remarks)
            counts[said.verdict if named or not said.remarks else f"{said.verdict}, as another fault"] += 1
        yield fault, counts


def lost(episode: Episode, schema: Schema, draw: Draw) -> Episode:
    """The tracker repeats its last pose for 0.8 s while the hand moves fast."""
    steps, poses = round(0.8 * schema.fps), episode.vectors[EE_POSE].copy()
    moved = np.linalg.norm(poses[steps:, :3] - poses[:-steps, :3], axis=1)
    start = int(draw.choice(np.argsort(moved)[-5:]))
    poses[start : start + steps, :GRIPPER] = poses[start, :GRIPPER]
    return with_poses(episode, poses)


def jump_and_back(episode: Episode, schema: Schema, draw: Draw) -> Episode:
    """One pose is 15 cm off."""
    del schema
    poses = episode.vectors[EE_POSE].copy()
    poses[middle(len(poses), draw), :3] += 0.15 * direction(draw)
    return with_poses(episode, poses)


def jump_and_stay(episode: Episode, schema: Schema, draw: Draw) -> Episode:
    """From one frame on all poses are 10 cm off."""
    del schema
    poses = episode.vectors[EE_POSE].copy()
    poses[middle(len(poses), draw) :, :3] += 0.1 * direction(draw)
    return with_poses(episode, poses)


def stall(episode: Episode, schema: Schema, draw: Draw) -> Episode:
    """A pause of 6 s."""
    start = middle(len(episode), draw)
    return at_frames(episode, np.r_[:start, np.full(6 * schema.fps, start), start : len(episode)])


def gripper(episode: Episode, schema: Schema, draw: Draw) -> Episode:
    """The openings of all hands are stuck at their first readings."""
    del schema, draw
    poses = episode.vectors[EE_POSE].copy()
    poses[:, GRIPPER::POSE_SIZE] = poses[0, GRIPPER::POSE_SIZE]
    return with_poses(episode, poses)


def delayed(seconds: float) -> Fault:
    def spoil(episode: Episode, schema: Schema, draw: Draw) -> Episode:
        del draw
        late = np.maximum(np.arange(len(episode)) - round(seconds * schema.fps), 0)
        return replace(episode, images={key: film[late] for key, film in episode.images.items()})

    return spoil


def copied(episode: Episode, schema: Schema, draw: Draw) -> Episode:
    """The same episode without its first and last two frames, with other noise in its images."""
    del schema
    cut = at_frames(episode, np.arange(2, len(episode) - 2))
    noise = {key: draw.integers(-2, 3, film.shape) for key, film in cut.images.items()}
    return replace(
        cut, images={key: np.clip(film + noise[key], 0, 255).astype(np.uint8) for key, film in cut.images.items()}
    )


def cut_short(episode: Episode, schema: Schema, draw: Draw) -> Episode:
    """A quarter of it."""
    del schema, draw
    return at_frames(episode, np.arange(max(2, len(episode) // 4)))


FAULTS: Mapping[str, tuple[str, Fault]] = {
    "copy": ("copy", copied),
    "cut to a quarter": ("length", cut_short),
    "gripper stuck": ("gripper", gripper),
    "images late by 0.3 s": ("delay", delayed(0.3)),
    "images late by 0.5 s": ("delay", delayed(0.5)),
    "pose jumps 10 cm and stays": ("jump", jump_and_stay),
    "pose jumps 15 cm for one frame": ("jump", jump_and_back),
    "pause of 6 s": ("stall", stall),
    "tracking lost for 0.8 s": ("lost", lost),
}


def with_poses(episode: Episode, poses: NDArray[np.float32]) -> Episode:
    return replace(episode, vectors={**episode.vectors, EE_POSE: poses})


def at_frames(episode: Episode, frames: NDArray[np.intp]) -> Episode:
    parts: dict[str, Any] = {
        name: {key: values[frames] for key, values in getattr(episode, name).items()}
        for name in ("vectors", "images", "masks")
    }
    return replace(episode, **parts)


def middle(length: int, draw: Draw) -> int:
    """A frame that is not near the ends."""
    return int(draw.integers(length // 4, 3 * length // 4))


def direction(draw: Draw) -> NDArray[np.float64]:
    found: NDArray[np.float64] = draw.standard_normal(3)
    return found / np.linalg.norm(found)


if __name__ == "__main__":
    main()
