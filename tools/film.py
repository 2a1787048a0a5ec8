"""Make the film at the top of the README from finished runs of `glam demo`: `make film`.

    python tools/film.py docs/images/glam.webp film/pick-place demo

First part, one column for each demo: an episode of the hand-held gripper that the world model was not trained on, and
below it the arm that executes, open loop, the actions decoded from its latent actions. Second part: the policies of the
demos in unseen scenes. Shown are the first episodes and scenes that succeed, with the success rate in all scenes. Of a
demo that was stopped after the replay only the first part is shown.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import film_scenes
from film_drawing import TILE, Part, Tile, write_webp
from film_scenes import seen, smooth, world
from glam.core.files import read_json
from glam.data.cache import decoded
from glam.data.demonstrations import episodes_of
from glam.data.reader import Dataset
from glam.policies import trained
from glam.sim.embodiments import find_embodiment
from glam.sim.gl import choose_backend
from glam.sim.rollouts import Rollout, film, roll_out
from glam.sim.tasks import find_task
from glam.sim.world import World
from glam.stages.evaluate import guard
from glam.world_models.runs import decode_actions, label_episode, load, source_for
from glam_client.action_chunking import ActionChunking

Frames = list[NDArray[np.uint8]]

ROWS = 2
HELD_OUT = 0.1
"""Share of the demonstrations of each source that `glam demo` trains nothing on."""
GROUP = 10
"""Scenes that share batched policy calls, as in `glam evaluate`: rounding depends on the batch."""


@dataclass(frozen=True)
class DemoRuns:
    """The runs of one `glam demo`."""

    root: Path
    replay: dict[str, Any]
    evaluations: tuple[Path, ...]
    """Folder with the evaluation of the policy on latent actions; none if the demo was stopped before."""

    @classmethod
    def open(cls, root: Path) -> "DemoRuns":
        """Find the replay, and the evaluation of the policy that was trained on latent actions."""
        replays = [read_json(path) for path in sorted(root.glob("replay/*/replay.json"))]
        if not replays:
            sys.exit(f"{root}: holds no replay; run `glam demo --out {root}` first")
        evaluations = sorted(root.glob("evaluation/*/config.json"))
        latent = [path.parent for path in evaluations if read_json(path)["lineage"]["method"] == "latent"]
        return cls(root, replays[0], tuple(latent))

    @property
    def task(self) -> str:
        """Task of all runs."""
        return str(self.replay["config"]["task"])

    def only(self, pattern: str) -> Path:
        """The one folder that a pattern finds."""
        (found,) = self.root.glob(pattern)
        return found


@dataclass(frozen=True)
class PolicyRuns:
    """A policy of a demo, and how it was evaluated."""

    task: str
    folder: Path
    settings: dict[str, Any]
    demonstrations: tuple[int, int]
    """Labelled and hand-held ones that it was trained on."""
    episodes: list[dict[str, Any]]
    """Outcome of every test scene."""

    @classmethod
    def of(cls, runs: DemoRuns) -> "PolicyRuns":
        """The policy on latent actions."""
        (evaluation,) = runs.evaluations
        config, info = read_json(evaluation / "config.json"), read_json(evaluation / "eval_info.json")
        recorded = [len(Dataset.open(runs.only(f"data/*-{source}-*")).episodes) for source in ("kinova", "umi")]
        labelled, others = (count - max(1, round(HELD_OUT * count)) for count in recorded)
        folder = runs.only("policy/latent-*")
        return cls(runs.task, folder, config["evaluate"], (labelled, others), info["per_episode"])

    @property
    def words(self) -> str:
        """Success in all test scenes."""
        return f"{sum(one['success'] for one in self.episodes)} of {len(self.episodes)}"


def main(target: Path, roots: Sequence[Path]) -> None:
    choose_backend()
    runs = [DemoRuns.open(root) for root in roots]
    policies = [PolicyRuns.of(one) for one in runs if one.evaluations]
    parts = [transfer_part(runs), *([policy_part(policies, len(runs))] if policies else [])]
    write_webp(target, parts)
    print(f"{target}: {target.stat().st_size / 1e6:.2f} MB")


def transfer_part(runs: Sequence[DemoRuns]) -> Part:
    """Hand-held gripper above, the arm below."""
    pairs = [transfer(one) for one in runs]
    above = [Tile(frames, one.task) for one, (frames, _) in zip(runs, pairs, strict=True)]
    below = [Tile(frames, one.task) for one, (_, frames) in zip(runs, pairs, strict=True)]
    return Part(
        "1. One latent action space for a hand-held gripper and a robot arm",
        (
            ("Recorded with a hand-held gripper: video and gripper pose, no actions", above),
            ("The arm executes the actions that GLAM decodes from it, open loop", below),
        ),
    )


def policy_part(policies: Sequence[PolicyRuns], columns: int) -> Part:
    """The policies in unseen scenes, equally many of each, in two rows."""
    scenes = ROWS * columns // len(policies)
    tiles = [Tile(frames, one.task) for one in policies for frames in policy_films(one, scenes)]
    rates = ", ".join(f"{one.words} ({one.task})" for one in policies)
    labelled, others = policies[0].demonstrations
    words = [f"Scenes that it has never seen; it succeeds in {rates}", *["More scenes"] * (ROWS - 1)]
    rows = [tiles[first::ROWS] for first in range(ROWS)]
    title = f"2. A policy trained on {labelled} labelled and {others} hand-held demonstrations"
    return Part(title, tuple(zip(words, rows, strict=True)))


def transfer(runs: DemoRuns) -> tuple[Frames, Frames]:
    """Films of the first held-out episode whose replay succeeds: as recorded, and on the arm."""
    chosen = next((one for one in runs.replay["episodes"] if one["is_success"]), runs.replay["episodes"][0])
    dataset = Dataset.open(runs.only("data/*-umi-*"))
    model = load(runs.only("world-model/*"))
    frames = decoded(dataset, model.interface.pixels)
    rows = episodes_of(frames.episodes)[chosen["episode"]]
    latents = label_episode(model, source_for(model, str(dataset.root), frames), rows)
    recorded = demonstration(runs.task, chosen["seed"], frames.ee_pose[rows])
    return recorded, acted(runs.task, chosen["seed"], decode_actions(model, latents))


def demonstration(task: str, seed: int, recorded: NDArray[np.float32]) -> Frames:
    """The scripted demonstration once more, larger; its path must be the recorded one."""
    filmed = world(task, "umi", TILE)
    frames, poses = zip(*film_scenes.demonstration(filmed, seed), strict=True)
    filmed.close()
    assert np.allclose(np.array(poses), recorded, atol=1e-5), f"{task}, seed {seed}: not the recorded episode"
    return list(frames)


def acted(task: str, seed: int, actions: NDArray[np.float32]) -> Frames:
    """Actions executed by the arm, open loop."""
    with_arm = world(task, "kinova", TILE)
    with_arm.reset(seed)
    frames = [seen(with_arm)]
    for action in actions:
        with_arm.step(action.astype(np.float64))
        frames.append(seen(with_arm))
    with_arm.close()
    return frames


def policy_films(policy: PolicyRuns, count: int) -> list[Frames]:
    """Films of the first test scenes in which the policy succeeds."""
    large = world(policy.task, "kinova", TILE)
    chosen = list(islice(successes(policy), count))
    if len(chosen) < count:
        sys.exit(f"{policy.folder}: the policy succeeds in fewer than {count} scenes")
    films = [[smooth(views) for views in film(large, rollout)] for rollout in chosen]
    large.close()
    return films


def successes(policy: PolicyRuns) -> Iterator[Rollout]:
    """Successful rollouts in the test scenes, tried in the groups of `glam evaluate`."""
    chunking = ActionChunking(policy.settings["n_action_steps"], policy.settings["temporal_ensemble_weight"])
    acting = trained.load(policy.folder)
    seeds = [one["seed"] for one in policy.episodes]
    worlds = [World(find_task(policy.task), find_embodiment("kinova")) for _ in range(GROUP)]
    for first in range(0, len(seeds), GROUP):
        group = seeds[first : first + GROUP]
        rollouts = roll_out(worlds[: len(group)], group, acting.act, chunking, guard)
        yield from (rollout for rollout in rollouts if rollout.is_success)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
