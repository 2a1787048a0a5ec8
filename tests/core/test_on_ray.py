"""Needs Ray but for one test: `make test-ray` runs this file in an environment that has it."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.clusters import two_machines

from glam.core.errors import GlamError
from glam.core.on_ray import RayPool, ray

needs_ray = pytest.mark.skipif(ray is None, reason="Ray is not installed")


@pytest.mark.skipif(ray is not None, reason="Ray is installed")
def test_without_ray_the_way_to_install_it_is_named() -> None:
    with pytest.raises(GlamError, match=r"pip install 'glam-robot\[cluster\]'"):
        RayPool()


@pytest.fixture(scope="module")
def cluster():
    with two_machines() as running:
        yield running


@pytest.fixture
def pool(cluster, monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    yield RayPool()
    ray.shutdown()


@dataclass(frozen=True)
class Work:
    """Squares numbers, notes every attempt in a file below the working folder, and may meet a fate."""

    fate: str = ""

    def __call__(self, number: int) -> tuple[int, int]:
        notes = Path("attempts") / str(number)
        with notes.open("a") as file:
            file.write(f"{os.getpid()}\n")
        attempts = len(notes.read_text().splitlines())
        if number == 3 and (self.fate == "dies" or (self.fate == "dies once" and attempts == 1)):
            os.kill(os.getpid(), signal.SIGKILL)
        if number == 3 and self.fate == "fails":
            raise GlamError("the third is damaged")
        return number, number**2


@pytest.fixture
def attempts(tmp_path, monkeypatch):
    """The command is given in this folder, and paths are relative to it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "attempts").mkdir()
    return lambda number: (tmp_path / "attempts" / str(number)).read_text().splitlines()


@needs_ray
def test_all_machines_do_all_pieces_in_the_folder_of_the_command(pool, attempts) -> None:
    assert pool.workers == 2
    assert dict(pool.spread(Work(), range(20))) == {number: number**2 for number in range(20)}
    where = {attempts(number)[0] for number in range(20)}
    assert len(where) == 2
    assert str(os.getpid()) not in where


@needs_ray
def test_a_piece_whose_worker_is_killed_is_done_again(pool, attempts) -> None:
    assert len(dict(pool.spread(Work("dies once"), range(6)))) == 6
    assert len(attempts(3)) == 2


@needs_ray
def test_a_piece_that_kills_every_worker_is_given_up_in_one_sentence(pool, attempts) -> None:
    with pytest.raises(GlamError, match=r"gave a piece of work up after 4 attempts \([^\n]*\); nothing"):
        list(pool.spread(Work("dies"), range(4)))
    assert len(attempts(3)) == 4


@needs_ray
def test_an_error_of_the_work_is_the_users_as_it_is(pool, attempts) -> None:
    with pytest.raises(GlamError, match=r"^the third is damaged$"):
        list(pool.spread(Work("fails"), range(6)))
    assert len(attempts(3)) == 1


@needs_ray
def test_a_folder_that_a_machine_does_not_see_is_named(pool, tmp_path, monkeypatch) -> None:
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path / "mine")
    (tmp_path / "mine").rename(tmp_path / "elsewhere")
    monkeypatch.setattr("os.getcwd", lambda: str(tmp_path / "mine"))
    with pytest.raises(GlamError, match=r"does not see .*mine .*all machines must see the same folders"):
        list(pool.spread(Work(), range(2)))
