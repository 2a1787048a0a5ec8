"""Films of rollouts and replays, within the budget of a page."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from glam.evaluation.evaluations import FilmedEpisode
from glam.evaluation.records import RolloutRecord
from glam.reports.films import EncodedFilm, halved, read_film
from glam.reports.markup import Html, element
from glam.reports.page import card, film, note, trio
from glam.reports.summary.material import ReplayFolder
from glam.reports.summary.variants import TaskComparison, Variant

BUDGET = 12_000_000
"""Bytes of all films of a page; inside it they take a third more."""
FILMS_OF_A_VARIANT = 3  # successes, and as many failures


def chosen(
    task_comparisons: Sequence[TaskComparison], replays: Sequence[ReplayFolder], budget: int = BUDGET
) -> dict[Path, EncodedFilm]:
    """The films of a page by their files: all if they fit, else smaller ones, and the first of each group first."""
    groups = [
        [filmed.path for filmed in _of_variant(variant)]
        for compared in task_comparisons
        for variant in compared.variants
    ]
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


def variant_films(compared: TaskComparison, films: Mapping[Path, EncodedFilm]) -> Iterator[Html]:
    """A card for each scene in which all variants were filmed, and one for the other films of each variant."""
    filmed = {variant.name: _of_variant(variant) for variant in compared.variants}
    shown = {name: [one for one in found if one.path in films] for name, found in filmed.items()}
    if any(shown.values()):
        yield note("Both cameras, side by side. Before a film plays, it shows its last frame.")
    shared = _shared_scenes(list(shown.values()))
    for seed in shared:
        same = [(name, one) for name, found in shown.items() for one in found if one.record.test_seed == seed]
        figures = [_figure(films[one.path], one.record, f"{name} ") for name, one in same]
        yield card(trio(*figures), title=f"The same scene, number {seed - compared.first_seed + 1}")
    for name, found in shown.items():
        rest = [one for one in found if one.record.test_seed not in shared]
        ordered = sorted(rest, key=lambda one: not one.record.is_success)
        scenes = [(one, f"Scene {one.record.test_seed - compared.first_seed + 1}: ") for one in ordered]
        if scenes:
            yield card(trio(*(_figure(films[one.path], one.record, words) for one, words in scenes)), title=name)
    missing = sum(len(found) for found in filmed.values()) - sum(len(found) for found in shown.values())
    if missing:
        yield note(f"{missing} more films would make this page too large; they are in the folders of the evaluations.")


def _shared_scenes(films: Sequence[Sequence[FilmedEpisode]]) -> list[int]:
    """Test seeds of which every variant has a film; none where there is one variant or one with several trainings."""
    seeds = [[one.record.test_seed for one in found] for found in films]
    if len(seeds) < 2 or any(len(set(found)) < len(found) for found in seeds):
        return []
    return sorted(set.intersection(*map(set, seeds)))


def _of_variant(variant: Variant) -> list[FilmedEpisode]:
    """Successes and failures in turn, from each training in turn."""
    by_training = [
        [filmed for filmed in evaluation.films if filmed.record.is_success == is_success]
        for is_success in (True, False)
        for evaluation in variant.evaluations
    ]
    half = len(variant.evaluations)
    kinds = [_in_turn(by_training[:half])[:FILMS_OF_A_VARIANT], _in_turn(by_training[half:])[:FILMS_OF_A_VARIANT]]
    return _in_turn(kinds)


def _in_turn(lists: Sequence[Sequence[FilmedEpisode]]) -> list[FilmedEpisode]:
    return [item for turn in zip_longest(*lists) for item in turn if item is not None]


def _figure(shown: EncodedFilm, record: RolloutRecord, who: str) -> Html:
    outcome = f"succeeds in {record.steps} steps" if record.is_success else f"fails to {record.failed_stage}"
    drawn = film(shown, f"{who}{outcome}.")
    return element("div", drawn, class_=f"outcome {'ok' if record.is_success else 'problem'}")
