"""The command line as a user types it."""

import os
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from tests.typed import Glam

from glam.cli import outcome


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["collect", "juggle", "--embodiment", "umi", "--out", "OUT"], "no task 'juggle'; choose one of knock-down"),
        (["collect", "lift", "--embodiment", "octopus", "--out", "OUT"], "no embodiment 'octopus'; choose one"),
        (["collect", "lift", "--embodiment", "umi", "--out", "OUT", "--episodes", "0"], "--episodes 0"),
        (["collect", "lift", "--embodiment", "umi", "--out", "OUT", "--disturbances", "2"], "--disturbances 2"),
        (["data", "check", "OUT"], "OUT"),
        (["data", "view", "OUT"], "OUT"),
        (["train-world-model", "glamour", "--target", "A", "--aux", "B", "--out", "OUT"], "no method 'glamour'"),
        (["train-world-model", "glam-o", "--target", "A", "--aux", "B", "--out", "OUT"], "A"),
        (
            ["train-policy", "guess", "--target", "A", "--out", "OUT"],
            "no policy 'guess'; choose one of direct, latent, mip",
        ),
        (["train-policy", "retarget", "--target", "A", "--out", "OUT"], "--aux: retarget needs at least one"),
        (["train-policy", "retarget", "--target", "A", "--aux", "B", "--out", "OUT"], "A"),
        (["inspect", "OUT"], "OUT"),
        (["relabel", "--world-model", "OUT", "--data", "A"], "OUT"),
        (["replay", "--world-model", "OUT", "--source", "A", "--task", "lift", "--out", "X"], "OUT"),
    ],
)
def test_bad_input_gets_one_sentence_and_code_two(
    words: list[str], sentence: str, glam: Glam, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    said = glam(*words)
    assert said.code == 2
    lines = said.error.strip().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("glam: ")
    assert sentence in lines[0]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [["--version"], ["data", "check", "nowhere"]])
def test_output_that_cannot_be_written_ends_in_a_sentence_if_that_can_be(words: list[str]) -> None:
    command = [sys.executable, "-m", "glam", *words]
    with Path("/dev/full").open("w") as full:
        said = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert said.returncode == 2
        assert said.stderr.startswith("glam: ")
        assert said.stderr.count("\n") == 1
        assert subprocess.run(command, stdout=full, stderr=full, check=False).returncode == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--scale", "smoke"], "--scale: this flag is called --preset since version 0.2"),  # old word
        (["--robot=kinova"], "--robot: this flag is called --embodiment since version 0.2"),  # old word
        (["--aux", "A", "--aux", "B"], "--aux: given 2 times; give it once, with all its values: --aux A B"),
    ],
)
def test_old_and_repeated_flags_get_one_sentence(words: list[str], sentence: str, glam: Glam) -> None:
    said = glam("train-world-model", "glam-o", "--target", "A", "--out", "OUT", *words)
    assert (said.code, said.error) == (2, f"glam: {sentence}\n")


def test_settings_are_given_one_by_one(glam: Glam) -> None:
    words = ("--target", "A", "--aux", "B", "--out", "OUT", "--set", "fit.steps=1", "--set", "fit.steps=2")
    assert "A" in glam("train-world-model", "glam-o", *words).error


@pytest.mark.parametrize("words", [[], ["fly"], ["collect"], ["collect", "lift", "--embodiment", "umi", "--nonsense"]])
def test_what_cannot_be_parsed_ends_with_code_two(words: list[str], glam: Glam) -> None:
    assert glam(*words).code == 2


def test_an_interruption_says_that_nothing_is_lost(capsys: pytest.CaptureFixture[str]) -> None:
    class Interrupted:
        def run(self) -> int:
            raise KeyboardInterrupt

    assert outcome(Interrupted()) == 130
    assert "the same command resumes" in capsys.readouterr().err


def test_sigterm_ends_a_command_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    class Terminated:
        def run(self) -> int:
            os.kill(os.getpid(), signal.SIGTERM)
            return 0

    before = signal.getsignal(signal.SIGTERM)
    assert outcome(Terminated()) == 143
    assert "nothing that was saved is lost" in capsys.readouterr().err
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(28, "No space left on device", "runs/a"), "glam: runs/a: No space left on device; nothing"),
        (PermissionError(13, "Permission denied", "data"), "glam: data: Permission denied; nothing"),
        (MemoryError(), "glam: not enough memory"),
    ],
)
def test_a_disk_or_memory_that_fails_is_a_sentence(
    error: Exception, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    class Failing:
        def run(self) -> int:
            raise error

    assert outcome(Failing()) == 2
    assert capsys.readouterr().err.startswith(sentence)


def test_help_comes_without_loading_torch_or_mujoco() -> None:
    program = "import sys, glam.cli; assert not {'torch', 'mujoco'} & set(sys.modules), 'slow to start'"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_version_is_that_of_the_distribution(glam: Glam) -> None:
    said = glam("--version")
    assert said.code == 0
    assert said.output.strip() == f"glam-robot {version('glam-robot')}"
