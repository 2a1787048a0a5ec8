"""Drive the simulated Kinova with ACT's latent actions, decoded by the world model, behind the safety filter.

python examples/act_on_latents/drive.py stack-two --policy runs/act --world-model runs/world-model
"""

import argparse
from pathlib import Path

from decoded import decoded
from record import write_record

from glam.core.simulated import FIRST_VALIDATION_SEED
from glam.sim.embodiments import find_embodiment
from glam.sim.rollouts import Rollout, roll_out
from glam.sim.tasks import find_task
from glam.sim.world import World
from glam.stages.evaluate import guard
from glam_client.action_chunking import ActionChunking


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("task")
    parser.add_argument("--policy", type=Path, required=True)
    parser.add_argument("--world-model", type=Path, required=True)
    parser.add_argument("--episodes", type=int, default=10)
    parser.add_argument("--json", type=Path, help="write what came of every episode into this file too")
    told = parser.parse_args()
    rollouts = drive(told)
    successes = sum(rollout.is_success for rollout in rollouts)
    print(f"success {successes} of {len(rollouts)}")
    if told.json:
        episodes = [{"seed": each.seed, "is_success": each.is_success, "steps": each.steps} for each in rollouts]
        write_record(told.json, told.policy, {"task": told.task, "successes": successes, "episodes": episodes})


def drive(told: argparse.Namespace) -> list[Rollout]:
    act = decoded(told.policy, told.world_model)
    seeds = range(FIRST_VALIDATION_SEED, FIRST_VALIDATION_SEED + told.episodes)  # scenes that nothing was trained on
    worlds = [World(find_task(told.task), find_embodiment("kinova")) for _ in seeds]
    return roll_out(worlds, seeds, act, ActionChunking(), guard)


if __name__ == "__main__":
    main()
