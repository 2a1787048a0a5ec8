"""Files of every kind that GLAM reads, and all that it ever reads of them."""

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import safetensors.torch
from benchmarks.torture.digests import digest
from benchmarks.torture.samples import Samples
from benchmarks.torture.sound import half_config
from tests.interop.segmenters import recorded, tiny_onnx

from glam.core import seals
from glam.core.configs import from_json
from glam.core.errors import GlamError
from glam.core.files import read_json
from glam.data.cache import decoded
from glam.data.check import check_dataset
from glam.data.latents import LatentsProvenance, read_latents
from glam.data.masked_set import MaskedSet, Masks
from glam.data.reader import Dataset
from glam.data.tracked_set import TrackedSet
from glam.evaluation.evaluations import read_evaluation
from glam.interop.export_lerobot import require_intact
from glam.interop.exported_policy import Description, ExportedPolicy
from glam.interop.lerobot.mapping import ImportOptions, parse_map
from glam.interop.segmenters.sam_weights import PublishedModel, WeightFile, read_weights
from glam.policies import trained
from glam.stages.adopt import AdoptConfig, prepare
from glam.stages.inspect import examine
from glam.stages.relabel import relabel
from glam.stages.report import read_replay
from glam.stages.train_world_model import train_world_model
from glam.training import artefact
from glam.world_models import runs

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


def make_unfinished(samples: Samples, place: Path) -> Path:
    """A copy with masks of all episodes, before it was published."""
    masked, masks = _masked(samples, place / "copy"), _masks_of(samples)
    with masked.making():
        for index in masked.missing():
            masked.save(index, masks)
    return masked.root / MaskedSet.folder_aside()


def read_finished(samples: Samples, folder: Path) -> object:
    """The copy, published from what was put aside."""
    masked = _masked(samples, folder.parent.parent)
    with masked.making():
        for index in masked.missing():
            masked.save(index, _masks_of(samples))
        masked.publish()
    return digest(masked.root)


def make_unfinished_tracks(samples: Samples, place: Path) -> Path:
    """A copy with fingertip tracks of all episodes, before it was published."""
    tracked = _tracked(samples, place / "copy")
    with tracked.making():
        _track(tracked)
    return tracked.root / TrackedSet.folder_aside()


def read_finished_tracks(samples: Samples, folder: Path) -> object:
    """The copy, published from what was put aside."""
    tracked = _tracked(samples, folder.parent.parent)
    with tracked.making():
        _track(tracked)
        tracked.publish()
    return digest(tracked.root)


def _tracked(samples: Samples, root: Path) -> TrackedSet:
    return TrackedSet.of(Dataset.open(samples.sound / "aux"), root, ("front", "overhead"), {"by": "torture"})


def _track(tracked: TrackedSet) -> None:
    for index in tracked.missing():
        shape = tracked.source.episodes[index].length, len(tracked.schema.track_names)
        tracked.save(index, np.random.default_rng(index).random(shape, np.float32))


def _masked(samples: Samples, root: Path) -> MaskedSet:
    return MaskedSet.of(Dataset.open(samples.sound / "squares"), root, ("red", "blue"), {"by": "torture"})


def _masks_of(samples: Samples) -> dict[str, Masks]:
    schema = replace(Dataset.open(samples.sound / "squares").schema, objects=("red", "blue"))
    shape = (recorded.FRAMES, *schema.image_size, 2)
    return {key: np.random.default_rng(0).integers(0, 2, shape, np.uint8) * 255 for key in schema.mask_keys}


def read_shown_replay(samples: Samples, root: Path) -> object:
    """What a report shows of a replay."""
    del samples
    found = read_replay(root, {})
    return repr(found.record), [film.read_bytes() for film in found.films]


def make_run_record(samples: Samples, place: Path) -> Path:
    """The record of a run of `glam bench`."""
    del samples
    result = {"successes": 3, "episodes": 4, "errors": [{"mm": 12.5, "seed": 7}]}
    seals.write_object(place / "run.json", {"name": "a", "result": result, "seconds": 1.5})
    return place


def read_run_record(samples: Samples, folder: Path) -> object:
    """What `glam bench` reads of it."""
    del samples
    found = seals.read_object(folder / "run.json")
    return found["name"], found["result"], found["seconds"]


WEIGHTS = {"encoder.ort": tiny_onnx.encoder(32), "decoder.onnx": tiny_onnx.decoder(32, 8)}
PUBLISHED = PublishedModel(
    "a model", "npm pack", *(WeightFile(name, hashlib.sha256(content).hexdigest()) for name, content in WEIGHTS.items())
)


def make_weights(samples: Samples, place: Path) -> Path:
    """Weights of a segmentation model."""
    del samples
    for name, content in WEIGHTS.items():
        (place / name).write_bytes(content)
    return place


def read_sam(samples: Samples, folder: Path) -> object:
    """The weights, before they go to the runtime that runs them."""
    del samples
    return [hashlib.sha256(content).hexdigest() for content in read_weights(folder, PUBLISHED)]


SPECIMENS = (
    Specimen("dataset", "our datasets", copy_of("target"), read_dataset),
    Specimen("foreign dataset", "LeRobot datasets of others", copy_of("arm"), read_foreign, "untellable"),
    Specimen("cache", "caches of decoded frames", make_cache, read_cache),
    Specimen("world model", "world models", copy_of("world-model"), read_world_model),
    Specimen("policy", "policies", copy_of("policy"), read_policy),
    Specimen("latents", "latent actions", make_latents, read_labels),
    Specimen("checkpoint", "checkpoints, resumed", make_checkpoint, read_checkpoint),
    Specimen("export", "exported policies", copy_of("export"), read_export),
    Specimen("mask copy", "unfinished copies with masks", make_unfinished, read_finished),
    Specimen("track copy", "unfinished copies with tracks", make_unfinished_tracks, read_finished_tracks),
    Specimen("SAM", "weights of SAM", make_weights, read_sam),
    Specimen("evaluation", "evaluations", copy_of("evaluation"), read_results),
    Specimen("replay", "replays", copy_of("replay"), read_shown_replay),
    Specimen("run record", "run records of benchmarks", make_run_record, read_run_record),
)
