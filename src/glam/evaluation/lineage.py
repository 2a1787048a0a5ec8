"""Lineage of an evaluated policy, which identifies its method and its training."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from glam.core.configs import digest

_SEEDS = frozenset({"seed", "split_seed"})
_NO_MATTER = frozenset({"device", "threads", "log_every", "save_every", "validate_every"})
"""Settings of a training that say nothing about the method."""


@dataclass(frozen=True)
class DataSource:
    """A dataset that a policy was trained on."""

    digest: str
    name: str
    """Of its folder, for people."""
    embodiment: str
    is_labelled: bool
    """True if it has robot states and actions."""
    episodes: int
    """Those for training: held-out ones are not counted."""


@dataclass(frozen=True)
class Lineage:
    """A policy with all that went into it, as far as it lay where it could be found."""

    method: str
    """Of the policy, such as `latent` or `mip`."""
    seed: int
    digest: str
    recipe: str
    """Equal for trainings that differ in their seeds alone."""
    inputs: dict[str, str]
    """Digest of each thing that the training read, by name."""
    data: tuple[DataSource, ...] = ()
    world_model: str = ""
    """Method of the world model behind it; empty without one."""
    command: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name for people: a policy on a world model's latent actions has the name of that world model."""
        return self.world_model or self.method

    @property
    def data_words(self) -> str:
        """Its training demonstrations, such as `100 labelled + 400 unlabelled`; empty when that is not known."""
        kinds = {"labelled": True, "unlabelled": False}
        counts = {
            word: sum(source.episodes for source in self.data if source.is_labelled == is_labelled)
            for word, is_labelled in kinds.items()
        }
        return " + ".join(f"{count} {word}" for word, count in counts.items() if count)


def recipe(*parts: Mapping[str, Any]) -> str:
    """Short hash of configs and inputs, whatever their seeds and the machine."""
    return digest([_without_seeds(part) for part in parts])


def _without_seeds(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_seeds(item) for name, item in value.items() if name not in _SEEDS | _NO_MATTER}
    return value
