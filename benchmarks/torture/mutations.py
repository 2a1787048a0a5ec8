"""Damaged files of every kind: is each refused, read as if nothing had happened, or read wrongly without a word?

Files are copied, one of them is damaged (a flipped bit, random bytes, a zeroed, doubled or missing part, a cut), and
then everything is read that GLAM ever reads of them. A reader that is silent is a failure, but for files of others that
have no checksum: there it is counted apart, as what nobody can tell.
"""

import json
import os
import random
import select
import shutil
import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np
import safetensors.torch
from benchmarks.torture.digests import fingerprint
from benchmarks.torture.processes import limit_memory
from benchmarks.torture.samples import Samples, half_config
from benchmarks.torture.tally import Result, Section
from tests.interop.imports.damage.to_bytes import BYTES
from tests.interop.imports.mutations import KINDS, mutated, outcome, read_all

from glam.core.configs import from_json
from glam.core.errors import GlamError
from glam.core.files import read_json
from glam.data.cache import decoded
from glam.data.check import check_dataset
from glam.data.latents import LatentsProvenance, read_latents
from glam.data.reader import Dataset
from glam.evaluation.evaluations import read_evaluation
from glam.interop.export_lerobot import require_intact
from glam.interop.exported_policy import Description, ExportedPolicy
from glam.interop.imports.reader_client import ReaderClient
from glam.interop.lerobot.mapping import ImportOptions, parse_map
from glam.policies import trained
from glam.stages.adopt import AdoptConfig, prepare
from glam.stages.inspect import examine
from glam.stages.relabel import relabel
from glam.stages.train_world_model import train_world_model
from glam.training import artefact
from glam.world_models import runs

PATIENCE = 180.0
BATCH = 25
"""Tries in one forked process."""
Read = Callable[[Samples, Path], object]


@dataclass(frozen=True)
class Specimen:
    """Files of one kind and how they are read."""

    name: str
    what: str
    make: Callable[[Samples, Path], Path]
    """Puts a sound copy into a new folder; what is damaged lies in the folder that it returns."""
    read: Read
    """All that users get of it, of the folder that `make` returned; errors are those that users would see."""
    otherwise: str = "silent"
    """Verdict on another result that comes without a word."""


def copy_of(name: str) -> Callable[[Samples, Path], Path]:
    """Make a copy of sound files."""
    return lambda samples, place: shutil.copytree(samples.sound / name, place / name)


def read_dataset(samples: Samples, root: Path) -> object:
    """All episodes and facts; what the check finds counts as refused."""
    dataset = Dataset.open(root)
    episodes = [dataset.episode(record.index) for record in dataset.episodes]
    everything = [vars(episode) for episode in episodes], dataset.provenance, read_json(root / "meta/stats.json")
    require_sound(root, samples.sound / "target")
    return everything


def require_sound(root: Path, like: Path) -> None:
    """Raise the first error that `glam data check` finds, of a kind that it does not find in the sound set."""
    for finding in check_dataset(root):
        if finding.severity == "error" and finding.code not in codes(like):
            raise GlamError(finding.text)


@cache
def codes(root: Path) -> set[str]:
    """Kinds of what the check finds."""
    return {finding.code for finding in check_dataset(root)}


def read_foreign(samples: Samples, root: Path) -> object:
    """What `glam data adopt` would write."""
    front = parse_map(["observation.images.front=observation.images.top"])
    made = prepare(AdoptConfig(ImportOptions(front), size=16), root, samples.root / "never").made
    episodes = [vars(made.episode(index)) for index in range(len(made.times))]
    require_sound(root, samples.sound / "arm")
    return episodes


def make_cache(samples: Samples, place: Path) -> Path:
    """A cache of the sound target set; none of its locks."""
    decoded(Dataset.open(samples.sound / "target"), 16, place / "decoded")
    return next(path for path in (place / "decoded").iterdir() if path.is_dir())


def read_cache(samples: Samples, folder: Path) -> object:
    """All frames, from the cache or made again."""
    frames = decoded(Dataset.open(samples.sound / "target"), 16, folder.parent)
    rows = np.arange(len(frames.ee_pose))  # images are compared with their checksums when rows are taken
    images = [{key: array[rows] for key, array in part.items()} for part in (frames.images, frames.masks)]
    return images, frames.ee_pose, frames.state, frames.action, frames.content_id


def read_world_model(samples: Samples, root: Path) -> object:
    """Weights, documents, and what `glam inspect` says of the log."""
    del samples
    model, examined = runs.load(root), examine(root)
    return artefact.load(root).digest, model.model.state_dict(), examined.lines


def read_policy(samples: Samples, root: Path) -> object:
    """Weights and documents, as evaluate and serve load them."""
    del samples
    found = trained.load(root)
    return artefact.load(root).digest, artefact.load(root).weights, vars(found).keys()


def make_latents(samples: Samples, place: Path) -> Path:
    """Labels of the auxiliary set."""
    model = shutil.copytree(samples.sound / "world-model", place / "world-model")
    return relabel(model, samples.sound / "aux", workers=1).parent


def read_labels(samples: Samples, folder: Path) -> object:
    """The labels, as a training reads them."""
    dataset = Dataset.open(samples.sound / "aux")
    frames = decoded(dataset, 16)
    (path,) = folder.glob("*.parquet")
    model = artefact.load(samples.sound / "world-model").digest
    return read_latents(path, frames.episodes, LatentsProvenance(dataset.content_id, model, "glam-o"))


