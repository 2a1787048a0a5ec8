"""Toy runs for the tests of `glam.bench`, and a whole pipeline at the smallest scale."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # spawned processes inherit it, and find the toys

from toys import Toy

from glam.bench.run import RunStore, ordered
from glam.bench.runs import DataRun, EvaluationRun, PolicyRun, ReplayRun, TrajectoriesRun, WorldModelRun
from glam.core.files import read_json


@pytest.fixture
def toy():
    """The class of the toy runs."""
    return Toy


@pytest.fixture
def store(tmp_path):
    return RunStore(tmp_path / "store")


@dataclass(frozen=True)
class Pipeline:
    """Everything that a tiny pipeline made."""

    store: RunStore
    records: dict[str, dict[str, Any]]
    """By kind, the last of each."""
    policies: tuple[Any, ...]
    target: Any


@pytest.fixture(scope="session")
def pipeline(tmp_path_factory):
    target, auxiliary = DataRun("lift", "kinova", 3, 0), DataRun("lift", "umi", 3, 100)
    model = WorldModelRun("glam-o", target, (auxiliary,), preset="smoke")
    policy = PolicyRun("latent", target, (auxiliary,), model, preset="smoke")
    alone = PolicyRun("latent", target, (), model, preset="smoke")
    cells = [
        TrajectoriesRun((alone, policy), target),
        ReplayRun(model, auxiliary),
        EvaluationRun(policy, episodes=2, films=0),
    ]
    store = RunStore(tmp_path_factory.mktemp("store"))
    for run in ordered(cells):
        store.make(run)
    run_records = {run.kind: read_json(store.run_record(run)) for run in ordered(cells)}
    return Pipeline(store, run_records, (alone, policy), target)
