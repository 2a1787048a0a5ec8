"""Try policies in Fetch, from places of block and goal that no demonstration began with.

python examples/fetch/evaluate.py --policies runs/mip runs/glam --episodes 100 --out fetch.json
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from world import STEPS, FetchWorld

from glam.core.files import write_json
from glam.core.horizon import USUAL
from glam.interop.lerobot.live_pose import LivePose
from glam.policies import trained
from glam.statistics.intervals import newcombe, wilson

FIRST_TEST_SEED = 50_000_000


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


def attempt(world: FetchWorld, policy: trained.TrainedPolicy, seed: int) -> bool:
    """One episode: it succeeds when the block is at the goal at its end."""
    world.reset(seed)
    live_pose = LivePose(policy.interface.poses)
    rest: Any = ()
    for _ in range(0, STEPS, USUAL.execute):
        pictures = world.pictures()
        images = np.stack([pictures[name] for name in policy.interface.cameras])[None]
        pose = live_pose({"observation.tool": world.pose()})
        plan = USUAL.mixed(policy.act(images, pose[None], world.state()[None])[0], rest)
        for action in plan[: USUAL.execute]:
            world.step(action)
        rest = plan[USUAL.execute :]
    return world.is_success


def summary(name: str, outcomes: list[bool]) -> dict[str, Any]:
    interval = wilson(sum(outcomes), len(outcomes))
    low, high = 100 * interval.low, 100 * interval.high
    digits = "".join("01"[outcome] for outcome in outcomes)
    return {
        "policy": name,
        "successes": sum(outcomes),
        "episodes": len(outcomes),
        "low": low,
        "high": high,
        "outcomes": digits,
    }


if __name__ == "__main__":
    main()
