"""Toy nodes for the tests of `glam.bench`."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # spawned processes inherit it, and find the toys

from toys import Toy

from glam.bench.node import Workshop


@pytest.fixture
def toy():
    """The class of the toy nodes."""
    return Toy


@pytest.fixture
def workshop(tmp_path):
    return Workshop(tmp_path / "shop")
