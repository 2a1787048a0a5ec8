"""The cache lists itself, and removes what is old and not in use."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.typed import Glam

from glam.core.errors import GlamError
from glam.data import cache_upkeep
from glam.data.cache_upkeep import entries, hold, keep_below_limit, limit_bytes, removable, remove

DAY = 86_400


def named(name: str) -> str:
    """Name of an entry, with a digest of its content that can be read as a word."""
    return f"{name.encode().hex():0<32}-32x32-v1"


def entry(folder: Path, name: str, size: int, days: float) -> Path:
    """A cached set that was used some days ago."""
    path = folder / named(name)
    path.mkdir(parents=True)
    (path / "images.npy").write_bytes(bytes(size))
    (lock := folder / f".{path.name}.used").touch()
    os.utime(lock, (time.time() - days * DAY,) * 2)
    return path


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    entry(folder, "new", 100, days=1)
    entry(folder, "old", 200, days=30)
    entry(folder, "older", 400, days=60)
    (folder / "weights").mkdir()  # no entry: what was downloaded is not made again by itself
    (folder / "weights" / "sam.onnx").write_bytes(b"x" * 1000)
    monkeypatch.setenv("GLAM_CACHE", str(folder))
    return folder


def names(found: list[cache_upkeep.CacheEntry]) -> list[str]:
    return [bytes.fromhex(one.path.name[:32]).rstrip(b"\0").decode() for one in found]


def test_entries_come_oldest_first_with_their_sizes(cache: Path) -> None:
    found = entries(cache)
    assert names(found) == ["older", "old", "new"]
    assert [one.bytes for one in found] == [400, 200, 100]
    assert [round(one.age_days) for one in found] == [60, 30, 1]
    assert not any(one.is_in_use for one in found)


def test_the_oldest_go_until_the_limit_is_kept(cache: Path) -> None:
    assert names(removable(entries(cache), 300)) == ["older"]
    assert names(removable(entries(cache), 299)) == ["older", "old"]
    assert names(removable(entries(cache), float("inf"), older_than_days=7)) == ["older", "old"]


def test_a_full_cache_keeps_itself_below_the_limit(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLAM_CACHE_LIMIT_GB", "3e-7")
    assert names(keep_below_limit(cache)) == ["older"]
    assert names(entries(cache)) == ["old", "new"]
    assert (cache / "weights" / "sam.onnx").exists()


def test_a_folder_of_the_user_is_no_entry(cache: Path) -> None:
    (cache / "my-videos").mkdir()
    (cache / "holiday-v2").mkdir()
    assert names(entries(cache)) == ["older", "old", "new"]


def test_what_another_process_uses_stays(cache: Path) -> None:
    path = cache / named("older")
    program = f"""
from pathlib import Path
from glam.data.cache_upkeep import hold
hold(Path({str(path)!r}))
print("held", flush=True)
input()
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        assert other.stdout.readline() == "held\n"
        (held,) = [one for one in entries(cache) if one.is_in_use]
        assert held.path == path
        assert not remove(held)
        assert names(removable(entries(cache), 0)) == ["old", "new"]
        other.stdin.write("\n")
        other.stdin.flush()
        other.wait()
    assert not any(one.is_in_use for one in entries(cache))


def test_use_makes_an_entry_the_newest(cache: Path) -> None:
    hold(cache / named("older"))
    assert names(entries(cache))[-1] == "older"


@pytest.mark.parametrize("limit", ["0", "-1", "much", "nan"])
def test_a_limit_that_is_no_size_is_refused(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLAM_CACHE_LIMIT_GB", limit)
    with pytest.raises(GlamError, match="must be a positive number of gigabytes"):
        limit_bytes()


def test_the_commands_list_and_prune(cache: Path, glam: Glam) -> None:
    said = glam("cache", "list")
    assert said.code == 0
    assert [line.split()[-1] for line in said.lines[:3]] == [named("older"), named("old"), named("new")]
    assert said.lines[3].startswith("3 entries, 0.00 GB of at most 20 GB")
    assert glam("cache", "prune").code == 2
    assert f"removed {named('older')}" in glam("cache", "prune", "--older-than-days", "45").output
    assert "2 entries removed" in glam("cache", "prune", "--keep-gb", "0").output
    assert entries(cache) == []
