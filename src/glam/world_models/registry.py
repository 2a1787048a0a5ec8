"""Which module a world model's config builds, and a trained one read back from its folder."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glam.core.configs import from_json, to_json
from glam.core.errors import GlamError
from glam.data.normalizer import Normalizer
from glam.training import artefact
from glam.world_models.clam import Clam, ClamConfig
from glam.world_models.glam import Glam, GlamConfig
from glam.world_models.lapa import Lapa, LapaConfig
from glam.world_models.parts import Sizes

ModelConfig = GlamConfig | ClamConfig | LapaConfig
Model = Glam | Clam | Lapa

KIND = "world-model"


@dataclass(frozen=True)
class Interface:
    """What a trained world model reads: a dataset that differs in any of these cannot be labelled by it."""

    fps: int
    cameras: tuple[str, ...]
    objects: tuple[str, ...]
    arms: tuple[str, ...]
    pixels: int
    observation: str


@dataclass(frozen=True)
class TrainedWorldModel:
    """A world model with everything it needs to label and decode."""

    model: Model
    normalizer: Normalizer
    interface: Interface
    sizes: Sizes
    digest: str
    """Identifies the weights: labels made with them record it."""


def build(config: ModelConfig, sizes: Sizes) -> Model:
    """A new module."""
    if isinstance(config, GlamConfig):
        return Glam(config, sizes)
    if isinstance(config, ClamConfig):
        return Clam(config, sizes)
    return Lapa(config, sizes)


def documents(normalizer: Normalizer, interface: Interface, sizes: Sizes) -> dict[str, Any]:
    """What is stored beside the weights."""
    return {"normalizer": normalizer.to_json(), "interface": to_json(interface), "sizes": to_json(sizes)}


def open_run(root: Path) -> artefact.Artefact:
    """The folder of a finished training."""
    found = artefact.load(root)
    if found.kind != KIND:
        raise GlamError(f"{root}: holds a {found.kind}, not a world model; give a folder made by train-world-model")
    return found


def load(root: Path) -> TrainedWorldModel:
    """Read a finished training."""
    found = open_run(root)
    sizes = from_json(Sizes, found.documents["sizes"])
    model = build(from_json(ModelConfig, found.config["model"]), sizes)  # type: ignore[arg-type]  # a union of configs
    found.load_into(model)
    model.eval()
    normalizer = Normalizer.from_json(found.documents["normalizer"])
    return TrainedWorldModel(model, normalizer, from_json(Interface, found.documents["interface"]), sizes, found.digest)
