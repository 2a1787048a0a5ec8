"""A target set and auxiliary ones, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from glam.core.progress import Progress, no_progress
from glam.data.matching.facts import Facts, facts_of
from glam.data.matching.rules import SEVERITIES, Mismatch, differences
from glam.data.reader import Dataset
from glam.data.sharing import Shared, shared


@dataclass(frozen=True, eq=False)
class Comparison:
    """What the sets are like and where they differ."""

    facts: tuple[Facts, ...]
    """The target's first."""
    mismatches: tuple[Mismatch, ...]
    """The gravest first."""

    @property
    def common(self) -> Shared:
        """What all sets have."""
        return shared([facts.schema for facts in self.facts])


def compare(roots: Sequence[Path], progress: Progress = no_progress) -> Comparison:
    """Look at datasets, of which the first is the target; `progress` counts them."""
    datasets = [Dataset.open(root) for root in roots]
    facts = []
    for done, dataset in enumerate(datasets, start=1):
        facts.append(facts_of(dataset))
        progress(done, len(datasets))
    found = [mismatch for other in facts[1:] for mismatch in differences(facts[0], other)]
    is_told = any((mismatch.severity, mismatch.topic) == ("cannot", "cameras") for mismatch in found)
    if not is_told and not shared([one.schema for one in facts]).cameras:
        remedy = "give fewer --aux, or name what shows the same view alike with glam data adopt --map"
        found.append(Mismatch("cannot", "cameras", "no camera is common to all sets", remedy))
    order = {severity: place for place, severity in enumerate(SEVERITIES)}
    return Comparison(tuple(facts), tuple(sorted(dict.fromkeys(found), key=lambda one: order[one.severity])))


def can_work(comparison: Comparison) -> bool:
    """Whether nothing stands against training on these sets together."""
    return not any(mismatch.severity == "cannot" for mismatch in comparison.mismatches)
