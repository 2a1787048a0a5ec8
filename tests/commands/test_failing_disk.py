"""A disk that is full, read-only or broken: one sentence and code 2, before long work begins, and nothing is lost."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.failing_disk import failing_disk
from tests.interop.imports import foreign
from tests.interop.segmenters.test_proposals import CLICKS, Flat
from tests.typed import Glam, refused

from glam.interop.segmenters import onnx_sam
from glam.recipes import policy
from glam.stages.train_policy import Inputs, train_policy

SMOKE = ("--preset", "smoke", "--threads", 1)
FEW = ("--episodes", 1, "--workers", 1, "--image-size", 32)
OBJECTS = tuple(word for text in CLICKS for word in ("--object", text))
Words = Callable[[Path], tuple[object, ...]]

COMMANDS: dict[str, tuple[Words, str]] = {
    "collect": (
        lambda place: ("collect", "lift", "--embodiment", "umi", "--out", place / "out", *FEW),
        "glam.stages.collect.record",
    ),
    "view": (
        lambda place: ("data", "view", place / "aux", "--out", place / "out/page.html"),
        "glam.reports.data_view.write_data_view",
    ),
    "convert": (
        lambda place: ("data", "convert", place / "videos", "--out", place / "out", "--format", "video-folder"),
        "glam.stages.convert.fingerprint",
    ),
    "adopt": (lambda place: ("data", "adopt", place / "target", "--out", place / "out"), "glam.stages.adopt.prepare"),
    "propose": (
        lambda place: ("data", "masks", place / "aux", "--propose", place / "out.json", *OBJECTS),
        "glam.interop.segmenters.proposals.learn_appearances",
    ),
    "train-world-model": (
        lambda place: (
            *("train-world-model", "glam", "--target", place / "target", "--aux", place / "aux"),
            *("--out", place / "out", *SMOKE),
        ),
        "glam.stages.train_world_model.open_sources",
    ),
    "inspect": (lambda place: ("inspect", place / "run"), "glam.stages.inspect.examine"),
    "relabel": (
        lambda place: ("relabel", "--world-model", place / "run", "--data", place / "aux"),
        "glam.stages.relabel.decoded",
    ),
    "relabel as lerobot": (
        lambda place: (*COMMANDS["relabel"][0](place), "--as-lerobot", place / "out"),
        "glam.stages.relabel.decoded",
    ),
    "replay": (
        lambda place: (
            *("replay", "--world-model", place / "run", "--source", place / "aux", "--task", "lift"),
            *("--out", place / "out"),
        ),
        "glam.stages.replay.decoded",
    ),
    "train-policy": (
        lambda place: ("train-policy", "mip", "--target", place / "target", "--out", place / "out", *SMOKE),
        "glam.stages.train_policy._job",
    ),
    "report": (lambda place: ("report", place / "run", "--out", place / "out.html"), "glam.stages.report.examine"),
    "export": (
        lambda place: ("export", "--policy", place / "policy", "--out", place / "out"),
        "glam.stages.export.contents",
    ),
    "demo": (lambda place: ("demo", "--out", place / "out", "--smoke"), "glam.bench.runs.data.collect"),
    "bench": (lambda place: ("bench", "smoke", "--root", place / "out"), "glam.bench.runs.data.collect"),
}
"""Each command that writes, with the work that it must not begin where it cannot write."""


@pytest.fixture(scope="module")
def whole(sound: Path) -> Path:
    """A policy and a foreign recording too."""
    train_policy(policy("mip", "smoke"), Inputs(sound / "target"), sound / "policy")
    foreign.video_folder(sound / "videos")
    return sound


@pytest.mark.parametrize("command", COMMANDS)
def test_where_nothing_can_be_written_no_work_is_begun(
    command: str, glam: Glam, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, work = COMMANDS[command]
    monkeypatch.setattr(onnx_sam, "open_sam", lambda *_: Flat())
    if command != "export":  # which has everything at hand within a second
        monkeypatch.setattr(work, lambda *_, **__: pytest.fail("began to work"))
    for error in (errno.ENOSPC, errno.EROFS, errno.EIO):
        with failing_disk(whole, 0, error) as disk:
            said = refused(glam, whole, *words(whole))
        assert disk.failures
        assert str(whole) in said


@pytest.mark.parametrize(("command", "at"), [("view", 4), ("convert", 90), ("export", 20), ("train-policy", 60)])
def test_a_disk_that_fills_up_costs_nothing_that_was_saved(
    command: str, at: int, glam: Glam, whole: Path, place: Path
) -> None:
    words = COMMANDS[command][0](place)
    with failing_disk(place, at) as disk:
        said = glam(*words)
    assert disk.failures
    assert said.code == 2
    (line,) = said.error.strip().splitlines()
    assert line.startswith("glam: ")
    assert str(place) in line
    assert glam(*words).code == 0
