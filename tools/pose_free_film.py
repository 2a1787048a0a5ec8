"""Make the film of a set without poses, from two clicks in each view to a policy: `make film-tracks`.

    python tools/pose_free_film.py docs/images/tracks.webp film/tracks

Runs everything below the second folder, or goes on where it stopped: records a robot with poses and tracks and a
hand-held gripper as video alone, clicks once on its fingertips, follows them with `glam data tracks`, trains both
stages, replays and evaluates; the policy is given no tracks. A click is put where the simulator has the fingertip, as
a user would. `--labelled`, `--others`, `--trials` and `--preset` make it smaller or larger; at the defaults it takes
about half an hour.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from film import Frames, acted, policy_films
from film import PolicyRuns as Policy
from film_drawing import TILE, Part, Tile, write_webp
from glam.core.files import read_json, write_json
from glam.data.cache import decoded
from glam.data.demonstrations import episodes_of
from glam.data.reader import Dataset
from glam.data.schema import IMAGE_PREFIX
from glam.data.tracks import EE_TRACKS, points_of
from glam.interop.trackers.clicks import read_clicks
from glam.recipes import policy, world_model
from glam.reports.films import enlarged
from glam.reports.track_images import with_tracks
from glam.sim.gl import choose_backend
from glam.stages.collect import CollectConfig, collect
from glam.stages.evaluate import EvaluateConfig, evaluate
from glam.stages.policy_inputs import Inputs
from glam.stages.replay import ReplayConfig, replay_dataset
from glam.stages.tracks import track_by_clicks
from glam.stages.train_policy import train_policy
from glam.stages.train_world_model import train_world_model
from glam.world_models.runs import decode_actions, label_episode, load, source_for

TASK = "stack-two"
EDGE = 0.1
"""Share of the image: a user clicks in a frame in which the hand is well inside."""
STILL = 18
"""Frames for which the clicked image is shown."""


@dataclass(frozen=True)
class Size:
    """Amounts of everything."""

    labelled: int
    others: int
    trials: int
    preset: str


@dataclass(frozen=True)
class Runs:
    """Folders of everything that is made."""

    root: Path
    size: Size

    @property
    def footage(self) -> Dataset:
        """The videos with the tracks that were found."""
        return Dataset.open(self.root / "tracked")

    def make(self) -> None:
        """Make what is missing."""
        gripper = CollectConfig(TASK, "umi", 100_000, has_pose=False)
        target = self.root / "robot"
        collect(CollectConfig(TASK, "kinova", has_tracks=True), target, self.size.labelled)
        collect(gripper, self.root / "footage", self.size.others)
        cameras = self._click()
        footage = Dataset.open(self.root / "footage")
        clicks = read_clicks(self.root / "clicks.json", footage, cameras)
        track_by_clicks(footage.root, self.root / "tracked", clicks, cameras)
        recipe = world_model("glam-o", self.size.preset)  # type: ignore[arg-type]
        model = train_world_model(recipe, target, [self.root / "tracked"], self.root / "world-model")
        replay_dataset(ReplayConfig(TASK), model, self.root / "tracked", self.root / "replay")
        inputs = Inputs(target, (self.root / "tracked",), model)
        trained = train_policy(policy("latent", self.size.preset), inputs, self.root / "policy")  # type: ignore[arg-type]
        trials = EvaluateConfig(TASK, episodes=self.size.trials, films=0)
        evaluate(trials, trained, self.root / "evaluation", without=("tracks",))

    def _click(self) -> tuple[str, ...]:
        """Write a click on both fingertips in every camera; returns the cameras."""
        shown = CollectConfig(TASK, "umi", 100_000, has_pose=False, has_tracks=True)
        collect(shown, self.root / "clicked", 1, workers=1)
        dataset = Dataset.open(self.root / "clicked")
        places, seen = points_of(dataset.vectors(0)[EE_TRACKS])
        clicks = []
        for number, camera in enumerate(dataset.schema.cameras):
            pair = slice(2 * number, 2 * number + 2)
            inside = ((places[:, pair] > EDGE) & (places[:, pair] < 1.0 - EDGE)).all((1, 2))
            frame = int(np.flatnonzero(seen[:, pair].all(1) & inside)[0])
            height, width = dataset.schema.image_size
            left, right = (places[frame, pair] * [width, height]).round(1).tolist()
            clicks.append({"episode": 0, "camera": camera, "frame": frame, "left": left, "right": right})
        write_json(self.root / "clicks.json", {"clicks": clicks})
        return dataset.schema.cameras


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("film", type=Path)
    parser.add_argument("root", type=Path)
    parser.add_argument("--labelled", type=int, default=100)
    parser.add_argument("--others", type=int, default=400)
    parser.add_argument("--trials", type=int, default=50)
    parser.add_argument("--preset", default="cpu")
    flags = parser.parse_args()
    choose_backend()
    runs = Runs(flags.root, Size(flags.labelled, flags.others, flags.trials, flags.preset))
    runs.make()
    write_webp(flags.film, [clicks_part(runs), tracks_part(runs), replay_part(runs), policy_part(runs)])
    print(f"{flags.film}: {flags.film.stat().st_size / 1e6:.2f} MB")


def clicks_part(runs: Runs) -> Part:
    """The clicked images."""
    found = read_json(runs.root / "clicks.json")["clicks"]
    tiles = [Tile([view(runs, 0, one["camera"])[one["frame"]]] * STILL, one["camera"]) for one in found]
    title = "1. Videos of a hand-held gripper without any pose: two clicks in each view"
    return Part(title, (("One frame of one episode", tiles),))


def tracks_part(runs: Runs) -> Part:
    """Fingertips in an episode without clicks."""
    cameras = runs.footage.schema.cameras
    tiles = [Tile(list(view(runs, 1, camera)), camera) for camera in cameras]
    return Part("2. Fingertips followed", (("An episode without clicks; dim where a fingertip is hidden", tiles),))


def replay_part(runs: Runs) -> Part:
    """An episode that the world model was not trained on, and the arm that repeats it."""
    episodes = read_json(runs.root / "replay" / "replay.json")["episodes"]
    chosen = next((one for one in episodes if one["is_success"]), episodes[0])
    dataset, model = runs.footage, load(runs.root / "world-model")
    frames = decoded(dataset, model.interface.pixels)
    rows = episodes_of(frames.episodes)[chosen["episode"]]
    latents = label_episode(model, source_for(model, str(dataset.root), frames), rows)
    arm = acted(TASK, chosen["seed"], decode_actions(model, latents))
    tiles = [Tile(list(view(runs, chosen["episode"], "front")), "recorded"), Tile(arm, "the arm, open loop")]
    count = sum(one["is_success"] for one in episodes)
    words = f"Actions decoded from the tracks; {count} of {len(episodes)} held-out episodes succeed"
    return Part("3. The world model", ((words, tiles),))


def policy_part(runs: Runs) -> Part:
    """The policy in unseen scenes."""
    folder = runs.root / "evaluation"
    config, info = read_json(folder / "config.json"), read_json(folder / "eval_info.json")
    learnt = (runs.size.labelled, runs.size.others)
    acting = Policy(TASK, runs.root / "policy", config["evaluate"], learnt, info["per_episode"])
    tiles: list[Tile] = [Tile(frames, "an unseen scene") for frames in policy_films(acting, 2)]
    words = f"Trained on {learnt[0]} labelled and {learnt[1]} pose-free demonstrations; {acting.words} scenes succeed"
    return Part("4. The policy, without tracks", ((words, tiles),))


def view(runs: Runs, episode: int, camera: str) -> Frames:
    """Images (T, Y, X, 3) of an episode with its fingertips, as large as a tile is high."""
    dataset = runs.footage
    images = dataset.images(episode, IMAGE_PREFIX + camera)
    times = max(1, TILE[0] // images.shape[1])
    tracks = dataset.vectors(episode)[EE_TRACKS]
    return list(with_tracks(enlarged(images, times), tracks, dataset.schema, camera))


if __name__ == "__main__":
    main()
