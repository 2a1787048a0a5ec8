"""Small episodes and datasets for the tests of `glam.data`."""

import importlib.util
import shutil
from pathlib import Path

import pytest


def _load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def tiny():
    """The module that makes small episodes and records them."""
    return _load(Path(__file__).with_name("tiny.py"))


@pytest.fixture(scope="session")
def _published(tiny, tmp_path_factory):
    root = tmp_path_factory.mktemp("published")
    tiny.record(root / "target", 5)
    tiny.record(root / "auxiliary", 3, tiny.AUXILIARY)
    return root


@pytest.fixture
def target_set(_published, tmp_path):
    """A fresh copy of a published target set of five episodes."""
    return Path(shutil.copytree(_published / "target", tmp_path / "target"))


@pytest.fixture
def auxiliary_set(_published, tmp_path):
    """A fresh copy of a published auxiliary set of three episodes."""
    return Path(shutil.copytree(_published / "auxiliary", tmp_path / "auxiliary"))
