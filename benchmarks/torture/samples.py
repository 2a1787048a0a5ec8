"""Sound files of every kind to be attacked, made once, and the commands that make them."""

import importlib
import os
import pkgutil
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.torture import processes
from benchmarks.torture.processes import Ended, Work, glam
from tests.data import tiny
from tests.interop.imports import foreign as recordings
from tests.interop.lerobot import foreign
from tests.interop.segmenters import recorded
from tests.interop.segmenters.test_proposals import CLICKS, Flat

import glam as glam_package
from glam.data.recording import publish, recording, save_episode
from glam.data.schema import EE_POSE, Schema
from glam.interop.segmenters import onnx_sam
from glam.recipes import world_model
from glam.stages.train_world_model import Callbacks, train_world_model

SMOKE = ("--preset", "smoke", "--threads", "1", "--set", "fit.save_every=5", "--set", "fit.log_every=1")
STEPS = 12
Words = tuple[object, ...]
UPRIGHT = np.array([[1, 1, 1, 0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 1, 0, 0, 0, 1, 0, 0]], np.float32)
"""How a pose moves in a frame, in units of a centimetre, and where it begins: upright."""


@dataclass(frozen=True)
class Samples:
    """A folder with sound files in `sound`, and room to spoil copies of them."""

    root: Path

    @property
    def sound(self) -> Path:
        """Sound files; nothing changes them."""
        return self.root / "sound"

    def beside(self, name: str) -> "Samples":
        """The same sound files with room of their own, for a process that works beside others."""
        root = self.root / name
        root.mkdir(exist_ok=True)
        if not (root / "sound").exists():
            (root / "sound").symlink_to(self.sound)
        return Samples(root)

    def place(self, name: str) -> Path:
        """A new empty folder for a try, with a cache of its own."""
        place = self.root / "places" / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        os.environ["GLAM_CACHE"] = str(place / "cache")
        return place

    def run(self, work: Work, patience: float = processes.PATIENCE) -> Ended:
        """Do `work` in a process of its own."""
        return processes.run(work, self.root, patience)

    def must(self, work: Work) -> None:
        """Do `work`, which cannot fail."""
        found = self.run(work)
        if found.code:
            raise RuntimeError(f"ended with {found.code}: {found.said[-2000:]}")


@dataclass(frozen=True)
class Job:
    """A command that writes, as it is typed in a place of its own."""

    name: str
    words: Callable[[Path, Path], Words]
    """Of the folder with the sound files, and the place."""
    also: tuple[str, ...] = ()
    """Sound files that it works on in the place itself."""
    target: str = "out"
    """Name of what it writes."""
    stand_in: Callable[[], object] = lambda: None
    """Puts something small in the place of a large model, in the process of the command."""

    def prepare(self, samples: Samples) -> Path:
        """A fresh place for it."""
        place = samples.place(self.name)
        for name in self.also:
            shutil.copytree(samples.sound / name, place / name)
        return place

    def work(self, samples: Samples, place: Path) -> Work:
        """The command itself."""
        command = glam(self.words(samples.sound, place))

        def work() -> None:
            self.stand_in()
            command()

        return work


def _collect(sound: Path, place: Path) -> Words:
    del sound
    sizes = ("--episodes", 2, "--image-size", 16, "--workers", 1)
    return ("collect", "lift", "--embodiment", "umi", "--out", place / "out", *sizes)


def _convert(sound: Path, place: Path) -> Words:
    return ("data", "convert", sound / "demo.hdf5", "--out", place / "out", "--size", 16, "--task", "Lift it.",
            "--source-rate", 20)  # fmt: skip


def _adopt(sound: Path, place: Path) -> Words:
    top = ("--map", "observation.images.front=observation.images.top")
    return ("data", "adopt", sound / "arm", "--out", place / "out", *top, "--size", 16)


