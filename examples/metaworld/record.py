"""Record demonstrations in Meta-World as robomimic files, with masks: of the robot, or of a hand alone without labels.

python examples/metaworld/record.py robot --episodes 100 --out recorded/robot.hdf5
python examples/metaworld/record.py hand --episodes 400 --out recorded/hand.hdf5
"""

import argparse
import json
from contextlib import closing
from pathlib import Path

import h5py
import numpy as np
from metaworld.policies.sawyer_pick_place_v3_policy import SawyerPickPlaceV3Policy
from world import FPS, HAND_HELD, ROBOT, STEPS, MetaWorld

FIRST_SEED = {"robot": 0, "hand": 100_000}
HELD = 10
"""Actions at the goal after which an episode ends: a policy has to be shown that it stops there."""
ENVIRONMENT = {
    "env_name": "Lift the red puck to the blue ball.",
    "env_kwargs": {"control_freq": FPS, "robots": "sawyer", "controller_configs": {"control_delta": True}},
}
Row = dict[str, np.ndarray]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("demonstrator", choices=FIRST_SEED)
    parser.add_argument("--episodes", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    told = parser.parse_args()
    record(told.demonstrator, told.episodes, told.out)
    print(told.out)


def record(demonstrator: str, episodes: int, out: Path) -> None:
    """Write demonstrations that succeeded."""
    is_robot = demonstrator == "robot"
    out.parent.mkdir(parents=True, exist_ok=True)
    with closing(MetaWorld(ROBOT if is_robot else HAND_HELD)) as world, h5py.File(out, "w") as file:
        data, seed, total = file.create_group("data"), FIRST_SEED[demonstrator], 0
        while len(data) < episodes:
            rows = demonstrate(world, seed)
            if rows:
                demo = data.create_group(f"demo_{len(data)}")
                total += len(rows)
                demo.attrs["num_samples"] = len(rows)
                for key in rows[0]:
                    if is_robot or key not in {"actions", "obs/robot0_joint_pos"}:
                        demo.create_dataset(key, data=np.stack([row[key] for row in rows]), compression="gzip")
                print(f"\r{len(data)} of {episodes} episodes", end="", flush=True)
            seed += 1
        data.attrs["total"] = total
        data.attrs["env_args"] = json.dumps(ENVIRONMENT)
    print()


def demonstrate(world: MetaWorld, seed: int) -> list[Row]:
    """Rows of one episode by Meta-World's own scripted policy, with wobble; empty when it did not succeed."""
    world.reset(seed)
    policy, numbers, rows, held = SawyerPickPlaceV3Policy(), np.random.default_rng(seed), list[Row](), 0
    wobble = numbers.uniform(0.02, 0.08)
    while len(rows) < STEPS and held < HELD:
        action = np.clip(policy.get_action(world.seen), -1.0, 1.0)
        action[:3] = np.clip(action[:3] + numbers.normal(0.0, wobble, 3), -1.0, 1.0)
        rows.append(observed(world) | {"actions": action.astype(np.float32)})
        world.step(action)
        held = held + 1 if world.is_success else 0
    return rows if held == HELD else []


def observed(world: MetaWorld) -> Row:
    """Observations by the names of robomimic."""
    seen = world.readings()
    seen |= {f"{name}_image": image for name, image in world.images().items()}
    seen |= {f"{name}_masks": mask for name, mask in world.masks().items()}
    return {f"obs/{name}": value for name, value in seen.items()}


if __name__ == "__main__":
    main()
