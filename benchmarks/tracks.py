"""Fingertip tracks from clicks against the simulator's, in pixels.

    python -m benchmarks.tracks

Records a few episodes of each hand at each image size, clicks on both fingertips in one frame of the first episode,
and lets `glam data tracks` follow them; all other episodes are found by the look of the clicked one. A click is half a
pixel off. Errors are of the points that both see. Fingers count as closed while the opening is less than two thirds of
the largest one of the episode.
"""

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.conditions import conditions
from numpy.typing import NDArray

from glam.core import files
from glam.data.reader import Dataset
from glam.data.schema import EE_POSE, GRIPPER
from glam.data.tracks import EE_TRACKS, points_of
from glam.interop.trackers.clicks import Click, Clicks
from glam.sim.embodiments import find_embodiment
from glam.stages.collect import CollectConfig, collect
from glam.stages.tracks import track_by_clicks

EDGE = 0.1
"""Share of the image: a user clicks in a frame in which the hand is well inside."""
OFF = 0.5
"""Pixels, standard deviation of a click."""
CLOSED = 2.0 / 3.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default="stack-two")
    parser.add_argument("--embodiments", nargs="+", default=["umi", "human-hand"])
    parser.add_argument("--sizes", type=int, nargs="+", default=[96, 192])
    parser.add_argument("--episodes", type=int, default=4)
    parser.add_argument("--out", type=Path, default=Path("docs/results/tracks.json"))
    flags = parser.parse_args()
    found = []
    for embodiment in flags.embodiments:
        for size in flags.sizes:
            with tempfile.TemporaryDirectory() as folder:
                found += measured(Path(folder), flags.task, embodiment, size, flags.episodes)
    record = {"task": flags.task, "episodes": flags.episodes, "click_px": OFF, "views": found}
    files.write_json(flags.out, record | conditions("mujoco", "numpy"))


def measured(folder: Path, task: str, embodiment: str, size: int, episodes: int) -> list[dict[str, Any]]:
    """Errors in pixels, and how often seen points are seen and hidden ones told so, for each camera."""
    first = find_embodiment(embodiment).first_seed
    config = CollectConfig(task, embodiment, first, image_size=size, has_tracks=True)
    collect(config, folder / "set", episodes, workers=1)
    dataset = Dataset.open(folder / "set")
    cameras = dataset.schema.cameras
    clicks = Clicks(tuple(click(dataset, number, size) for number in range(len(cameras))))
    made = track_by_clicks(dataset.root, folder / "copy", clicks, cameras)
    copy, views = Dataset.open(folder / "copy"), []
    for number, camera in enumerate(cameras):
        parts = [compared(copy, dataset, index, number, size) for index in range(episodes)]
        error, ours, theirs, is_closed = (np.concatenate(part) for part in zip(*parts, strict=True))
        both, closed = ours & theirs, theirs & is_closed
        views.append(
            {"embodiment": embodiment, "pixels": size, "camera": camera}
            | {
                "median_px": round(float(np.median(error[both])), 2),
                "p95_px": round(float(np.quantile(error[both], 0.95)), 2),
                "within_2_px": round(float((error[both] < 2.0).mean()), 3),
                "seen_of_visible": round(float(ours[theirs].mean()), 3),
                "seen_of_visible_when_closed": round(float(ours[closed].mean()), 3),
                "seen_of_hidden": round(float(ours[~theirs].mean()), 3),
                "points": int(both.sum()),
                "ms_per_image": round(1000 * made.seconds / made.made, 1),
            }
        )
        print(json.dumps(views[-1]), flush=True)
    return views


def compared(
    copy: Dataset, dataset: Dataset, index: int, camera: int, size: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Of both tips (T, 2) in an episode: error, whether we see it, whether it is visible, and closed fingers."""
    pair = slice(2 * camera, 2 * camera + 2)
    (found, ours), (true, theirs) = (points_of(one.vectors(index)[EE_TRACKS]) for one in (copy, dataset))
    opening = dataset.vectors(index)[EE_POSE][:, [GRIPPER]].repeat(2, axis=1)
    error = size * np.linalg.norm(found[:, pair] - true[:, pair], axis=-1)
    return error, ours[:, pair], theirs[:, pair], opening < CLOSED * opening.max()


def click(dataset: Dataset, camera: int, size: int) -> Click:
    """Both fingertips, in the first frame of the first episode in which they show well inside the image."""
    places, seen = points_of(dataset.vectors(0)[EE_TRACKS])
    pair = slice(2 * camera, 2 * camera + 2)
    inside = ((places[:, pair] > EDGE) & (places[:, pair] < 1.0 - EDGE)).all((1, 2))
    frame = int(np.flatnonzero(seen[:, pair].all(1) & inside)[0])
    off = OFF * np.random.default_rng(camera).standard_normal((2, 2))
    left, right = (size * places[frame, pair].astype(float) + off).tolist()
    return Click(0, dataset.schema.cameras[camera], tuple(left), tuple(right), frame)


if __name__ == "__main__":
    main()
