"""docs/bring_your_own_data.md, on LeRobot datasets, is run as it stands."""

import re
import shlex
from pathlib import Path

import pytest
from tests.interop.lerobot import foreign
from tests.typed import Glam

from glam.data.reader import Dataset

PAGE = (Path(__file__).parents[2] / "docs/bring_your_own_data.md").read_text(encoding="utf-8")
SECTION = PAGE[PAGE.index("## LeRobot datasets") : PAGE.index("## Recordings in other formats")]
TRAINING = ("train-world-model", "train-policy")


def commands() -> list[list[str]]:
    blocks = "\n".join(re.findall(r"^```sh\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)).replace("\\\n", " ")
    return [shlex.split(line, comments=True) for line in blocks.splitlines() if line]


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the page's user stands: two datasets of others and a model of the robot."""
    foreign.arm(tmp_path / "my-robot")
    foreign.glove(tmp_path / "gripper-videos")
    (tmp_path / "robot.urdf").write_text(foreign.URDF)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GLAM_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_the_commands_of_the_page_lead_from_foreign_datasets_to_labels(room: Path, glam: Glam) -> None:
    said = {}
    for program, *words in commands():
        assert program == "glam"
        brief = ["--scale", "smoke", "--threads", "1"] if words[0] in TRAINING else []
        code, output, error = glam(*words, *brief)
        assert code == 0, (words, error)
        said[" ".join(words)] = output.splitlines()
    assert Dataset.open(room / "data/my-robot").schema.cameras == ("front",)
    assert said["data check --target data/my-robot --aux data/gripper"][-1].startswith("verdict: these sets can work")
    assert len(list((room / "runs/world-model/latents").glob("*.parquet"))) == 2


def test_what_the_page_shows_of_a_dry_run_is_what_is_said(room: Path, glam: Glam) -> None:
    (shown,) = re.findall(r"^```text\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)
    said = glam(*commands()[0][1:]).output.splitlines()
    *lines, total = shown.splitlines()
    assert [line.removesuffix(" ...") for line in lines[:3]] == said[:3]
    assert said[3].startswith(lines[3].removesuffix(" ..."))
    assert re.sub(r"\d+", "N", total) == re.sub(r"\d+", "N", said[-1])