def _train_world_model(sound: Path, place: Path) -> Words:
    sets = ("--target", sound / "target", "--aux", sound / "aux")
    return ("train-world-model", "glam-o", *sets, "--out", place / "out", *SMOKE, "--steps", STEPS)


def _train_policy(sound: Path, place: Path) -> Words:
    return ("train-policy", "mip", "--target", sound / "target", "--out", place / "out", *SMOKE, "--steps", STEPS)


def _relabel(sound: Path, place: Path) -> Words:
    sets = ("--data", sound / "aux", "--as-lerobot", place / "out")
    return ("relabel", "--world-model", place / "world-model", *sets)


def _export(sound: Path, place: Path) -> Words:
    return ("export", "--policy", sound / "policy", "--out", place / "out")


def _evaluate(sound: Path, place: Path) -> Words:
    return ("evaluate", "--policy", sound / "lift-policy", "--task", "lift", "--out", place / "out",
            "--episodes", 2, "--films", 1, "--workers", 1)  # fmt: skip


def _bench(sound: Path, place: Path) -> Words:
    del sound
    return ("bench", "smoke", "--root", place / "out", "--workers", 1, "--methods", "mip", "--seeds", 0)


def _replay(sound: Path, place: Path) -> Words:
    sets = ("--source", sound / "umi", "--task", "lift", "--out", place / "out")
    return ("replay", "--world-model", sound / "lift-model", *sets, "--episodes", 1, "--films", 1)


def _report(sound: Path, place: Path) -> Words:
    return ("report", sound / "policy", sound / "world-model", "--out", place / "out/report.html")


def _inspect(sound: Path, place: Path) -> Words:
    sets = ("--target", sound / "target", "--aux", sound / "aux")
    return ("inspect", place / "world-model", *sets)


def _quality(sound: Path, place: Path) -> Words:
    made = ("--out", place / "out/skip.json", "--page", place / "out/page.html")
    return ("data", "quality", sound / "aux", *made, "--workers", 1)


def _masks(sound: Path, place: Path) -> Words:
    clicks = [word for click in CLICKS for word in ("--object", click)]
    return ("data", "masks", sound / "squares", "--out", place / "out", *clicks)


def _without_weights() -> None:
    onnx_sam.open_sam = lambda *_: Flat()  # type: ignore[assignment,return-value]


def _view(sound: Path, place: Path) -> Words:
    return ("data", "view", sound / "aux", "--out", place / "out/view.html")


JOBS = {
    job.name: job
    for job in (
        Job("collect", _collect),
        Job("convert", _convert),
        Job("adopt", _adopt),
        Job("train-world-model", _train_world_model),
        Job("train-policy", _train_policy),
        Job("relabel", _relabel, ("world-model",)),
        Job("export", _export),
        Job("evaluate", _evaluate),
        Job("bench", _bench),
        Job("replay", _replay),
        Job("report", _report),
        Job("inspect", _inspect, ("world-model",), "world-model"),
        Job("view", _view),
        Job("quality", _quality),
        Job("masks", _masks, stand_in=_without_weights),
    )
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
        "kinova": lambda new: _lift(new / "kinova", "kinova"),
        "umi": lambda new: _lift(new / "umi", "umi"),
        "lift-policy": lambda new: _train(("mip",), sound, new / "lift-policy"),
        "lift-model": lambda new: _train(("glam-o", "--aux", sound / "umi"), sound, new / "lift-model"),
        "evaluation": by("evaluate", "evaluation"),
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


def _lift(out: Path, embodiment: str) -> None:
    words = ("collect", "lift", "--embodiment", embodiment, "--out", out, "--episodes", 3, "--image-size", 32)
    _quietly((*words, "--workers", 1))


def _train(method: Words, sound: Path, out: Path) -> None:
    command = "train-policy" if method[0] == "mip" else "train-world-model"
    _quietly((command, *method, "--target", sound / "kinova", "--out", out, *SMOKE, "--steps", STEPS))
