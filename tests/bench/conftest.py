"""Toy runs for the tests of `glam.bench`, and a whole pipeline at the smallest scale."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # spawned processes inherit it, and find the toys

from tests.bench import golden
from toys import Toy

from glam.bench.run import RunStore


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
    store = RunStore(tmp_path_factory.mktemp("store"))
    records = {run.kind: record for run, record in golden.made(golden.PIPELINE, store).items()}
    return Pipeline(store, records, (golden.ALONE, golden.POLICY), golden.TARGET)
