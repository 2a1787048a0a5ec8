"""Every command that writes, as it is typed."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.torture.processes import Work, glam
from benchmarks.torture.samples import Samples
from tests.interop.segmenters.test_proposals import CLICKS, Flat

from glam.interop.segmenters import onnx_sam

SMOKE = ("--preset", "smoke", "--threads", "1", "--set", "fit.save_every=5", "--set", "fit.log_every=1")
STEPS = 12
Words = tuple[object, ...]


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


def _align(sound: Path, place: Path) -> Words:
    return ("data", "align", sound / "carrying-umi", "--target", sound / "carrying", "--out", place / "out")


def _tracks(sound: Path, place: Path) -> Words:
    return ("data", "tracks", sound / "aux", "--out", place / "out", "--camera", sound / "cameras.json")


def _check(sound: Path, place: Path) -> Words:
    sets = ("--target", sound / "target", "--aux", sound / "aux")
    return ("data", "check", *sets, "--page", place / "out/page.html")


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
        Job("align", _align),
        Job("tracks", _tracks),
        Job("check", _check),
    )
}
