"""Fingertip tracks from clicks against the simulator's, in pixels.

    python -m benchmarks.tracks

Records a few episodes of `umi` at each image size, clicks on the true fingertips of the first episode, and lets
`glam data tracks` follow them; all other episodes are found by their look. Errors are of the points that both see.
"""

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.conditions import conditions

from glam.core import files
from glam.data.reader import Dataset
from glam.data.tracks import EE_TRACKS, points_of
from glam.interop.trackers.clicks import Click, Clicks
from glam.stages.collect import CollectConfig, collect
from glam.stages.tracks import track_by_clicks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default="stack-two")
    parser.add_argument("--sizes", type=int, nargs="+", default=[96, 192])
    parser.add_argument("--episodes", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path("docs/results/tracks.json"))
    flags = parser.parse_args()
    sizes = []
    for size in flags.sizes:
        with tempfile.TemporaryDirectory() as folder:
            sizes.append({"pixels": size} | measured(Path(folder), flags.task, size, flags.episodes))
        print(json.dumps(sizes[-1]))
    record = {"task": flags.task, "embodiment": "umi", "episodes": flags.episodes, "sizes": sizes}
    files.write_json(flags.out, record | conditions("mujoco", "numpy", "scipy"))


def measured(folder: Path, task: str, size: int, episodes: int) -> dict[str, Any]:
    """Errors in pixels, and how often seen points are seen and hidden ones told so."""
    collect(CollectConfig(task, "umi", 100_000, image_size=size, has_tracks=True), folder / "set", episodes, workers=1)
    dataset = Dataset.open(folder / "set")
    cameras = dataset.schema.cameras
    clicks = Clicks(tuple(click(dataset, number, size) for number in range(len(cameras))))
    made = track_by_clicks(dataset.root, folder / "copy", clicks, cameras)
    copy, parts = Dataset.open(folder / "copy"), []
    for index in range(episodes):
        (found, ours), (true, theirs) = (points_of(one.vectors(index)[EE_TRACKS]) for one in (copy, dataset))
        parts.append((size * np.linalg.norm(found - true, axis=-1), ours, theirs))
    errors, ours, theirs = (np.concatenate(part) for part in zip(*parts, strict=True))
    both = ours & theirs
    return {
        "median_px": round(float(np.median(errors[both])), 2),
        "within_2_px": round(float((errors[both] < 2.0).mean()), 3),
        "seen_of_visible": round(float(ours[theirs].mean()), 3),
        "seen_of_hidden": round(float(ours[~theirs].mean()), 3),
        "ms_per_image": round(1000 * made.seconds / made.made, 1),
    }


def click(dataset: Dataset, camera: int, size: int) -> Click:
    """Both true fingertips in the first frame of the first episode in which they show."""
    places, seen = points_of(dataset.vectors(0)[EE_TRACKS])
    pair = slice(2 * camera, 2 * camera + 2)
    frame = int(np.flatnonzero(seen[:, pair].all(1))[0])
    left, right = (size * places[frame, pair].astype(float)).tolist()
    return Click(0, dataset.schema.cameras[camera], tuple(left), tuple(right), frame)


if __name__ == "__main__":
    main()
