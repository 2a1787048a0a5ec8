"""Frames per second of random windows from the real LeRobotDataset, block by block.

Run by `cache.py` in LeRobot's own environment, as `lerobot_windows.py DATASET WINDOW BLOCKS`.
"""

import json
import random
import sys
import time

import lerobot_torchvision  # noqa: F401 - first
from lerobot.datasets.lerobot_dataset import LeRobotDataset

WINDOWS_PER_BLOCK = 50


def main() -> None:
    root, window, blocks = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    plain = LeRobotDataset("glam/benchmark", root=root)
    cameras, fps = plain.meta.video_keys, plain.meta.fps
    moments = {camera: [k / fps for k in range(window)] for camera in cameras}
    dataset = LeRobotDataset("glam/benchmark", root=root, delta_timestamps=moments)
    draws = random.Random(0)
    rates = []
    for _ in range(blocks + 1):
        rows = [draws.randrange(len(dataset)) for _ in range(WINDOWS_PER_BLOCK)]
        start = time.perf_counter()
        items = [dataset[row] for row in rows]
        rates.append(WINDOWS_PER_BLOCK * window * len(cameras) / (time.perf_counter() - start))
        assert {len(item[camera]) for item in items for camera in cameras} == {window}
    print(json.dumps(rates[1:]))  # the first block opens the files


if __name__ == "__main__":
    main()
