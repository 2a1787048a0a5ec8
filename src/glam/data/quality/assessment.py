"""Assessment of a dataset: its episodes are measured one by one, by several processes, then judged together."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from glam.core.workers import Progress, no_progress, spread
from glam.data.quality.measures import Measures, measure
from glam.data.quality.rules import VERDICTS, Judged, Remark, about_the_set, judge
from glam.data.reader import Dataset
from glam.data.skipping import skip_list_entry


@dataclass(frozen=True, eq=False)
class Quality:
    """The verdicts on a dataset."""

    dataset: Dataset
    episodes: tuple[Judged, ...]
    remarks: tuple[str, ...]
    """About the set as a whole."""

    @property
    def sentence(self) -> str:
        """Number of episodes that got each verdict."""
        counts = Counter(one.verdict for one in self.episodes)
        words = ", ".join(f"{counts[verdict]} {verdict}" for verdict in reversed(VERDICTS))
        return f"{self.dataset.root}: {len(self.episodes)} episodes: {words}"

    @property
    def lines(self) -> tuple[str, ...]:
        """All remarks, the gravest first, then the counts."""
        found = [(remark, one.episode) for one in self.episodes for remark in one.remarks]
        found.sort(key=lambda pair: VERDICTS.index(pair[0].verdict))
        said = [f"{remark.verdict:9}  episode {episode}: {remark.words}" for remark, episode in found]
        return (*said, *self.remarks, self.sentence)

    @property
    def list_entry(self) -> dict[str, Any]:
        """Its part of a list of episodes to leave out."""
        reasons: dict[str, dict[int, str]] = {verdict: {} for verdict in VERDICTS}
        for one in self.episodes:
            reasons[one.verdict][one.episode] = "; ".join(remark.words for remark in one.remarks)
        return skip_list_entry(self.dataset, reasons["leave out"], reasons["look"])


def assess(
    root: Path,
    *,
    others: Iterable[tuple[int, Remark]] = (),
    workers: int = 1,
    progress: Progress = no_progress,
) -> Quality:
    """Judge all episodes of a dataset; `others` are remarks of other origin."""
    dataset = _opened(root)
    count, found = len(dataset.episodes), list[Measures]()
    for one in spread(partial(_measured, root), range(count), min(workers, count)):
        found.append(one)
        progress(len(found), count)
    found.sort(key=lambda one: one.episode)
    fps = dataset.schema.fps
    judged = judge(found, fps, dataset.schema.arms, others)
    return Quality(dataset, judged, tuple(about_the_set(found, fps)))


@cache
def _opened(root: Path) -> Dataset:
    return Dataset.open(root)


def _measured(root: Path, episode: int) -> Measures:
    return measure(_opened(root), episode)
