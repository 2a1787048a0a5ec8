"""Made-up records of all grids."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import made_up

from results.record import read_records


@pytest.fixture
def grid():
    """A grid to be filled: `grid("main")`."""
    return made_up.Grid


@pytest.fixture
def made():
    """Made-up results."""
    return made_up


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return made_up.write_all(tmp_path_factory.mktemp("records"))


@pytest.fixture(scope="session")
def records(folder):
    return read_records(folder)


@pytest.fixture
def read(tmp_path):
    """The records of some grids alone."""

    def of(*grids):
        for one in grids:
            one.write(tmp_path)
        return read_records(tmp_path)

    return of
