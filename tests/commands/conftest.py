"""Something of everything that stage 1 makes, to spoil or to go on from."""

import shutil
from pathlib import Path

import pytest
from tests.data import tiny

from glam.recipes import world_model
from glam.stages.train_world_model import train_world_model


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a target set, an auxiliary set and a world model that was trained on them for a moment."""
    root = tmp_path_factory.mktemp("sound")
    tiny.record(root / "target", 3)
    tiny.record(root / "aux", 3, tiny.AUXILIARY)
    train_world_model(world_model("glam-o", "smoke"), root / "target", [root / "aux"], root / "run")
    return root


@pytest.fixture
def place(sound: Path, tmp_path: Path) -> Path:
    """A fresh copy of it, to spoil."""
    return shutil.copytree(sound, tmp_path / "place")
