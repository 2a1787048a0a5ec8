"""Trainings killed with `kill -9` at random steps and resumed by the same call: are the final weights the same bits?

    python benchmarks/kills.py world-model --target DIR --aux DIR [--trials 20] [--json OUT]
    python benchmarks/kills.py policy --target DIR [--trials 20] [--json OUT]

Each trial is a training of its own, of the recipe at preset `cpu` with few steps and one thread, in a process that is
killed from outside some milliseconds after it reported a random step, and then trained to its end. The weights are
compared with those of a training that nobody disturbed. Trainings are forked from a process that has loaded what they
need, so that a trial takes seconds.
"""

import argparse
import hashlib
import os
import random
import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from glam.core.files import write_json
from glam.data.cache import decoded
from glam.data.reader import Dataset
from glam.recipes import policy, world_model
from glam.stages.train_policy import Inputs, train_policy
from glam.stages.train_world_model import Callbacks, train_world_model
from glam.training.artefact import MODEL
from glam.training.config import FitConfig

STEPS, SAVE_EVERY = 40, 7
SLACK = 0.1
"""Seconds within which the kill follows the report: about a step."""
Train = Callable[[Path, Callbacks], object]


def main() -> None:
    options = parse()
    torch.set_num_threads(1)  # a process whose threads have worked cannot be forked
    train = world_model_training(options) if options.what == "world-model" else policy_training(options)
    with tempfile.TemporaryDirectory() as folder:
        found = trials(train, Path(folder), options.trials, options.seed)
    found |= {"what": options.what, "steps": STEPS, "save_every": SAVE_EVERY, "threads": 1}
    print(f"{found['equal']} of {found['trials']} equal; killed at steps {found['killed_at']}")
    if options.json:
        write_json(options.json, found)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["world-model", "policy"])
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--aux", type=Path)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def world_model_training(options: argparse.Namespace) -> Train:
    recipe = world_model("glam-o")
    recipe = replace(recipe, fit=short(recipe.fit))
    for root in (options.target, options.aux):
        decoded(Dataset.open(root), recipe.pixels)  # once, and not while being killed
    return lambda out, callbacks: train_world_model(recipe, options.target, [options.aux], out, callbacks)


def policy_training(options: argparse.Namespace) -> Train:
    recipe = policy("mip")
    recipe = replace(recipe, fit=short(recipe.fit))
    decoded(Dataset.open(options.target), recipe.policy.observation.encoder.pixels)
    return lambda out, callbacks: train_policy(recipe, Inputs(options.target), out, callbacks)


def short(fit: FitConfig) -> FitConfig:
    return replace(fit, steps=STEPS, save_every=SAVE_EVERY, log_every=1, validate_every=0, threads=1)


def trials(train: Train, folder: Path, count: int, seed: int) -> dict[str, Any]:
    finished(train, folder / "undisturbed")
    expected = weights(folder / "undisturbed")
    moments = random.Random(seed)
    equal, killed_at = 0, []
    for number in range(count):
        root = folder / f"trial-{number}"
        killed_at.append(killed(train, root, moments.randint(1, STEPS - 1), moments.uniform(0.0, SLACK)))
        finished(train, root)
        equal += weights(root) == expected
        shutil.rmtree(root)
        print(f"trial {number + 1} of {count}: killed at step {killed_at[-1]}, {equal} equal so far", flush=True)
    return {"trials": count, "equal": equal, "killed_at": killed_at}


def killed(train: Train, root: Path, step: int, later: float) -> int:
    """Kill a training `later` seconds after it has reported `step`; returns the last step that it reported."""
    reading, writing = os.pipe()
    child = forked(partial(train, root, Callbacks(training=lambda seen: os.write(writing, bytes([seen.step])))))
    os.close(writing)
    last = 0
    while last < step:
        last = os.read(reading, 1)[0]
    time.sleep(later)
    os.kill(child, signal.SIGKILL)
    os.close(reading)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code == -signal.SIGKILL, f"ended with {code} before it could be killed"
    return last


def finished(train: Train, root: Path) -> None:
    child = forked(partial(train, root, Callbacks()))
    assert os.waitpid(child, 0)[1] == 0


def forked(work: Callable[[], object]) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    finally:
        os._exit(code)


def weights(root: Path) -> str:
    return hashlib.sha256((root / MODEL).read_bytes()).hexdigest()


if __name__ == "__main__":
    main()
