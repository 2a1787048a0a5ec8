"""Bad input of `glam data adopt` and `glam data check`: exit code 2, one sentence, and nothing written."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.commands.test_bad_input import refused
from tests.data import tiny
from tests.interop.lerobot import foreign
from tests.typed import Glam

from glam.data.image_codecs import encode_image

TOP = ("--map", "observation.images.front=observation.images.top")


@pytest.fixture(autouse=True)
def _nothing_decoded_yet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GLAM_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a dataset of others, a model of its robot and two sets of ours."""
    root = tmp_path / "place"
    foreign.arm(root / "arm")
    (root / "crane.urdf").write_text(foreign.URDF)
    tiny.record(root / "target", 2)
    tiny.record(root / "aux", 2, tiny.AUXILIARY)
    return root


def adopt(place: Path, *words: object) -> tuple[object, ...]:
    return ("data", "adopt", place / "arm", "--out", place / "new", *words)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--map", "observation.state"), r"--map 'observation.state': write OURS=THEIRS"),
        (("--map", "state=observation.state"), r"--map state: no feature of ours; the left of = must be one of"),
        (("--map", "action=actions"), r"/arm: --map action: no feature 'actions' of numbers; the dataset has"),
        (("--map", "action=action[7:]"), r"/arm: --map action: action has no entry '7:'"),
        (("--map", "observation.images.front=observation.images.side"), "no camera 'observation.images.side'"),
        (("--map", "joints=action"), "--map joints: needs --kinematics"),
        (("--tool-frame", "tip"), "--tool-frame: needs --kinematics"),
        (("--kinematics", "crane.urdf"), "--kinematics: say with --tool-frame"),
        (("--kinematics", "none.urdf", "--tool-frame", "tip"), r"none.urdf: no such file"),
        (("--kinematics", "crane.urdf", "--tool-frame", "hand"), r"crane.urdf: no tool frame 'hand'; choose one of"),
        (("--kinematics", "crane.urdf", "--tool-frame", "a", "--tool-frame", "b"), "must name another arm"),
        (("--rate", "0"), "--rate 0 must lie between 1 and 1000"),
        (("--size", "15", *TOP), "--size 15 must be even"),
        ((), r"/arm: images of different sizes, .*; choose one with --size"),
        (("--gripper", "1", "1"), "--gripper 1 1 must be two different numbers"),
        (("--base", "0", "0", "nan", "0", "0", "0"), "--base must be six finite numbers"),
        (("--role", "target", "--map", "action=action[3]"), "action has no entry '3'"),
    ],
)
def test_flags_that_cannot_be_meant_are_refused(
    words: tuple[str, ...], sentence: str, glam: Glam, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    said = refused(glam, place, *adopt(place, *words))
    assert re.search(sentence, said), said


def info(change: dict[str, Any]) -> Callable[[Path], None]:
    def spoil(place: Path) -> None:
        path = place / "arm/meta/info.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | change))

    return spoil


def rewritten(**rows: Any) -> Callable[[Path], None]:
    def spoil(place: Path) -> None:
        foreign.arm(place / "arm", rows=[{key: np.asarray(values) for key, values in rows.items()}])

    return spoil


def truncated(place: Path) -> None:
    path = place / "arm/data/chunk-000/file-000.parquet"
    path.write_bytes(path.read_bytes()[:-200])


def without_table(place: Path) -> None:
    (place / "arm/meta/episodes/chunk-000/file-000.parquet").unlink()


STATE, NAN = np.zeros((6, 3)), np.full((6, 3), np.nan)
SOURCES = {
    "not a dataset": (lambda place: (place / "arm/meta/info.json").unlink(), r"/arm: not a LeRobot dataset"),
    "an older version": (
        info({"codebase_version": "v2.1"}),
        r"tasks.jsonl: no such file, which a dataset of version 2 has",
    ),
    "a rate that is none": (info({"fps": 0}), "fps is 0"),
    "a description that is no JSON": (
        lambda place: (place / "arm/meta/info.json").write_text("{"),
        r"info.json: not valid JSON",
    ),
    "files elsewhere": (info({"data_path": "/etc/{chunk_index}{file_index}"}), "not inside this folder"),
    "features that are none": (info({"features": {"action": 3}}), "feature action must have a dtype and a shape"),
    "no camera": (info({"features": {"action": foreign.feature(3)}}), r"/arm: .*no camera .* the dataset has none"),
    "a damaged table": (truncated, "not a readable parquet file"),
    "no table of episodes": (without_table, "no parquet files"),
    "more episodes than there are": (info({"total_episodes": 9}), "not numbered 0 to 8"),
    "numbers that are none": (
        rewritten(**{"observation.state": NAN, "action": STATE}),
        r"episode 0, frame 0: observation.state is nan",
    ),
    "an episode of one frame": (
        rewritten(**{"observation.state": STATE[:1], "action": STATE[:1]}),
        "none of its 1 episodes lasts two frames",
    ),
}


@pytest.mark.parametrize("case", SOURCES)
def test_a_bad_source_is_refused(case: str, glam: Glam, place: Path) -> None:
    spoil, sentence = SOURCES[case]
    spoil(place)
    said = refused(glam, place, *adopt(place, *TOP, "--size", 16))
    assert re.search(sentence, said), said


def test_a_source_that_is_not_there_is_refused(glam: Glam, place: Path) -> None:
    words = ("data", "adopt", place / "nowhere", "--out", place / "new")
    assert "/nowhere: no such folder" in refused(glam, place, *words)


def test_a_video_that_is_a_image_is_refused(glam: Glam, place: Path) -> None:
    path = place / "arm/videos/observation.images.top/chunk-000/file-000.mp4"
    path.write_bytes(encode_image(np.zeros((24, 32, 3), np.uint8)))
    said = glam(*adopt(place, *TOP, "--size", 16))
    assert said.code == 2
    assert "file-000.mp4: the video cannot be read" in said.error
    assert not (place / "new/meta/info.json").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "give either the folder DIR of one dataset, or --target and at least one --aux"),
        (("target", "--target", "target"), "give either the folder DIR"),
        (("--target", "target"), "give either the folder DIR"),
        (("--aux", "aux"), "give either the folder DIR"),
        (("--target", "target", "--aux", "none"), "none: no such folder"),
        (("--target", "target", "--aux", "arm"), r"arm: cameras of different sizes"),
    ],
)
def test_a_comparison_of_what_is_not_there_is_refused(
    words: tuple[str, ...], sentence: str, glam: Glam, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    assert sentence in refused(glam, place, "data", "check", *words)
