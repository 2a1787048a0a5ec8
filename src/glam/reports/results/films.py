"""Films of trials: of each task some that succeed and some that fail, as many as a page can carry."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from glam.evaluation.evaluations import FilmedEpisode
from glam.reports.films import halved, read_film
from glam.reports.markup import Html
from glam.reports.page import film
from glam.reports.results.document import Block, Figures
from glam.reports.results.trials import Trials

Filmed = Mapping[str, Sequence[FilmedEpisode]]
"""By the name of the evaluation."""
NO_FILMS: Filmed = MappingProxyType({})
OF_A_METHOD = 2
"""Successes, and as many failures."""


def film_blocks(methods: Sequence[Trials], filmed: Filmed) -> Iterator[Block]:
    """The films of some methods, where there are any."""
    for one in methods:
        episodes = [episode for cell in one.cells for episode in filmed.get(cell.run, ())]
        shown = [figure for is_success in (True, False) for figure in _chosen(episodes, is_success=is_success)]
        if shown:
            yield Figures(tuple(shown), f"Films of {one.name}", "Both cameras; before it plays, a film shows its end.")


def _chosen(episodes: Sequence[FilmedEpisode], *, is_success: bool) -> Iterator[Html]:
    found = [episode for episode in episodes if episode.record.is_success == is_success]
    for episode in found[:OF_A_METHOD]:
        record = episode.record
        outcome = f"succeeds in {record.steps} steps" if is_success else f"fails to {record.failed_stage}"
        yield film(halved(read_film(episode.path)), f"Configuration {record.test_seed}: {outcome}.")
