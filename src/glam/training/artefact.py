"""A finished training: weights and JSON under one seal, enough to rebuild the model with nothing else.

RUN/
  config.json        kind, full config, seed, digests of the inputs, command, versions, machine
  metrics.jsonl      the log
  model.safetensors  the weights to keep
  <name>.json        documents the model needs, such as the normalizer
  manifest.json      the seal over all of these: present if and only if the training is complete
  checkpoints/       from which an interrupted training resumes
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from glam.core.errors import GlamError
from glam.training import checkpoint, sealed, tensors
from glam.training.recorder import CHECKPOINTS, METRICS

CONFIG = "config.json"
MODEL = "model.safetensors"


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

    def load_into(self, module: nn.Module) -> None:
        """Give a module built from the config its weights."""
        tensors.fill(module.state_dict(), self.weights, self.root / MODEL)


def finish(root: Path, weights: Mapping[str, Tensor], documents: Mapping[str, Any]) -> None:
    """Complete the run folder `root`: write the weights and documents, and seal them with the config and the log."""
    contents = {_file(name): sealed.json_bytes(value) for name, value in documents.items()}
    contents[MODEL] = tensors.to_bytes(weights, root / MODEL)
    sealed.write(root, contents, also=(CONFIG, METRICS))


def is_finished(root: Path) -> bool:
    """True if the training is complete."""
    return sealed.is_sealed(root)


def load(root: Path) -> Artefact:
    """Read a finished run folder; a file that differs from its sealed content is an error that names it."""
    if not (root / CONFIG).is_file():
        raise GlamError(f"{root}: not the folder of a training (it has no {CONFIG})")
    if not is_finished(root):
        step = max(checkpoint.steps(root / CHECKPOINTS), default=0)
        raise GlamError(f"{root}: training has not finished (step {step}); repeat the command that started it")
    record = sealed.read_json(root, CONFIG)
    digests = sealed.digests(root)
    learnt = {name: digest for name, digest in digests.items() if name not in {CONFIG, METRICS}}
    names = [Path(name).stem for name in learnt if name != MODEL]
    return Artefact(
        root=root,
        kind=record["kind"],
        config=record["config"],
        record=record,
        documents={name: sealed.read_json(root, _file(name)) for name in names},
        weights=tensors.from_bytes(sealed.read(root, MODEL), root / MODEL),
        digest=sha256(sealed.json_bytes({"config": record["config"], "files": learnt})).hexdigest(),
    )


def _file(name: str) -> str:
    return f"{name}.json"
