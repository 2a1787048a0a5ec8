"""Hostile content: files that want to write or read elsewhere, to run code, or to exhaust."""

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from benchmarks.torture import spoiling
from benchmarks.torture.jobs import JOBS, SMOKE, Words
from benchmarks.torture.spoiling import (
    MODELS,
    Spoil,
    edited,
    link,
    listing,
    replaced,
    resealed,
    sealed,
    set_in,
    tensor,
    tensors,
)

ESCAPE = "\x1b[31mred"
Typed = Callable[[Path], Words]


@dataclass(frozen=True)
class Case:
    """Content that means harm, and the command that meets it."""

    name: str
    spoil: Spoil
    words: Typed
    may_pass: bool = False
    """True if the command may also succeed, as long as it does no harm."""


TOP = ("--map", "observation.images.front=observation.images.top", "--size", 16)


def train(place: Path) -> Words:
    sets = ("--target", place / "target", "--aux", place / "aux")
    return ("train-world-model", "glam-o", *sets, "--out", place / "out", *SMOKE, "--steps", 2)


def skipping(place: Path) -> Words:
    return (*train(place), "--skip-episodes", "skip.json")


def adopt(place: Path) -> Words:
    return ("data", "adopt", place / "arm", "--out", place / "out", *TOP)


USES: dict[str, Typed] = {
    "check": lambda place: ("data", "check", place / "target"),
    "check of others": lambda place: ("data", "check", place / "arm"),
    "adopt": adopt,
    "view": lambda place: ("data", "view", place / "target", "--out", place / "out/view.html"),
    "train": train,
    "relabel": lambda place: (
        *("relabel", "--world-model", place / "world-model", "--data", place / "target"),
        *("--as-lerobot", place / "out"),
    ),
    "inspect": lambda place: ("inspect", place / "world-model"),
    "export": lambda place: ("export", "--policy", place / "policy", "--out", place / "out"),
    "report": lambda place: ("report", place / "evaluation", "--out", place / "out/report.html"),
}


def model(name: str) -> Case:
    """A model of a robot that means harm."""

    def words(place: Path) -> Words:
        return (*adopt(place), "--kinematics", place / name, "--tool-frame", "tip")

    return Case(f"model of a robot: {name}", lambda place: (place / name).write_text(MODELS[name]), words)


NAMES = ("../outside/secret.txt", "/etc/passwd", "data/../../outside/secret.txt", "a\\b", "", ESCAPE, "x" * 5000)
TEMPLATES = (
    *(
        "../outside/{chunk_index}{file_index}",
        "/etc/{chunk_index}{file_index}",
        "{chunk_index:1500000000d}{file_index}",
    ),
    *("{chunk_index.__class__}{file_index}", "{0}", "{other}", "data/\x00{chunk_index}", None, 7),
)
FACTS: dict[str, Any] = {
    "a rate of 0": {"fps": 0},
    "a negative rate": {"fps": -1},
    "a rate that is text": {"fps": "ten"},
    "a rate beyond all": {"fps": 10**300},
    "episodes beyond all": {"total_episodes": 10**12},
    "features that are none": {"features": {"action": 3}},
    "a shape beyond all": {"features": {"action": {"dtype": "float32", "shape": [10**12], "names": None}}},
    "a name that colours": {"features": {ESCAPE: {"dtype": "float32", "shape": [1], "names": None}}},
    "a name that leads out": {"features": {"observation.images.../../x": {"dtype": "video", "shape": [16, 16, 3]}}},
    "no features": {"features": {}},
}
INFO = "arm/meta/info.json"
FILM = "arm/videos/observation.images.top/chunk-000/file-000.mp4"
JSON_BOMBS: dict[str, Callable[[], bytes]] = {
    "deep lists": lambda: b"[" * 100_000,
    "a number of 5,000 digits": lambda: b'{"fps": ' + b"9" * 5000 + b"}",
    "not a number": lambda: b'{"fps": NaN}',
    "no text": lambda: b"\xff\xfe\x00",
    "many values": lambda: b"[" + b"0," * 9_000_000 + b"0]",
    "nothing": bytes,
}
WEIGHTS: dict[str, Callable[[], bytes]] = {
    "a pickle": lambda: pickle.dumps(spoiling.Trap()),
    "a header of 100 MB": lambda: tensors({}, 100_000_000),
    "a header of exabytes": lambda: tensors({}, 1 << 62),
    "300,000 empty tensors": lambda: tensors({f"t{n}": tensor([0], [0, 0]) for n in range(300_000)}),
    "a shape that overflows": lambda: tensors({"w": tensor([1 << 33, 1 << 33], [0, 0])}),
    "offsets that overlap": lambda: tensors({"w": tensor([1], [-4, 0])}),
    "nothing": bytes,
}

CONFIGS: dict[str, Callable[[Any], Any]] = {
    "widths of ten millions": set_in("config", "model", "parts", to={"vision": {"widths": [10**7] * 4}}),
    "a model of another class": set_in("config", "model", to={"class": "os.system", "arguments": ["true"]}),
    "no config": lambda _: {},
    "a list": lambda _: [],
    "a method that colours": set_in("config", "method", to=ESCAPE),
    "pixels beyond all": set_in("config", "pixels", to=10**9),
    "negative pixels": set_in("config", "pixels", to=-4),
}
LINKS = {
    "meta/notes.txt": ("arm/meta/notes.txt", "adopt"),
    "a folder of films": ("arm/videos", "adopt"),
    "a description": ("target/meta/info.json", "check"),
    "rows": ("target/data/chunk-000", "train"),
    "a file beside": ("target/meta/notes.txt", "relabel"),
    "weights": ("world-model/model.safetensors", "inspect"),
    "the config": ("policy/config.json", "export"),
    "records": ("evaluation/episodes.jsonl", "report"),
    "films": ("evaluation/films", "report"),
}


