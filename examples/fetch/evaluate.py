"""Try policies in Fetch, from places of block and goal that no demonstration began with.

python examples/fetch/evaluate.py --policies runs/mip runs/glam --episodes 100 --out fetch.json
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from world import STEPS, FetchWorld

from glam.core.files import write_json
from glam.evaluation.statistics import newcombe, wilson
from glam.policies import trained
from glam_client.action_chunking import DEFAULT_CHUNKING
from glam_client.live_pose import LivePose

FIRST_TEST_SEED = 50_000_000
NEAR = 0.03
"""Metres between fingertips and the middle of the block, whose side is 5 cm."""
IN_THE_AIR = 0.03
"""Metres above where the block lies, from which on a goal cannot be reached by pushing."""


@dataclass(frozen=True)
class Outcome:
    """How an episode went."""

    is_success: bool
    is_in_the_air: bool
    """The goal."""
    came_near: bool
    """The hand to the block, at any time."""
    holds: bool
    """The hand is at the block at the end."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--policies", type=Path, nargs="+", required=True)
    parser.add_argument("--episodes", type=int, default=100)
    parser.add_argument("--out", type=Path, required=True)
    told = parser.parse_args()
    world, results = FetchWorld(), list[dict[str, Any]]()
    for root in told.policies:
        policy = trained.load(root)
        outcomes = [attempt(world, policy, FIRST_TEST_SEED + i) for i in range(told.episodes)]
        results.append(summary(root.name, outcomes))
        print("{policy}: {successes} of {episodes}, 95 % interval {low:.1f} to {high:.1f} %".format(**results[-1]))
        write_json(told.out, {"first_seed": FIRST_TEST_SEED, "policies": results})
    world.close()
    first, *others = results
    for one in others:
        gap = newcombe(one["successes"], one["episodes"], first["successes"], first["episodes"])
        print(f"{one['policy']} - {first['policy']}: {100 * gap.estimate:+.1f} points ", end="")
        print(f"[{100 * gap.low:.1f}, {100 * gap.high:.1f}]")


def attempt(world: FetchWorld, policy: trained.TrainedPolicy, seed: int) -> Outcome:
    """One episode: it succeeds when the block is at the goal at its end."""
    world.reset(seed)
    is_in_the_air = bool(world.goal[2] > world.block[2] + IN_THE_AIR)
    near = list[bool]()
    live_pose = LivePose(policy.interface.poses)
    rest: Any = ()
    for _ in range(0, STEPS, DEFAULT_CHUNKING.n_action_steps):
        images = world.images()
        images = np.stack([images[name] for name in policy.interface.cameras])[None]
        pose = live_pose({"observation.tool": world.pose()})
        plan = DEFAULT_CHUNKING.mixed(policy.act(images, pose[None], world.state()[None])[0], rest)
        for action in plan[: DEFAULT_CHUNKING.n_action_steps]:
            world.step(action)
            near.append(bool(np.linalg.norm(world.hand - world.block) < NEAR))
        rest = plan[DEFAULT_CHUNKING.n_action_steps :]
    return Outcome(world.is_success, is_in_the_air, any(near), near[-1])


def summary(name: str, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    successes = sum(one.is_success for one in outcomes)
    interval = wilson(successes, len(outcomes))
    return {
        "policy": name,
        "successes": successes,
        "episodes": len(outcomes),
        "low": 100 * interval.low,
        "high": 100 * interval.high,
        "outcomes": "".join("01"[one.is_success] for one in outcomes),
        "came_near": sum(one.came_near for one in outcomes),
        "holds": sum(one.holds for one in outcomes),
        "goals": {
            "on the table": _reached([one for one in outcomes if not one.is_in_the_air]),
            "in the air": _reached([one for one in outcomes if one.is_in_the_air]),
        },
    }


def _reached(outcomes: Sequence[Outcome]) -> dict[str, int]:
    return {"successes": sum(one.is_success for one in outcomes), "episodes": len(outcomes)}


if __name__ == "__main__":
    main()
