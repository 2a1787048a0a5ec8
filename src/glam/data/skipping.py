"""Lists of episodes that a training leaves out, as JSON: written by `glam data quality --out`, edited by people.

    {"format": 1, "datasets": [{"name": "gripper", "content": "0f3a...", "leave_out": {"3": "the pose jumps 14 cm"}}]}

A dataset is known by its content, wherever it lies; its copies with masks or labels have the same episodes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from glam.core.errors import GlamError
from glam.core.files import read_json
from glam.data.demonstrations import Demonstrations, Split, lineage
from glam.data.reader import Dataset
from glam.data.windows import EpisodeTable

FORMAT = 1
_INPUT = "skipped in "
"""A run records what it left out beside the digests of its datasets, under this and the content id."""


@dataclass(frozen=True)
class SkipList:
    """Numbers of the episodes to leave out, by the content id of their dataset."""

    episodes: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def of(self, dataset: Dataset) -> tuple[int, ...]:
        """Episodes of a dataset that are left out."""
        found = sorted(set().union(*(self.episodes.get(content, frozenset()) for content in lineage(dataset))))
        if found and not found[-1] < len(dataset.episodes):
            raise GlamError(f"--skip-episodes: {dataset.root} has no episode {found[-1]}; make the list again")
        return tuple(found)

    def inputs(self, datasets: Sequence[Dataset]) -> dict[str, str]:
        """Record of a run about the episodes that it left out; empty if there are none."""
        named = {f"{_INPUT}{dataset.content_id}": self.of(dataset) for dataset in datasets}
        return {name: " ".join(map(str, episodes)) for name, episodes in named.items() if episodes}


def read_skip_list(path: Path | None) -> SkipList:
    """Read a list; without a file nothing is left out."""
    if path is None:
        return SkipList()
    try:
        content = read_json(path)
        if content["format"] != FORMAT:
            raise ValueError(f"format {content['format']}")
        found: dict[str, frozenset[int]] = {}
        for entry in content["datasets"]:
            numbers = frozenset(int(number) for number in entry["leave_out"])
            if min(numbers, default=0) < 0:
                raise ValueError("a negative number")
            found[str(entry["content"])] = found.get(str(entry["content"]), frozenset()) | numbers
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise GlamError(f"{path}: not a list of episodes ({error!r}); make it with glam data quality --out") from None
    return SkipList(found)


def skip_list_entry(dataset: Dataset, leave_out: Mapping[int, str], look: Mapping[int, str]) -> dict[str, Any]:
    """Entry of a list about a dataset, with reasons; episodes below `look` are not left out."""
    words = {"leave_out": leave_out, "look": look}
    named = {name: {str(number): reason for number, reason in one.items()} for name, one in words.items()}
    return {"name": dataset.root.resolve().name, "content": dataset.content_id, **named}


def recorded_skips(inputs: Mapping[str, str]) -> SkipList:
    """The episodes that a run left out, by its record."""
    found = {name.removeprefix(_INPUT): value for name, value in inputs.items() if name.startswith(_INPUT)}
    return SkipList({content: frozenset(map(int, value.split())) for content, value in found.items()})


def datasets_in(inputs: Mapping[str, str]) -> dict[str, str]:
    """The inputs of a run without what it records about episodes that it left out."""
    return {name: value for name, value in inputs.items() if not name.startswith(_INPUT)}


def remaining(some: EpisodeTable, every: EpisodeTable, skipped: Sequence[int]) -> EpisodeTable:
    """Some episodes of a dataset but for those of the numbers `skipped`."""
    return some.select(np.flatnonzero(~np.isin(some.starts, every.starts[np.array(skipped, np.int64)])))


def without(found: Demonstrations, skipped: Sequence[int]) -> Demonstrations:
    """Demonstrations without some episodes. Which others are held out does not depend on what is left out."""
    if not skipped:
        return found
    train, held_out = (remaining(table, found.frames.episodes, skipped) for table in found.split)
    if not len(train) or not len(held_out):
        raise GlamError(f"--skip-episodes: leaves no episode of {found.name} to learn from, or none to hold out")
    return replace(found, split=Split(train, held_out))
