"""The folder of a training. Only the command that created it can continue it.

Finished, it holds weights and JSON under one seal, enough to rebuild the model with nothing else.

RUN/
  config.json        kind, full config, seed, digests of the inputs, command, versions, machine
  metrics.jsonl      the log
  model.safetensors  the weights to keep
  <name>.json        documents the model needs, such as the normalizer
  manifest.json      the seal over all of these: present if and only if the training is complete
  checkpoints/       from which an interrupted training resumes
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from torch import Tensor, nn

from glam.core import files, seals
from glam.core.configs import first_difference, to_json
from glam.core.errors import GlamError
from glam.training import checkpoint, reproducibility, tensors
from glam.training.batches import ALONE, Processes
from glam.training.recorder import CHECKPOINTS, METRICS
from glam.training.reproducibility import versions

LOCK = ".lock"
Module = TypeVar("Module", bound=nn.Module)
FORMAT = 1


@dataclass(frozen=True)
class RunDescription:
    """Kind, settings and inputs of a training."""

    kind: str
    """Such as `world-model`."""
    config: Any
    """The full config: a frozen dataclass."""
    seed: int
    inputs: Mapping[str, str]
    """Digest of each input, by name."""
    command: tuple[str, ...]
    """The command line; kept for information, never compared."""


@contextmanager
def opened(root: Path, description: RunDescription, processes: Processes = ALONE) -> Iterator[None]:
    """Open `root` for this training alone, which is new or was started earlier with an equal description.

    An unfinished run must resume with the package versions it started with, or its bits would depend on the
    interruption. With several processes the first one does this for all.
    """
    if not processes.is_first:
        yield
        return
    files.require_new_or_own(root, CONFIG, LOCK, "a training")
    busy = f"{root}: another training is writing here; wait for it to end, or choose another folder"
    with files.exclusive(root / LOCK, busy):
        files.sweep(root)
        record = _record(description)
        if (root / CONFIG).exists():
            _refuse_other(root, record)
        else:
            files.write_json(root / CONFIG, record)
        yield


def _record(description: RunDescription) -> dict[str, Any]:
    record: dict[str, Any] = to_json(description)
    return record | {"format": FORMAT, "versions": versions(), "machine": reproducibility.description()}


def require_same_config(root: Path, kind: str, config: Any) -> None:
    """Refuse a folder whose training has other settings, before any work is done for this one."""
    if (root / CONFIG).is_file():
        _require_equal(root, _there(root), {"kind": kind, "config": to_json(config)})


def _refuse_other(root: Path, record: dict[str, Any]) -> None:
    compared = ["kind", "config", "seed", "inputs", *([] if is_finished(root) else ["versions"])]
    _require_equal(root, _there(root), {name: record[name] for name in compared})


def _there(root: Path) -> dict[str, Any]:
    there = files.read_json(files.contained(root, CONFIG))
    if not isinstance(there, dict) or there.get("format") != FORMAT:
        raise GlamError(f"{root / CONFIG}: not a config of format {FORMAT}; choose another folder")
    return there


def _require_equal(root: Path, there: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    for name, value in here.items():
        difference = first_difference(there.get(name), value, name)
        if difference:
            raise GlamError(
                f"{root}: started with another setting: {difference}; use the same or another folder{_preset(there)}"
            )


def _preset(there: Mapping[str, Any]) -> str:
    """Words for the preset in the command of the run that is there, as many settings follow from it."""
    words = [str(word) for word in there.get("command", ())]
    if "train-world-model" not in words and "train-policy" not in words:
        return ""
    chosen = [new for word, new in pairwise([*words, ""]) if word == "--preset"]
    chosen += [word.partition("=")[2] for word in words if word.startswith("--preset=")]
    return f" (the run there has {f'--preset {chosen[-1]}' if chosen else 'the default --preset cpu'})"


CONFIG = "config.json"
MODEL = "model.safetensors"
DERIVED = frozenset({"doubt.json"})
"""Documents that follow from the others and the data, and are no part of the digest: earlier versions lack them."""


@dataclass(frozen=True)
class Artefact:
    """A finished training, as `load` reads it."""

    root: Path
    kind: str
    """Kind of model, such as `world-model`."""
    config: dict[str, Any]
    """The full config as JSON."""
    record: dict[str, Any]
    """All of config.json: besides the config the seed, inputs, command, versions and machine."""
    documents: dict[str, Any]
    """The JSON documents by name, such as `normalizer`."""
    weights: dict[str, Tensor]
    digest: str
    """Hash of weights, documents and config. Labels and policies made with this training record it.

    It is equal for equal trainings, on whatever day and with however many interruptions.
    """

    @property
    def method(self) -> str:
        """Name of the method, such as `glam-o`."""
        return str(self.setting("method"))

    @property
    def inputs(self) -> dict[str, str]:
        """Digest of each input, by name."""
        return self.record["inputs"]

    def setting(self, name: str) -> Any:
        """An entry of the config that a training of this kind has."""
        if name not in self.config:
            raise GlamError(f"{self.root / CONFIG}: its config has no {name}, as that of a {self.kind} has")
        return self.config[name]

    def document(self, name: str) -> Any:
        """A document that a training of this kind has."""
        if name not in self.documents:
            raise GlamError(f"{self.root}: has no {_file(name)} under its seal; restore the folder from a copy")
        return self.documents[name]

    def into(self, make: Callable[[], Module]) -> Module:
        """The module that `make` builds from the config, with its weights."""
        return tensors.built(make, self.weights, self.root / MODEL)


def finish(root: Path, weights: Mapping[str, Tensor], documents: Mapping[str, Any]) -> None:
    """Complete the run folder `root`: write the weights and documents, and seal them with the config and the log."""
    contents = {_file(name): seals.json_bytes(value) for name, value in documents.items()}
    contents[MODEL] = tensors.to_bytes(weights, root / MODEL)
    seals.write(root, contents, also=(CONFIG, METRICS))


def is_finished(root: Path) -> bool:
    """True if the training is complete."""
    return seals.is_sealed(root)


def load(root: Path) -> Artefact:
    """Read a finished run folder; a file that differs from its sealed content is an error that names it."""
    if not root.is_dir():
        raise GlamError(f"{root}: no such folder; give one that a training made")
    if not (root / CONFIG).is_file():
        raise GlamError(f"{root}: not the folder of a training (it has no {CONFIG})")
    if not is_finished(root):
        step = max(checkpoint.steps(root / CHECKPOINTS), default=0)
        raise GlamError(f"{root}: training has not finished (step {step}); repeat the command that started it")
    record = require_record(seals.read_json(root, CONFIG), root / CONFIG)
    files = {name: digest for name, digest in seals.digests(root).items() if name not in {CONFIG, METRICS}}
    names = [Path(name).stem for name in files if name != MODEL]
    learnt = {name: digest for name, digest in files.items() if name not in DERIVED}
    return Artefact(
        root=root,
        kind=record["kind"],
        config=record["config"],
        record=record,
        documents={name: seals.read_json(root, _file(name)) for name in names},
        weights=tensors.from_bytes(seals.read(root, MODEL), root / MODEL),
        digest=sha256(seals.json_bytes({"config": record["config"], "files": learnt})).hexdigest(),
    )


_RECORDED = {
    "kind": str,
    "config": dict,
    "seed": int,
    "inputs": dict,
    "command": list,
    "versions": dict,
    "machine": dict,
}


def require_record(record: Any, path: Path) -> dict[str, Any]:
    """The content of `config.json` at `path`; refused if it lacks what every training records."""
    if not isinstance(record, dict):
        raise GlamError(f"{path}: not the record of a training; restore it from a copy")
    for name, kind in _RECORDED.items():
        if not isinstance(record.get(name), kind):
            raise GlamError(f"{path}: not the record of a training: its {name} is missing or wrong; restore it")
    if not all(isinstance(word, str) for word in (*record["command"], *record["inputs"].values())):
        raise GlamError(f"{path}: not the record of a training: its command or inputs are no text; restore it")
    return record


def _file(name: str) -> str:
    return f"{name}.json"