def make_checkpoint(samples: Samples, place: Path) -> Path:
    """A training that died."""
    return shutil.copytree(samples.sound / "half-trained", place / "run") / "checkpoints"


def read_checkpoint(samples: Samples, folder: Path) -> object:
    """The weights to which the training resumes."""
    sound = samples.sound
    train_world_model(half_config(), sound / "target", [sound / "aux"], folder.parent)
    return artefact.load(folder.parent).weights


def read_export(samples: Samples, root: Path) -> object:
    """The policy as the LeRobot plugin builds it, and the settings of its processors."""
    del samples
    require_intact(root)
    config = read_json(root / "config.json")
    policy = ExportedPolicy(from_json(Description, config["description"]))
    weights = safetensors.torch.load_file(root / "model.safetensors")
    documents = [read_json(path) for path in sorted(root.glob("*.json"))]
    return policy.state_dict().keys(), weights, documents


def read_results(samples: Samples, root: Path) -> object:
    """What a report shows of an evaluation."""
    del samples
    found = read_evaluation(root)
    told = {name: repr(value) for name, value in vars(found).items() if name not in {"root", "films"}}
    return told, [film.path.read_bytes() for film in found.films]


SPECIMENS = (
    Specimen("dataset", "our datasets", copy_of("target"), read_dataset),
    Specimen("foreign dataset", "LeRobot datasets of others", copy_of("arm"), read_foreign, "untellable"),
    Specimen("cache", "caches of decoded frames", make_cache, read_cache),
    Specimen("world model", "world models", copy_of("world-model"), read_world_model),
    Specimen("policy", "policies", copy_of("policy"), read_policy),
    Specimen("latents", "latent actions", make_latents, read_labels),
    Specimen("checkpoint", "checkpoints, resumed", make_checkpoint, read_checkpoint),
    Specimen("export", "exported policies", copy_of("export"), read_export),
    Specimen("evaluation", "evaluations", copy_of("evaluation"), read_results),
)


def tried(specimen: Specimen, samples: Samples, expected: str, number: int) -> tuple[str, str]:
    """Damage a copy and read it; returns verdict and case."""
    rng = random.Random(f"{specimen.name} {number}")
    damage = rng.choice(BYTES)
    case = f"{specimen.name} {number}, {damage.__name__}"
    with tempfile.TemporaryDirectory(dir=samples.root) as folder:
        target = specimen.make(samples, Path(folder))
        damage(target, rng)
        try:
            found = fingerprint(specimen.read(samples, target))
        except GlamError as error:
            sentence = str(error)
            return ("detected", case) if "\n" not in sentence else ("traceback", f"{case}: {sentence}")
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            return "traceback", f"{case}: {error!r} in {Path(place.filename).name}:{place.lineno}"
    return ("harmless", case) if found == expected else (specimen.otherwise, case)


def mutations(specimen: Specimen, samples: Samples, numbers: range) -> Iterator[Result]:
    """Tries in forked processes of several each; if one dies or hangs, that is told and the next one begins."""
    samples.place("mutations")
    printed = samples.root / "sound.txt"
    samples.must(lambda: printed.write_text(_sound(specimen, samples)))
    expected, following = printed.read_text(), numbers.start
    while following < numbers.stop:
        batch = range(following, min(following + BATCH, numbers.stop))
        for verdict, case in _some(specimen, samples, expected, batch):
            yield Result(verdict, case)  # type: ignore[arg-type]
            following += 1


def _sound(specimen: Specimen, samples: Samples) -> str:
    with tempfile.TemporaryDirectory(dir=samples.root) as folder:
        return fingerprint(specimen.read(samples, specimen.make(samples, Path(folder))))


def _some(specimen: Specimen, samples: Samples, expected: str, numbers: range) -> Iterator[tuple[str, str]]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            limit_memory()
            for number in numbers:
                os.write(writing, json.dumps(tried(specimen, samples, expected, number)).encode() + b"\n")
        finally:
            os._exit(0)
    os.close(writing)
    count = 0
    with os.fdopen(reading, "rb", buffering=0) as results:
        while select.select([results], [], [], PATIENCE)[0]:
            line = results.readline()
            if not line:
                break
            yield tuple(json.loads(line))
            count += 1
        else:
            yield "hang", f"{specimen.name} {numbers[count]}"
            count = len(numbers)
            os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if count < len(numbers):
        yield "traceback", f"{specimen.name} {numbers[count]}: the process died of {status}"


def recordings(name: str, samples: Samples, numbers: range) -> Iterator[Result]:
    """Damage to recordings of other projects: read as the format's own library reads them, or refused."""
    kind, place = KINDS[name], samples.place("recordings")
    verdicts = {"error": "detected", "same": "harmless", "faithful": "untellable", "WRONG": "silent"}
    with ReaderClient() as reader:
        sound = kind.make(place)
        episodes = read_all(reader, sound, name)
        for number in numbers:
            folder = place / str(number)
            folder.mkdir()
            found = outcome(reader, kind, mutated(kind, sound, folder, number), episodes)
            shutil.rmtree(folder)
            yield Result(verdicts[found.verdict], f"{name} {number}: {found.detail}")  # type: ignore[arg-type]


SECTIONS = (
    *(
        Section(f"mutations of a {one.name}", f"damage to {one.what}", 300, 20, partial(mutations, one))
        for one in SPECIMENS
    ),
    *(
        Section(f"mutations of {name}", f"damage to recordings, {name}", 300, 20, partial(recordings, name))
        for name in KINDS
    ),
)
