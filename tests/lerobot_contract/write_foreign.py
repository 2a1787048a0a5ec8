"""Write two small datasets with the real LeRobot library, as other people have them: docs/bring_your_own_data.md's.

`my-robot` is a crane with joints, motor commands and two cameras at 30 Hz; `gripper-videos` shows the same task done
with a hand-held gripper that knows its pose, on another table, by a camera of another name, size and rate. The stored
ones are made by
`PYTHONPATH=src .lerobot-venv/bin/python tests/lerobot_contract/write_foreign.py tests/interop/lerobot/fixtures`.
"""

import importlib.util
import sys
from pathlib import Path

import numpy as np


def load(name):
    """A module of our tests by its file: in this environment another package may be called `tests`."""
    path = Path(__file__).resolve().parents[2] / f"{name.replace('.', '/')}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


prepared = load("tests.lerobot_contract.conftest")  # before LeRobot is imported
images, foreign = load("tests.data.tiny").images, load("tests.interop.lerobot.foreign")

from lerobot.datasets.lerobot_dataset import LeRobotDataset  # noqa: E402

STATE, ACTION = "observation.state", "action"
POSE = ["ee.x", "ee.y", "ee.z", "ee.wx", "ee.wy", "ee.wz", "ee.gripper_pos"]
TOP, WRIST, MAIN = (64, 96), (64, 64), (72, 96)
"""Heights and widths of the cameras; the library's encoder takes none below 64."""
SLOWER = 20
"""Rate of the gripper's camera in Hz."""
TABLE, OTHER_TABLE = (180, 175, 165), (120, 120, 120)
RED, BLUE = (200, 30, 30), (30, 60, 200)


def write(root):
    """Write both into `root`, which must not hold them yet."""
    robot = {
        "observation.images.top": camera(TOP),
        "observation.images.wrist": camera(WRIST),
        STATE: vector(list(foreign.MOTORS)),
        ACTION: vector(list(foreign.MOTORS)),
    }
    dataset = LeRobotDataset.create(
        "others/robot", fps=foreign.FPS, features=robot, root=root / "my-robot", robot_type="crane"
    )
    fill(dataset, [crane(index) for index in range(len(foreign.LENGTHS))])
    gripper = {"observation.images.main": camera(MAIN), STATE: vector(POSE)}
    dataset = LeRobotDataset.create("others/gripper", fps=SLOWER, features=gripper, root=root / "gripper-videos")
    fill(dataset, [hand(index) for index in range(len(foreign.LENGTHS))])


def camera(size):
    return {"dtype": "video", "shape": (*size, 3), "names": ["height", "width", "channels"]}


def vector(names):
    return {"dtype": "float32", "shape": (len(names),), "names": names}


def fill(dataset, episodes):
    for episode in episodes:
        for frame in range(len(episode[STATE])):
            dataset.add_frame({key: values[frame] for key, values in episode.items()} | {"task": foreign.TASK})
        dataset.save_episode()
    dataset.finalize()


def crane(index):
    """An episode of the robot."""
    joints = foreign.joints(index)
    return {
        "observation.images.top": scene(TOP, foreign.tip(joints), TABLE),
        "observation.images.wrist": images(WRIST, len(joints), index),
        STATE: joints.astype(np.float32),
        ACTION: np.roll(joints, -1, axis=0).astype(np.float32),
    }


def hand(index):
    """An episode of the gripper; it points downwards, as the crane does."""
    joints = foreign.joints(index, fps=SLOWER)
    downwards = np.tile([np.pi, 0.0, 0.0], (len(joints), 1))
    return {
        "observation.images.main": scene(MAIN, foreign.tip(joints), OTHER_TABLE),
        STATE: np.hstack([foreign.tip(joints), downwards, joints[:, 2:]]).astype(np.float32),
    }


def scene(size, places, table):
    """A red cube that is carried to `places` (T, 3) over a table with a blue box, from above, (T, Y, X, 3)."""
    height, width = size
    shown = np.full((len(places), height, width, 3), table, np.float64)
    shown[:, 4:16, width - 20 : width - 4] = BLUE
    lines, columns = covered(height, 90.0 * places[:, 0] + 10.0), covered(width, 90.0 * places[:, 1] + width / 2)
    cube = lines[:, :, None, None] * columns[:, None, :, None]
    return (shown + cube * (RED - shown)).round().astype(np.uint8)


def covered(pixels, middles, side=14.0):
    """Which part of each pixel is within `side` / 2 of `middles`, (T, pixels): a move by less than one shows, too."""
    return np.clip(side / 2 + 0.5 - np.abs(np.arange(pixels) + 0.5 - middles[:, None]), 0.0, 1.0)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
