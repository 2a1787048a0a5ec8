"""Numbers under attack: values that are not finite, runs that must be repeatable, and frames that must not move."""

import random
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from benchmarks.torture.digests import digest
from benchmarks.torture.interruptions import mishap, undisturbed
from benchmarks.torture.jobs import JOBS, STEPS
from benchmarks.torture.processes import Work, glam
from benchmarks.torture.samples import Samples
from benchmarks.torture.tally import Result, Section
from safetensors import safe_open
from tests.data import tiny
from tests.data.spoiling import without_manifest
from tests.interop.lerobot import foreign

from glam.data import image_codecs, layout
from glam.data.check import check_dataset
from glam.data.reader import Dataset
from glam.data.recording import acknowledged, publish, recording, save_episode
from glam.data.schema import Episode
from glam.interop.lerobot.mapping import ImportOptions, parse_map
from glam.stages.adopt import AdoptConfig, prepare
from glam.training import fit

TRAININGS = ("train-world-model", "train-policy")
KINDS = ("batch", "loss", "gradient", "weight")
FRONT = "observation.images.front"
EPISODES, FRAMES, SIDE, CELL = 20, 100, 32, 8
"""Episodes of a set, frames of an episode, and pixels of a frame, which has 16 black or white cells."""


def not_finite(samples: Samples, numbers: range) -> Iterator[Result]:
    """A NaN or an infinity in a batch, a loss, a gradient or a weight: the same step must stop, nothing of it saved."""
    for number in numbers:
        job, rng = JOBS[TRAININGS[number % 2]], random.Random(number)
        kind, value = KINDS[number // 2 % 4], rng.choice([float("nan"), float("inf"), float("-inf")])
        step, place = rng.randrange(1, STEPS), job.prepare(samples)
        case = f"{job.name} {number}: {value} in a {kind} at step {step}"
        found = samples.run(poisoned(job.work(samples, place), kind, value, step, number // 8))
        bad = mishap(found, case)
        if bad:
            yield bad
        elif found.code == 0 and digest(place / job.target) == undisturbed(job, samples)[0]:
            yield Result("harmless", f"{case}: nothing reads this number")
        elif found.code == 0 or not any(words in found.said for words in (f"step {step}:", "holds a NaN")):
            yield Result("silent", f"{case}: ended with {found.code}, {found.last_words}")
        else:
            left = [path.name for path in place.rglob("*.safetensors") if not is_finite(path)]
            yield Result("lost" if left else "detected", f"{case}: {left} hold numbers that are not finite")


def is_finite(path: Path) -> bool:
    """True if no tensor of a file holds NaN or infinity."""
    with safe_open(path, "pt") as file:
        return all(torch.isfinite(file.get_tensor(name).float()).all() for name in file.keys())  # noqa: SIM118


def poisoned(work: Work, kind: str, value: float, step: int, which: int) -> Work:
    """`work` in which a number of one step is not finite."""

    def run() -> None:
        gradient_step = fit.gradient_step

        def spoilt(state: Any, batch: Any, now: int, *others: Any) -> dict[str, float]:
            if now == step:
                POISONS[kind](state.learner, batch, value, which)
            return gradient_step(state, batch, now, *others)

        fit.gradient_step = spoilt
        work()

    return run


def in_batch(learner: Any, batch: Any, value: float, which: int) -> None:
    """Put the value into a tensor of floating-point numbers."""
    del learner
    found: list[torch.Tensor] = []

    def visit(value: Any) -> None:
        if isinstance(value, torch.Tensor):
            found.append(value)
        for part in vars(value).values() if is_dataclass(value) else value if isinstance(value, tuple | list) else ():
            visit(part)

    visit(batch)
    numbers = [tensor for tensor in found if tensor.is_floating_point()]
    numbers[which % len(numbers)].reshape(-1)[0] = value


def in_loss(learner: Any, batch: Any, value: float, which: int) -> None:
    """Make a term of the objective the value."""
    del batch
    losses = learner.losses

    def spoilt(*arguments: Any) -> dict[str, Any]:
        terms = losses(*arguments)
        name = sorted(terms)[which % len(terms)]
        return terms | {name: terms[name] * value}

    learner.losses = spoilt


def in_gradient(learner: Any, batch: Any, value: float, which: int) -> None:
    """Put the value into the gradient of a parameter that is trained."""
    del batch
    every = [parameter for parameter in learner.parameters() if parameter.requires_grad]
    every[which % len(every)].register_hook(lambda gradient: gradient + value)


def in_weight(learner: Any, batch: Any, value: float, which: int) -> None:
    """Put the value into a weight."""
    del batch
    every = [parameter for parameter in learner.parameters() if parameter.requires_grad]
    with torch.no_grad():
        found = every[which % len(every)]
        found[(0,) * found.dim()] = value


POISONS = {"batch": in_batch, "loss": in_loss, "gradient": in_gradient, "weight": in_weight}
REPEATED = (*tuple((name, threads) for name in TRAININGS for threads in (1, 2)), ("collect", 0))


def repeated(samples: Samples, numbers: range) -> Iterator[Result]:
    """The same seed again: the same bits, with one thread and with two."""
    first: dict[tuple[str, int], str] = {}
    for number in numbers:
        name, threads = REPEATED[number % len(REPEATED)]
        job, made = JOBS[name], []
        for _ in range(1 if (name, threads) in first else 2):
            place = job.prepare(samples)
            words = job.words(samples.sound, place)
            samples.must(glam(with_threads(words, threads)))
            made.append(digest(place / job.target))
        expected = first.setdefault((name, threads), made[0])
        is_same = made[-1] == expected
        case = f"{name} with {threads} threads"
        yield Result("harmless" if is_same else "silent", f"{case}: another result" if not is_same else case)


def with_threads(words: tuple[object, ...], threads: int) -> tuple[object, ...]:
    """The words with another number of threads."""
    pairs = zip(("", *words), words, strict=False)
    return tuple(threads if before == "--threads" else word for before, word in pairs)


def counter(number: int) -> np.ndarray:
    """A image that shows its number as 16 black or white cells. (Y, X, 3)."""
    bits = np.array([number >> bit & 1 for bit in range(16)], np.uint8).reshape(4, 4) * 255
    return np.kron(bits, np.ones((CELL, CELL), np.uint8))[..., None].repeat(3, -1)


def number_in(image: np.ndarray) -> int:
    """The number that a image shows."""
    cells = image[CELL // 2 :: CELL, CELL // 2 :: CELL].mean(-1).reshape(-1) > 127
    return int((cells * (1 << np.arange(16))).sum())


def frames(samples: Samples, numbers: range) -> Iterator[Result]:
    """Frames that carry their number, recorded, resumed, and adopted from one long film: each must be in its place."""
    for number in numbers:
        place = samples.place("frames")
        wrong, count = int(answer(samples, partial(misplaced, place, number))), 2 * EPISODES * FRAMES
        if wrong:
            yield Result("lost", f"set {number}: {wrong} frames are not in their place", wrong)
        yield Result("harmless", "", count - wrong)


def answer(samples: Samples, ask: Callable[[], object]) -> str:
    """What a function says in a process of its own."""
    path = samples.root / "answer.txt"
    samples.must(lambda: path.write_text(str(ask())))
    return path.read_text()


def misplaced(place: Path, number: int) -> int:
    """Frames that are not in their place, in a set that was recorded in two parts and in one that was adopted."""
    record(place / "set", EPISODES // 2, number)
    record(place / "set", EPISODES, number)
    adopted = adopt_film(place, number)
    return sum(
        number_in(image) != EPISODES * FRAMES * (number % 3) + episode * FRAMES + frame
        for dataset in (Dataset.open(place / "set"), Dataset.open(adopted))
        for episode in range(EPISODES)
        for frame, image in enumerate(dataset.images(episode, FRONT))
    )


def film(episode: int, number: int) -> np.ndarray:
    """The frames of an episode. (T, Y, X, 3)."""
    first = EPISODES * FRAMES * (number % 3) + episode * FRAMES
    return np.stack([counter(first + frame) for frame in range(FRAMES)])


def record(root: Path, episodes: int, number: int) -> None:
    """Record what is missing of a set whose frames carry their number."""
    schema = replace(tiny.TARGET, image_size=(SIDE, SIDE), cameras=("front",), objects=())
    rng = np.random.default_rng(number)
    with recording(root, schema, tiny.DESCRIPTION):
        for index in range(episodes):
            if index not in acknowledged(root):
                rows = {
                    key: rng.normal(size=(FRAMES, len(of))).astype(np.float32) for key, of in schema.vectors.items()
                }
                save_episode(root, schema, index, Episode(rows, {FRONT: film(index, number)}, {}, "Count."), {})
        publish(root, schema, tiny.DESCRIPTION, episodes)


def adopt_film(place: Path, number: int) -> Path:
    """A dataset of others whose episodes lie in one film, adopted."""
    shown, foreign.shown = foreign.shown, lambda *which: film(which[3], number)
    features = {
        "observation.images.top": foreign.camera((SIDE, SIDE)),
        "observation.state": foreign.feature(3, {"motors": list(foreign.MOTORS)}),
        "action": foreign.feature(3, list(foreign.MOTORS)),
    }
    state = foreign.joints(0, FRAMES)
    rows = [{"observation.state": state, "action": np.roll(state, -1, axis=0)} for _ in range(EPISODES)]
    foreign.arm(place / "film", features=features, rows=rows)
    foreign.shown = shown
    front = parse_map([f"{FRONT}=observation.images.top"])
    prepare(AdoptConfig(ImportOptions(front), size=SIDE), place / "film", place / "adopted").write()
    return place / "adopted"


def faulty_films(samples: Samples, numbers: range) -> Iterator[Result]:
    """A frame missing, shown twice or black in the film of a dataset without checksums: does the check tell?"""
    for number in numbers:
        kind, place = ("missing", "twice", "damaged")[number % 3], samples.place("films")
        said = answer(samples, partial(told, place, kind, number))
        yield Result("detected" if said else "untellable", f"a frame {kind}, {number}: {said}")


def told(place: Path, kind: str, number: int) -> str:
    """What the check says of a film with one fault."""
    tiny.record(place / "set", 2)
    root, chance = without_manifest(place / "set"), random.Random(number)
    path = root / layout.video_file(FRONT, 1)
    images = tiny.episode(1).images[FRONT]
    at = chance.randrange(1, len(images) - 1)
    if kind == "missing":
        path.write_bytes(image_codecs.encode_video(np.delete(images, at, axis=0), 10))
    elif kind == "twice":
        path.write_bytes(image_codecs.encode_video(np.insert(images, at, images[at], axis=0)[: len(images)], 10))
    else:
        content = bytearray(path.read_bytes())
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        path.write_bytes(content)
    before = {finding.text for finding in check_dataset(root)}
    return " ".join(sorted(before))[:200]


SECTIONS = (
    Section("numbers that are not finite", "NaN and infinity inside a training", 40, 8, not_finite),
    Section("repetitions", "the same seed again, with 1 and 2 threads", 15, 5, repeated),
    Section("frame counters", "frames in their place, recorded, resumed and adopted", 10, 1, frames),
    Section("films with a fault", "one frame missing, doubled or damaged, without checksums", 200, 6, faulty_films),
)
