"""Poses of own frames and with errors, brought into the target's frame by what hands carry: how near do they come?

    python -m benchmarks.alignment --out docs/results/alignment.json

Records demonstrations of the robot and of the hand-held gripper, whose poses get the errors of each tracker.
Measures how far `glam data align` leaves them from the true ones, and which case `glam data check` takes them for.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from benchmarks.conditions import conditions

from glam.core.geometry import rotation_from_six
from glam.data.aligned_copy import aligned
from glam.data.carried_objects import HandPath, paths_of
from glam.data.matching.pose_frames import frame_of
from glam.data.reader import Dataset
from glam.sim.sensors import Tracker
from glam.stages.collect import CollectConfig, collect

TASKS = ("lift", "pick-place", "stack-two")
EPISODES = 25
TRACKERS = {
    "exact": Tracker(),
    "20 mm and 5 degrees per episode": Tracker(20.0, 5.0),
    "tool off by 30 mm and 10 degrees": Tracker(tool_offset_mm=30.0, tool_turn_degrees=10.0),
    "own frame": Tracker(has_own_frame=True),
    "own frame, wrong tool, other gripper units": Tracker(
        tool_offset_mm=30.0, tool_turn_degrees=10.0, has_own_frame=True, gripper_readings=(0.2, 0.6)
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("docs/results/alignment.json"))
    out = parser.parse_args().out
    with tempfile.TemporaryDirectory() as folder:
        found = {task: dict(measured(task, Path(folder))) for task in TASKS}
    out.write_text(json.dumps({"episodes": EPISODES, "tasks": found, "conditions": conditions()}, indent=1) + "\n")
    print(out)


def measured(task: str, folder: Path) -> Iterator[tuple[str, dict[str, object]]]:
    target, true = (recorded(task, embodiment, folder) for embodiment in ("kinova", "umi"))
    for words, tracker in TRACKERS.items():
        told = [with_errors(path, tracker, seed) for seed, path in enumerate(true)]
        poses, _ = aligned(target, told)
        before, after = (errors(part, true) for part in ([path.poses for path in told], poses))
        yield words, {"case": frame_of(target, told).case, "before": before, "after": after}
        print(task, words, frame_of(target, told).case, before, after, flush=True)


def recorded(task: str, embodiment: str, folder: Path) -> list[HandPath]:
    seed = 100_000 if embodiment == "umi" else 0
    root = collect(CollectConfig(task, embodiment, seed), folder / f"{task}-{embodiment}", EPISODES, workers=1).root
    dataset = Dataset.open(root)
    return paths_of(dataset, dataset.schema.cameras, range(EPISODES))


def with_errors(path: HandPath, tracker: Tracker, seed: int) -> HandPath:
    return replace(path, poses=tracker.measured(path.poses.astype(np.float32), seed).astype(np.float64))


def errors(found: list[np.ndarray], true: list[HandPath]) -> dict[str, float]:
    """Medians over episodes, and the tenth-worst share in millimetres."""
    far = [1000.0 * np.linalg.norm(a[:, :3] - b.poses[:, :3], axis=1).mean() for a, b in zip(found, true, strict=True)]
    turns = [
        rotation_from_six(a[:1, 3:9].astype(np.float64))[0].T @ rotation_from_six(b.poses[:1, 3:9])[0]
        for a, b in zip(found, true, strict=True)
    ]
    degrees = [np.degrees(np.arccos(np.clip((np.trace(turn) - 1.0) / 2.0, -1.0, 1.0))) for turn in turns]
    grip = [np.abs(a[:, 9] - b.poses[:, 9]).mean() for a, b in zip(found, true, strict=True)]
    values = {
        "mm": np.median(far),
        "mm_p90": np.quantile(far, 0.9),
        "degrees": np.median(degrees),
        "opening": np.median(grip),
    }
    return {name: round(float(value), 3) for name, value in values.items()}


if __name__ == "__main__":
    main()
