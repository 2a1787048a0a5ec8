"""Small real datasets and a world model trained on them for seconds."""

from pathlib import Path
from typing import NamedTuple

import pytest

from glam.recipes.world_models import world_model
from glam.stages.collect import CollectConfig, collect
from glam.stages.train_world_model import train_world_model


class Trained(NamedTuple):
    """Two datasets of `lift` and a run on them."""

    target: Path
    auxiliary: Path
    run: Path


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    root = tmp_path_factory.mktemp("trained")
    for embodiment, seed in (("kinova", 0), ("umi", 100)):
        collect(CollectConfig("lift", embodiment, seed, image_size=32), root / embodiment, 3, workers=1)
    run = root / "run"
    train_world_model(world_model("glam-o", "smoke"), root / "kinova", [root / "umi"], run)
    return Trained(root / "kinova", root / "umi", run)
