"""Record demonstrations in Fetch with the LeRobot library: of the robot, with labels, or of a hand alone, without.

python examples/fetch/record.py robot --episodes 100 --out recorded/fetch
python examples/fetch/record.py hand --episodes 400 --out recorded/hand
"""

import argparse
from pathlib import Path
from typing import Any

from expert import demonstrate
from lerobot.datasets.lerobot_dataset import LeRobotDataset
from world import CAMERAS, FPS, HAND_HELD, JOINTS, ROBOT, FetchWorld

POSE = ("x", "y", "z", "qx", "qy", "qz", "qw", "gripper")
ACTION = ("dx", "dy", "dz", "fingers")
FIRST_SEED = {"robot": 0, "hand": 100_000}
TASK = "Lift the black block to the red ball."


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("demonstrator", choices=FIRST_SEED)
    parser.add_argument("--episodes", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    told = parser.parse_args()
    kept = record(told.demonstrator, told.episodes, told.out)
    print(f"{kept} frames in {told.out}")


def record(demonstrator: str, episodes: int, out: Path) -> int:
    """Demonstrations that succeeded; returns how many frames they have."""
    is_robot = demonstrator == "robot"
    world = FetchWorld(ROBOT if is_robot else HAND_HELD)
    dataset = LeRobotDataset.create(
        f"fetch/{demonstrator}",
        fps=FPS,
        features=features(is_robot=is_robot),
        root=out,
        robot_type=demonstrator,
        vcodec="h264",
    )
    seed = FIRST_SEED[demonstrator]
    while dataset.num_episodes < episodes:
        rows = demonstrate(world, seed)
        for row in rows:
            dataset.add_frame(frame(row, is_robot=is_robot))
        if rows:
            dataset.save_episode()
            print(f"\r{dataset.num_episodes} of {episodes} episodes", end="", flush=True)
        seed += 1
    print()
    world.close()
    dataset.finalize()
    return dataset.num_frames


def features(*, is_robot: bool) -> dict[str, Any]:
    """Images and the pose of the tool; of the robot its joints and actions besides."""
    size = {"dtype": "video", "shape": (96, 96, 3), "names": ["height", "width", "channels"]}
    found: dict[str, Any] = {f"observation.images.{name}": size for name in CAMERAS}
    found["observation.tool"] = _numbers(POSE)
    if is_robot:
        found |= {"observation.state": _numbers(JOINTS), "action": _numbers(ACTION)}
    return found


def frame(row: dict[str, Any], *, is_robot: bool) -> dict[str, Any]:
    """A row of a demonstration as the dataset has it."""
    found = {f"observation.images.{name}": row[name] for name in CAMERAS}
    found |= {"observation.tool": row["pose"], "task": TASK}
    return found | ({"observation.state": row["state"], "action": row["action"]} if is_robot else {})


def _numbers(names: tuple[str, ...]) -> dict[str, Any]:
    return {"dtype": "float32", "shape": (len(names),), "names": list(names)}


if __name__ == "__main__":
    main()
