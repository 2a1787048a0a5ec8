"""Toy nodes for the tests of `glam.bench`, and a whole pipeline at the smallest scale."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # spawned processes inherit it, and find the toys

from toys import Toy

from glam.bench.making import make
from glam.bench.node import Workshop, ordered
from glam.bench.nodes import Data, Evaluation, Policy, Replay, Trajectories, WorldModel
from glam.core.files import read_json


@pytest.fixture
def toy():
    """The class of the toy nodes."""
    return Toy


@pytest.fixture
def workshop(tmp_path):
    return Workshop(tmp_path / "shop")


@dataclass(frozen=True)
class Pipeline:
    """Everything that a tiny pipeline made."""

    workshop: Workshop
    notes: dict[str, dict[str, Any]]
    """By kind, the last of each."""
    policies: tuple[Any, ...]
    target: Any


@pytest.fixture(scope="session")
def pipeline(tmp_path_factory):
    target, auxiliary = Data("lift", "kinova", 3, 0), Data("lift", "umi", 3, 100)
    model = WorldModel("glam-o", target, (auxiliary,), preset="smoke")
    policy = Policy("latent", target, (auxiliary,), model, preset="smoke")
    alone = Policy("latent", target, (), model, preset="smoke")
    cells = [Trajectories((alone, policy), target), Replay(model, auxiliary), Evaluation(policy, episodes=2, films=0)]
    workshop = Workshop(tmp_path_factory.mktemp("shop"))
    for node in ordered(cells):
        make(node, workshop)
    notes = {node.kind: read_json(workshop.note(node)) for node in ordered(cells)}
    return Pipeline(workshop, notes, (alone, policy), target)
