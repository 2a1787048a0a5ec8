"""A small learner and small run folders for the tests of `glam.training`."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch


def load(name):
    """A module that lies beside this file; registered, since a dataclass looks its own module up."""
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"training_{name}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def toy():
    """The module of the small learner."""
    return load("toy")


@pytest.fixture(scope="session")
def trained(toy, tmp_path_factory):
    """A finished run folder; to be copied before it is changed."""
    root = tmp_path_factory.mktemp("trained") / "run"
    toy.train(root)
    return root


@pytest.fixture
def trials(tmp_path):
    """Runs the program of that name, which forks, and gives what it printed."""

    def run(mode, *counts):
        program = Path(__file__).with_name("trials.py")
        command = [sys.executable, str(program), mode, str(tmp_path), *map(str, counts)]
        child = subprocess.run(command, capture_output=True, text=True, check=False)
        assert child.returncode == 0, child.stderr
        return json.loads(child.stdout)

    return run


@pytest.fixture(autouse=True)
def _own_random_numbers():
    """What a test draws or seeds is its own affair."""
    with torch.random.fork_rng():
        yield
