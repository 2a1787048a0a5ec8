"""Films of rollouts and replays, as many as a page can carry."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from glam.evaluation.evaluations import FilmedEpisode
from glam.evaluation.records import EpisodeRecord
from glam.reports.films import Film, halved, read_film
from glam.reports.markup import Html, element
from glam.reports.page import card, film, note, trio
from glam.reports.summary.arms import Arm, Contest
from glam.reports.summary.material import ReplayRun

BUDGET = 12_000_000
"""Bytes of all films of a page; inside it they take a third more."""
FILMS_OF_AN_ARM = 3  # successes, and as many failures


def chosen(contests: Sequence[Contest], replays: Sequence[ReplayRun], budget: int = BUDGET) -> dict[Path, Film]:
    """The films of a page by their files: all if they fit, else smaller ones, and the first of each group first."""
    groups = [[filmed.path for filmed in _of_arm(arm)] for contest in contests for arm in contest.arms]
    groups += [list(replay.films) for replay in replays]
    turns = [path for turn in zip_longest(*groups) for path in turn if path is not None]
    films = {path: read_film(path) for path in turns}
    if sum(len(one.mp4) for one in films.values()) > budget:
        films = {path: halved(one) for path, one in films.items()}
    kept, room = {}, budget
    for path, one in films.items():
        room -= len(one.mp4)
        if room >= 0:
            kept[path] = one
    return kept


def arm_films(contest: Contest, films: Mapping[Path, Film]) -> Iterator[Html]:
    """A card for each arm that has films."""
    filmed = [one for arm in contest.arms for one in _of_arm(arm)]
    if any(one.path in films for one in filmed):
        yield note("Both cameras, side by side. Before a film plays, its last moment is shown.")
    for arm in contest.arms:
        shown = sorted(_of_arm(arm), key=lambda one: not one.record.is_success)
        figures = [_figure(films[one.path], one.record) for one in shown if one.path in films]
        if figures:
            yield card(trio(*figures), title=arm.name)
    missing = sum(one.path not in films for one in filmed)
    if missing:
        yield note(f"{missing} more films would make this page too heavy; they lie in the folders of evaluations.")


def _of_arm(arm: Arm) -> list[FilmedEpisode]:
    """Successes and failures in turn, from each training in turn."""
    by_training = [
        [filmed for filmed in evaluation.films if filmed.record.is_success == is_success]
        for is_success in (True, False)
        for evaluation in arm.evaluations
    ]
    half = len(arm.evaluations)
    kinds = [_in_turn(by_training[:half])[:FILMS_OF_AN_ARM], _in_turn(by_training[half:])[:FILMS_OF_AN_ARM]]
    return _in_turn(kinds)


def _in_turn(lists: Sequence[Sequence[FilmedEpisode]]) -> list[FilmedEpisode]:
    return [item for turn in zip_longest(*lists) for item in turn if item is not None]


def _figure(shown: Film, record: EpisodeRecord) -> Html:
    outcome = f"succeeds in {record.steps} steps" if record.is_success else f"fails to {record.failed_stage}"
    drawn = film(shown, f"Configuration {record.test_seed}: {outcome}.")
    return element("div", drawn, class_=f"outcome {'ok' if record.is_success else 'problem'}")
