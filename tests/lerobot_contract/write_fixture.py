"""Write a small dataset with the real LeRobot library: two episodes, two cameras, masks as images.

The stored fixture is made by
`PYTHONPATH=src .lerobot-venv/bin/python tests/lerobot_contract/write_fixture.py tests/data/fixtures/lerobot_written`.
"""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


HERE = Path(__file__).resolve().parent
prepared = load(HERE / "conftest.py")  # before LeRobot is imported
tiny = load(HERE.parent / "data" / "tiny.py")

from lerobot.datasets.lerobot_dataset import LeRobotDataset  # noqa: E402

SCHEMA = replace(tiny.TARGET, image_size=(64, 64), objects=("object0", "object1", "object2"))


def write(root):
    """Write the dataset into `root`, which must not exist yet."""
    features = {key: feature | {"shape": tuple(feature["shape"])} for key, feature in SCHEMA.features().items()}
    dataset = LeRobotDataset.create("glam/written", fps=SCHEMA.fps, features=features, root=root)
    for index in range(2):
        episode = tiny.episode(index, SCHEMA)
        arrays = episode.vectors | episode.images | episode.masks
        for frame in range(len(episode)):
            dataset.add_frame({key: values[frame] for key, values in arrays.items()} | {"task": episode.task})
        dataset.save_episode()
    dataset.finalize()


if __name__ == "__main__":
    write(Path(sys.argv[1]))
