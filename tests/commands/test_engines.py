"""`--engine`, and `glam cache decode`, which has it."""

from pathlib import Path

import pytest
from tests.clusters import OtherMachine
from tests.data import tiny
from tests.typed import Glam

from glam.commands.engines import pool_of
from glam.core.on_ray import ray
from glam.data.cache import decoded
from glam.data.reader import Dataset


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLAM_CACHE", str(tmp_path / "cache"))
    tiny.record(tmp_path / "set", 3)
    return tmp_path / "set"


def test_this_machine_needs_no_pool() -> None:
    assert pool_of("local") is None


@pytest.mark.skipif(ray is not None, reason="Ray is installed")
@pytest.mark.parametrize(
    "words",
    [
        ("cache", "decode", "{set}"),
        ("relabel", "--world-model", "nowhere", "--data", "{set}"),
        ("data", "masks", "{set}", "--out", "copy", "--object", "red=#ff0000"),
    ],
)
def test_without_ray_every_command_says_how_to_install_it(words: tuple[str, ...], source: Path, glam: Glam) -> None:
    said = glam(*(word.format(set=source) for word in words), "--engine", "ray")
    assert said.code == 2
    assert "pip install 'glam-robot[cluster]'" in said.error


def test_decoded_datasets_are_found_by_whoever_needs_them(
    source: Path, glam: Glam, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = OtherMachine()
    monkeypatch.setattr("glam.commands.engines.pool_of", lambda engine: machine)
    monkeypatch.setattr("glam.commands.cache.pool_of", lambda engine: machine)
    assert glam("cache", "decode", source, "--size", "16").code == 0
    assert machine.sent == 1
    frames = decoded(Dataset.open(source), 16, progress=lambda done, total: pytest.fail("was decoded again"))
    assert len(frames) == len(Dataset.open(source))
