"""Trainings as processes of their own: killed from outside, and two that share one batch."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from glam.core.files import sha256
from glam.training.artefact import MODEL
from glam.training.recorder import CHECKPOINTS, METRICS

TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")


WORLD_MODEL = ("train-world-model", "glam-o")
POLICY = ("train-policy", "latent")


def command(
    trained, out: Path, *words: str, what: tuple[str, str] = WORLD_MODEL, launcher: tuple[str, ...] = ()
) -> list[str]:
    sets = ("--target", str(trained.target), "--aux", str(trained.auxiliary), "--out", str(out))
    model = ("--world-model", str(trained.run)) if what == POLICY else ()
    options = ("--preset", "smoke", "--threads", "1", *words)
    return [sys.executable, *launcher, "-m", "glam", *what, *sets, *model, *options]


def run(words: list[str]) -> None:
    subprocess.run(words, check=True, capture_output=True, timeout=300)


def test_a_training_that_is_killed_and_typed_again_ends_in_the_same_weights(trained, tmp_path: Path) -> None:
    steps = ("--steps", "60")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    run(command(trained, whole, *steps))
    words = command(trained, killed, *steps)
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not list((killed / CHECKPOINTS).glob("*")):
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert not (killed / MODEL).exists()
    run(words)
    assert sha256(killed / MODEL) == sha256(whole / MODEL)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_training_that_is_told_to_end_saves_its_step_and_says_so(trained, tmp_path: Path, number: int) -> None:
    whole, ended = tmp_path / "whole", tmp_path / "ended"
    # No checkpoint is due before the end: what is saved is saved because of the signal.
    words = ("--steps", "400", "--set", "fit.save_every=400", "--set", "fit.log_every=1")
    run(command(trained, whole, *words))
    with subprocess.Popen(command(trained, ended, *words), stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not ((ended / METRICS).exists() and (ended / METRICS).stat().st_size):
            time.sleep(0.005)  # until a step is done: before it there is nothing to save
        process.send_signal(number)
        assert process.stderr is not None
        said = process.stderr.read().splitlines()[-1]
    assert process.returncode == 128 + number
    (saved,) = (ended / CHECKPOINTS).glob("step-*")
    assert said == f"glam: interrupted and saved at step {int(saved.name[5:])}; the same command resumes there"
    run(command(trained, ended, *words))
    assert sha256(ended / MODEL) == sha256(whole / MODEL)


# Each process takes the mean over the steps of its own chunks, of which those at the end of an episode have fewer; for
# chunks of equal length tests/training/test_shares.py holds it to rounding.
@pytest.mark.parametrize(("what", "within"), [(WORLD_MODEL, 1e-3), (POLICY, 5e-1)])
def test_two_processes_train_what_one_would(trained, tmp_path: Path, what: tuple[str, str], within: float) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    run(command(trained, one, what=what))
    run(command(trained, two, what=what, launcher=TORCHRUN))
    lines = [[json.loads(line) for line in (root / METRICS).read_text().splitlines()] for root in (one, two)]
    assert [line["step"] for line in lines[0]] == [line["step"] for line in lines[1]]
    for alone, shared in zip(*lines, strict=True):
        for name in (name for name in alone if name.startswith("loss")):
            assert shared[name] == pytest.approx(alone[name], rel=within, abs=1e-4), (alone["step"], name)
