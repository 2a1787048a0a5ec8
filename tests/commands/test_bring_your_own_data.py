"""docs/bring_your_own_data.md, and then the commands of docs/deploy.md, are run as they stand.

The datasets are those that tests/lerobot_contract/write_foreign.py wrote with the real LeRobot library.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests import pages
from tests.interop.imports import foreign as recordings
from tests.interop.segmenters.test_proposals import Flat
from tests.serving import crane
from tests.typed import Glam, Said

from glam.core.errors import GlamError
from glam.core.files import read_json
from glam.data.reader import Dataset
from glam.data.schema import EE_POSE, STATE
from glam.interop.segmenters import onnx_sam
from glam.sim.kinematics import Chain
from glam_client.client import PolicyClient

SETS = Path(__file__).parents[1] / "interop/lerobot/fixtures"
PAGE = pages.page("bring_your_own_data.md")
ADOPTED, CONVERTED = pages.section(PAGE, "LeRobot datasets"), pages.section(PAGE, "Recordings in other formats")
ELSEWHERE = {"pip", "LEROBOT=newest", "lerobot-eval", "lerobot-rollout"}
"""What needs a network, or is run by tools/test_lerobot.sh, or needs a robot."""
BRIEF = {"train-world-model": "--preset smoke --threads 1", "train-policy": "--preset smoke --threads 1"}


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the pages' user stands: two datasets of others, a model of the robot, and weights of SAM 2."""
    shutil.copytree(SETS, tmp_path, dirs_exist_ok=True)
    crane.write_page(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GLAM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(onnx_sam, "open_sam", lambda *_: Flat())
    return tmp_path


@pytest.fixture
def follow(glam: Glam):
    """Run commands one after the other, with trainings as short as can be; gives what each said."""

    def run(commands: list[list[str]]) -> dict[str, Said]:
        said = {}
        for program, *words in commands:
            assert program == "glam"
            said[" ".join(words)] = glam(*words, *BRIEF.get(words[0], "").split())
            assert said[" ".join(words)].code == 0, (words, said[" ".join(words)].error)
        return said

    return run


def test_the_pages_lead_from_foreign_datasets_to_a_robot_that_moves(room: Path, follow) -> None:
    *commands, serve = [words for words in pages.commands(ADOPTED) if words[1:3] != ["data", "tracks"]]
    said = follow(commands)
    adopted = Dataset.open(room / "data/my-robot")
    assert adopted.schema.cameras == ("front",)
    check = said["data check --target data/my-robot --aux data/gripper --page check.html"]
    assert any(line.startswith("verdict: these datasets can") for line in check.lines)
    assert (room / "check.html").exists()
    assert [text for text in said if "in no frame" in said[text].output] == []  # no mask is missing
    assert len(list((room / "runs/world-model/latents").glob("*.parquet"))) == 2
    assert read_json(room / "exports/pretrained_model/config.json")["type"] == "glam"
    follow([with_masks(words) for words in commands if words[1] in BRIEF and words[2] != "mip"])

    page, recorded = crane.load_page(room), adopted.vectors(0)
    served, guarded = (block for block in pages.blocks(crane.PAGE, "sh") if "glam serve" in block)
    with serving(served, room) as address:
        live_pose = page.pose_maker(address, [Chain.open(room / "robot.urdf", "tip")])
        robot = Watched(page, recorded[STATE][0], live_pose)
        np.testing.assert_allclose(robot.pose(), recorded[EE_POSE][0], atol=1e-5)
        with pytest.raises(KeyboardInterrupt):
            page.run(robot, address, room / "limits.json", 600.0)
    with serving(guarded, room) as address:
        with PolicyClient(address, (room / "token").read_text().strip()) as client:
            assert client.interface.action_names == adopted.schema.action_names
        with pytest.raises(GlamError, match="refused with 401"):
            PolicyClient(address)

    beyond = [words for words in pages.commands(crane.PAGE) if words not in [*commands, serve]]
    assert [words for words in beyond if words[0] not in ELSEWHERE] == pages.typed(guarded)
    assert pages.typed(served) == [serve]


def test_the_short_way_in_the_readme_is_that_of_the_page() -> None:
    (short,) = (block for block in pages.blocks(pages.page("../README.md"), "sh") if "data adopt" in block)
    steps = pages.typed(short)
    page = iter(pages.commands(ADOPTED))  # the same commands in the same order; the page has more of them
    assert all(any(words[:2] == step[:2] for words in page) for step in steps)
    assert [steps[0][:3], steps[-1][:2]] == [["glam", "data", "adopt"], ["glam", "serve"]]


def test_what_the_page_shows_of_a_dry_run_is_what_is_said(room: Path, glam: Glam) -> None:
    (shown,) = pages.blocks(ADOPTED, "text")
    said = glam(*pages.commands(ADOPTED)[0][1:]).output.splitlines()
    *lines, total = shown.splitlines()
    assert [line.removesuffix(" ...") for line in lines[:3]] == said[:3]
    assert said[3].startswith(lines[3].removesuffix(" ..."))
    assert re.sub(r"\d+", "N", total) == re.sub(r"\d+", "N", said[-1])


def test_the_page_s_recordings_in_other_formats_become_datasets(room: Path, follow) -> None:
    recordings.robomimic(room / "lift.hdf5")
    lengths = (20, 30, 25)  # at the 60 Hz of UMI's camera, and 10 Hz are asked for
    recordings.replay_buffer(room / "umi.zarr.zip", recordings.umi_arrays(lengths), lengths)
    recordings.video_folder(room / "recordings")
    follow([words for words in pages.commands(CONVERTED) if words[0] not in ELSEWHERE])
    made = {path.name: Dataset.open(path) for path in (room / "data").iterdir()}
    assert {name: (len(set_.episodes), set_.schema.role) for name, set_ in made.items()} == {
        "lift": (3, "target"),
        "umi": (3, "auxiliary"),
        "recordings": (3, "auxiliary"),
    }
    assert made["recordings"].schema.image_size == made["umi"].schema.image_size == (96, 96)


def with_masks(words: list[str]) -> list[str]:
    """What the page says is to be said instead if there are masks; into folders of their own."""
    other = {"data/my-robot": "data/my-robot-masks", "data/gripper": "data/gripper-masks", "glam": "glam-o"}
    changed = [other.get(word, f"{word}-o" if word.startswith("runs/") else word) for word in words[1:]]
    return [words[0], *changed]


class Watched(crane.Crane):
    """Somebody presses Ctrl-C once it has moved, whatever the clock says."""

    def send(self, command: NDArray[np.float64]) -> None:
        super().send(command)
        if len(np.unique(self.commands, axis=0)) > 3:
            raise KeyboardInterrupt


@contextmanager
def serving(block: str, room: Path) -> Iterator[str]:
    """A block that ends with `glam serve`, run by a shell, on any free port; gives the address."""
    programs = room / "bin"
    programs.mkdir(exist_ok=True)
    for name, line in {"python": '"$@"', "glam": '-m glam "$@" --port 0'}.items():
        (programs / name).write_text(f"#!/bin/sh\nexec '{sys.executable}' {line}\n")
        (programs / name).chmod(0o755)
    environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"}
    shell = subprocess.Popen(
        ["sh", "-ec", block], env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    with shell:
        assert shell.stdout is not None
        said = shell.stdout.readline()
        try:
            yield re.sub(r"^serving runs/policy at ws://\S+:(\d+)\n$", r"ws://127.0.0.1:\1", said)
        finally:
            os.killpg(shell.pid, signal.SIGTERM)
        assert shell.stdout.read().splitlines()[-1] == "stopped"
