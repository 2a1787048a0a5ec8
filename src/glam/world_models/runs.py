"""A trained world model, read back from its folder."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glam.core.configs import from_json, from_tagged_json, to_json
from glam.core.errors import GlamError
from glam.data.normalizer import Normalizer
from glam.training import artefact
from glam.world_models import WORLD_MODELS
from glam.world_models.method import WorldModel
from glam.world_models.parts import Sizes

KIND = "world-model"


@dataclass(frozen=True)
class WorldModelInterface:
    """Format of the data that a world model was trained on; it labels only datasets that agree with it."""

    fps: int
    cameras: tuple[str, ...]
    objects: tuple[str, ...]
    arms: tuple[str, ...]
    pixels: int
    observation: str


@dataclass(frozen=True)
class TrainedWorldModel:
    """A world model with everything it needs to label and decode."""

    model: WorldModel
    normalizer: Normalizer
    interface: WorldModelInterface
    sizes: Sizes
    digest: str
    """Identifies the weights; labels made with them record it."""


def documents(normalizer: Normalizer, interface: WorldModelInterface, sizes: Sizes) -> dict[str, Any]:
    """JSON documents that a run folder keeps beside the weights."""
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
    model = from_tagged_json(WORLD_MODELS, found.config["model"], f"{root}: model").build(sizes)
    found.load_into(model)
    model.eval()
    return TrainedWorldModel(
        model,
        Normalizer.from_json(found.documents["normalizer"]),
        from_json(WorldModelInterface, found.documents["interface"]),
        sizes,
        found.digest,
    )
