"""Every command does its work and prints the path of what it made."""

from pathlib import Path

import pytest
from tests.interop.imports import foreign
from tests.typed import Glam


@pytest.fixture(autouse=True)
def _nothing_decoded_yet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GLAM_CACHE", str(tmp_path / "cache"))


def test_from_demonstrations_to_a_replay(glam: Glam, tmp_path: Path) -> None:
    target, auxiliary, run = tmp_path / "kinova", tmp_path / "umi", tmp_path / "run"
    size = ("--episodes", 3, "--workers", 1, "--image-size", 32)
    said = glam("collect", "lift", "--embodiment", "kinova", "--out", target, *size)
    assert said.code == 0
    assert said.lines == ["3 new episodes, 0 failed demonstrations discarded, 3 in all", str(target)]
    glam("collect", "lift", "--embodiment", "umi", "--out", auxiliary, "--seed", 100, *size)
    assert glam("data", "check", auxiliary).code == 0
    said = glam("data", "view", target, "--episodes", 0)
    assert (said.code, said.lines) == (0, [str(tmp_path / "kinova.html")])
    smoke = ("--preset", "smoke", "--threads", 1)
    said = glam("train-world-model", "glam-o", "--target", target, "--aux", auxiliary, "--out", run, *smoke)
    assert (said.code, said.lines) == (0, [str(run)])
    relabelled = tmp_path / "relabelled"
    said = glam("relabel", "--world-model", run, "--data", target, auxiliary, "--as-lerobot", relabelled)
    assert said.code == 0
    assert all(Path(line).is_file() for line in said.lines[:2])
    assert said.lines[2:] == [str(relabelled / "kinova"), str(relabelled / "umi")]
    assert glam("data", "check", relabelled / "umi").code == 0
    out = tmp_path / "replay"
    said = glam("replay", "--world-model", run, "--source", auxiliary, "--task", "lift", "--out", out, "--episodes", 1)
    assert said.code == 0
    assert said.lines[-1] == str(out)
    assert [line.split() for line in said.lines[:2]] == [["episodes", "1"], ["successes", said.lines[1].split()[1]]]
    assert said.lines[1].split()[1] in ("0", "1")


def test_a_fault_in_a_dataset_ends_with_code_one(glam: Glam, tmp_path: Path) -> None:
    root = tmp_path / "umi"
    glam("collect", "lift", "--embodiment", "umi", "--out", root, "--episodes", 1, "--workers", 1, "--image-size", 32)
    next(root.glob("videos/*front/*/*.mp4")).unlink()
    said = glam("data", "check", root)
    assert said.code == 1
    assert "file-missing" in said.lines[0]


def test_a_recording_in_another_format_becomes_a_dataset(glam: Glam, tmp_path: Path) -> None:
    source, out = foreign.video_folder(tmp_path / "recordings"), tmp_path / "set"
    said = glam("data", "convert", source, "--out", out, "--rate", 10, "--size", 8, "--format", "video-folder")
    assert said.code == 0
    assert said.lines == ["3 episodes, 12 frames at 10 Hz: an auxiliary set, without actions", str(out)]
    assert glam("data", "check", out).code == 0