def cases() -> Iterator[Case]:
    """All cases."""
    return chain(datasets(), runs(), links(), map(model, MODELS), odd_cases())


def datasets() -> Iterator[Case]:
    """Datasets of ours and of others."""
    for name in NAMES:
        for use in ("check", "relabel"):
            yield Case(f"{use}: a manifest that lists {name[:30]!r}", listing(name), USES[use])
    for template in TEMPLATES:
        for key in ("data_path", "video_path"):
            yield Case(f"adopt: {key} {template!r}", edited(INFO, set_in(key, to=template)), adopt)
    for name, facts in FACTS.items():
        for use in ("check of others", "adopt"):
            yield Case(f"{use}: {name}", edited(INFO, lambda info, facts=facts: info | facts), USES[use])
    for name, content in JSON_BOMBS.items():
        yield Case(f"adopt: a description of {name}", replaced(INFO, content), adopt)
        yield Case(f"check: a manifest of {name}", replaced("target/meta/glam.json", content), USES["check"])


def runs() -> Iterator[Case]:
    """World models and policies."""
    for name, content in WEIGHTS.items():
        for folder, use in (("world-model", "inspect"), ("policy", "export")):
            yield Case(f"{use}: weights, {name}", sealed(folder, "model.safetensors", content), USES[use])
    for name, change in CONFIGS.items():
        for folder, use in (("world-model", "inspect"), ("policy", "export")):
            yield Case(f"{use}: a config, {name}", resealed(folder, "config.json", change), USES[use], may_pass=True)


def links() -> Iterator[Case]:
    """Links that lead out of a folder."""
    for name, (path, use) in LINKS.items():
        is_unread = name == "a file beside"  # no file of ours: it is neither read nor copied
        yield Case(f"{use}: a link in the place of {name}", link(path), USES[use], is_unread)
    for job in JOBS.values():
        spoil = link(f"{job.target}/.lock")
        yield Case(f"{job.name}: a link in the place of the lock", spoil, _typed(job.name), may_pass=True)


def odd_cases() -> Iterator[Case]:
    """Cases that belong to no family."""
    yield Case("adopt: a pipe as the description", spoiling.fifo(INFO), adopt)
    yield Case("train: a pipe as rows", spoiling.fifo("target/data/chunk-000/file-000.parquet"), train)
    yield Case("adopt: an endless device as the description", link(INFO, "/dev/zero"), adopt)
    yield Case(
        "adopt: tasks of 150 million rows",
        spoiling.rows_of_nothing("arm/meta/tasks.parquet", ("task_index",), 150_000_000),
        adopt,
    )
    yield Case("check: a image of 20,000 x 20,000", spoiling.image_bomb, USES["check"])
    yield Case("view: a image of 20,000 x 20,000", spoiling.image_bomb, USES["view"])
    for name, content in JSON_BOMBS.items():
        yield Case(f"masks: clicks of {name}", replaced("clicks.json", content), masks("--prompts", "clicks.json"))
        yield Case(f"train: episodes to skip, {name}", replaced("skip.json", content), skipping)
    red = ("--object", "red=front@0:9,11")
    yield Case("masks: a large archive", spoiling.large_archive, masks("--weights", "weights.tgz", *red))
    yield Case("masks: an endless device", link("weights.tgz", "/dev/zero"), masks("--weights", "weights.tgz", *red))
    for number in (1e30, float("nan"), float("inf")):
        yield Case(f"train: an action of {number:g}", spoiling.values("action", number), train)
        yield Case(f"check: a state of {number:g}", spoiling.values("observation.state", number), USES["check"])
    yield Case("convert: members that lead elsewhere", spoiling.slipping_archive, convert)
    for name in ("demo.zarr.zip", "demo.hdf5"):
        yield Case(f"convert: a pipe as {name}", spoiling.fifo(name), convert_of(name))
        yield Case(f"convert: an endless device as {name}", link(name, "/dev/zero"), convert_of(name))
    for use in ("check of others", "adopt"):
        yield Case(f"{use}: a pipe as a film", spoiling.fifo(FILM), USES[use])
    scripts = set_in("policy", to=f"<script>alert(1)</script>{ESCAPE}")
    colours = resealed("evaluation", "config.json", scripts)
    yield Case("report: a name that colours", colours, USES["report"], may_pass=True)
    for size in (0, -4, 100_000):
        yield Case(f"collect: images of {size}", spoiling.nothing, collect("--episodes", 1, "--image-size", size))
    yield Case("collect: thirty million episodes", link("out/meta"), collect("--episodes", 30_000_000))


def convert_of(name: str) -> Typed:
    return lambda place: ("data", "convert", place / name, "--out", place / "out", "--task", "Lift it.")


convert = convert_of("demo.zarr.zip")


def masks(*words: object) -> Typed:
    return lambda place: ("data", "masks", place / "target", "--out", place / "out", *words)


def collect(*words: object) -> Typed:
    return lambda place: ("collect", "lift", "--embodiment", "umi", "--out", place / "out", "--workers", 1, *words)


def _typed(name: str) -> Typed:
    return lambda place: JOBS[name].words(place.parent.parent / "sound", place)
