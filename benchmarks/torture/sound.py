"""Sound files of every kind to be attacked, made once."""

import importlib
import os
import pkgutil
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.torture.jobs import JOBS, SMOKE, STEPS, Words
from benchmarks.torture.processes import glam
from benchmarks.torture.samples import Samples
from tests.data import tiny
from tests.interop.imports import foreign as recordings
from tests.interop.lerobot import foreign
from tests.interop.segmenters import recorded

import glam as glam_package
from glam.core.files import write_json
from glam.data.recording import publish, recording, save_episode
from glam.data.schema import EE_POSE, Schema
from glam.recipes import world_model
from glam.stages.train_world_model import Callbacks, train_world_model

UPRIGHT = np.array([[1, 1, 1, 0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 1, 0, 0, 0, 1, 0, 0]], np.float32)
"""How a pose moves in a frame, in units of a centimetre, and where it begins: upright."""
CAMERA = {
    "size": [16, 16],
    "focal": [16, 16],
    "centre": [8, 8],
    "position": [0, 0, -1],
    "rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
}


def samples_in(root: Path) -> Samples:
    """The samples in a folder, with the sound files made if they are not there.

    All that commands import when they are asked for is imported now, so that no forked process has to.
    """
    for found in pkgutil.walk_packages(glam_package.__path__, "glam."):
        if found.name.startswith(("glam.stages", "glam.bench", "glam.sim")):
            importlib.import_module(found.name)
    made = Samples(root)
    root.mkdir(parents=True, exist_ok=True)
    for name, work in _makers(made).items():
        if not (made.sound / name).exists():
            made.place("making")
            shutil.rmtree(root / "new", ignore_errors=True)
            (root / "new").mkdir()
            made.must(partial(work, root / "new"))
            made.sound.mkdir(exist_ok=True)
            (root / "new" / name).rename(made.sound / name)
    return made


def _makers(made: Samples) -> dict[str, Callable[[Path], object]]:
    """What makes each of the sound files, in an order in which each finds what it needs."""
    sound = made.sound

    def by(job: str, name: str) -> Callable[[Path], object]:
        def make(new: Path) -> None:
            _quietly(JOBS[job].words(sound, new))
            (new / "out").rename(new / name)

        return make

    return {
        "target": lambda new: _record(new / "target", tiny.TARGET),
        "aux": lambda new: _record(new / "aux", tiny.AUXILIARY),
        "arm": lambda new: foreign.arm(new / "arm"),
        "squares": lambda new: recorded.squares(new / "squares"),
        "demo.hdf5": lambda new: recordings.robomimic(new / "demo.hdf5"),
        "world-model": by("train-world-model", "world-model"),
        "policy": by("train-policy", "policy"),
        "export": by("export", "export"),
        "half-trained": lambda new: _half_trained(sound, new / "half-trained"),
        "cameras.json": lambda new: write_json(
            new / "cameras.json", {"cameras": dict.fromkeys(("front", "overhead"), CAMERA)}
        ),
        "kinova": lambda new: _collected(new / "kinova", "lift", "kinova", 3, 32),
        "umi": lambda new: _collected(new / "umi", "lift", "umi", 3, 32),
        "carrying": lambda new: _collected(new / "carrying", "pick-place", "kinova", 3, 48),
        "carrying-umi": lambda new: _collected(new / "carrying-umi", "pick-place", "umi", 1, 48, "--seed", 1000),
        "lift-policy": lambda new: _train(("mip",), sound, new / "lift-policy"),
        "lift-model": lambda new: _train(("glam-o", "--aux", sound / "umi"), sound, new / "lift-model"),
        "evaluation": by("evaluate", "evaluation"),
        "replay": by("replay", "replay"),
    }


def _record(root: Path, schema: Schema) -> None:
    """Three episodes made of formulas, with poses in which the check finds no fault."""
    with recording(root, schema, tiny.DESCRIPTION):
        for index in range(3):
            episode = tiny.episode(index, schema)
            pose = episode.vectors[EE_POSE]
            pose[:] = 0.01 * np.arange(len(pose))[:, None] * UPRIGHT[0] + UPRIGHT[1]
            save_episode(root, schema, index, episode, {"seed": index})
        publish(root, schema, tiny.DESCRIPTION, 3)


def _half_trained(sound: Path, out: Path) -> None:
    """A world model whose training died after its last checkpoint but one."""
    code = os.fork()
    if code == 0:
        die = Callbacks(training=lambda seen: os._exit(0) if seen.step > STEPS - 2 else None)
        train_world_model(half_config(), sound / "target", [sound / "aux"], out, die)
        os._exit(1)
    os.waitpid(code, 0)


def half_config() -> Any:
    """The config of the training that died."""
    recipe = world_model("glam-o", "smoke")
    return replace(recipe, fit=replace(recipe.fit, steps=STEPS, save_every=5, log_every=1, validate_every=0, threads=1))


def _quietly(words: Words) -> None:
    try:
        glam(words)()
    except SystemExit as stop:
        if stop.code:
            raise


def _collected(out: Path, task: str, embodiment: str, episodes: int, side: int, *more: object) -> None:
    sizes = ("--episodes", episodes, "--image-size", side, "--workers", 1)
    _quietly(("collect", task, "--embodiment", embodiment, "--out", out, *sizes, *more))


def _train(method: Words, sound: Path, out: Path) -> None:
    command = "train-policy" if method[0] == "mip" else "train-world-model"
    _quietly((command, *method, "--target", sound / "kinova", "--out", out, *SMOKE, "--steps", STEPS))
