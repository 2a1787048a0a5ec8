"""Try policies in Meta-World, from places of puck and goal that no demonstration began with.

python examples/metaworld/evaluate.py --policies runs/mip runs/glam-o runs/retarget --episodes 100 --out metaworld.json
"""

import argparse
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from world import STEPS, MetaWorld

from glam.core.files import write_json
from glam.evaluation.statistics import newcombe, wilson
from glam.policies import trained
from glam_client.action_chunking import DEFAULT_CHUNKING
from glam_client.live_pose import LivePose

FIRST_TEST_SEED = 50_000_000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--policies", type=Path, nargs="+", required=True)
    parser.add_argument("--episodes", type=int, default=100)
    parser.add_argument("--out", type=Path, required=True)
    told = parser.parse_args()
    results = list[dict[str, Any]]()
    with closing(MetaWorld()) as world:
        for root in told.policies:
            policy = trained.load(root)
            outcomes = [attempt(world, policy, FIRST_TEST_SEED + i) for i in range(told.episodes)]
            results.append(summary(root.name, outcomes))
            print("{policy}: {successes} of {episodes}, 95 % interval {low:.1f} to {high:.1f} %".format(**results[-1]))
            write_json(told.out, {"first_seed": FIRST_TEST_SEED, "policies": results})
    first, *others = results
    for one in others:
        gap = newcombe(one["successes"], one["episodes"], first["successes"], first["episodes"])
        print(f"{one['policy']} - {first['policy']}: {100 * gap.estimate:+.1f} points ", end="")
        print(f"[{100 * gap.low:.1f}, {100 * gap.high:.1f}]")


def attempt(world: MetaWorld, policy: trained.TrainedPolicy, seed: int) -> bool:
    """One episode: it succeeds when the puck is at the goal at its end."""
    world.reset(seed)
    live_pose, rest = LivePose(policy.interface.poses), ()
    for _ in range(0, STEPS, DEFAULT_CHUNKING.n_action_steps):
        seen, images = world.readings(), world.images()
        pose = live_pose({name: seen[name] for name in live_pose.recipe.features})
        state = np.array([*seen["robot0_joint_pos"], pose[-1]], np.float32)
        shown = np.stack([images[name] for name in policy.interface.cameras])
        plan = DEFAULT_CHUNKING.mixed(policy.act(shown[None], pose[None], state[None])[0], rest)
        for action in plan[: DEFAULT_CHUNKING.n_action_steps]:
            world.step(action)
        rest = plan[DEFAULT_CHUNKING.n_action_steps :]
    return world.is_success


def summary(name: str, outcomes: list[bool]) -> dict[str, Any]:
    interval = wilson(sum(outcomes), len(outcomes))
    return {
        "policy": name,
        "successes": sum(outcomes),
        "episodes": len(outcomes),
        "low": 100 * interval.low,
        "high": 100 * interval.high,
        "outcomes": "".join("01"[one] for one in outcomes),
    }


if __name__ == "__main__":
    main()
