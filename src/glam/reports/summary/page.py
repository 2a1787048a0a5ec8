"""The page of a report: results first, then films within a budget, trainings, and everything behind the numbers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from glam.evaluation.evaluations import FilmedEpisode, RolloutRecord
from glam.reports.charts import PALETTE
from glam.reports.films import EncodedFilm, halved, read_film
from glam.reports.markup import Html, element
from glam.reports.page import card, contents, film, named_section, note, play_all, trio, write_page
from glam.reports.summary.material import Material, ReplayFolder, WorldModelTraining, entries
from glam.reports.summary.results import Styles, benchmark_parts, headline, result_parts
from glam.reports.summary.trainings import policy_curves, replay_parts, world_model_parts
from glam.reports.summary.variants import TaskComparison, Variant, task_comparisons

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


@dataclass(frozen=True)
class Introduction:
    """Beginning of a page that explains what was done, in place of the usual one."""

    title: str
    lead: str
    parts: tuple[Html, ...]
    reference: str = ""
    """Name of the variant to compare the others with."""


def write_report(out: Path, material: Material, introduction: Introduction | None = None) -> None:
    """Write the page."""
    found = task_comparisons(material.evaluations, introduction.reference if introduction else "")
    films = chosen(found, material.replays)
    sections = list(_sections(material, found, films))
    parts = [named_section(title, *body) for title, body in sections]
    index = contents([title for title, _ in sections])
    if introduction:
        write_page(out, introduction.title, introduction.lead, *introduction.parts, index, *parts)
        return
    words = [element("p", headline(compared), class_="headline") for compared in found]
    write_page(out, _title(found, material), _lead(material), *words, index, *parts)


def _sections(
    material: Material, found: Sequence[TaskComparison], films: Mapping[Path, EncodedFilm]
) -> Iterator[tuple[str, list[Html]]]:
    styles = _styles(found)
    for compared in found:
        yield _titled("Results", compared, found), list(result_parts(compared, styles))
    buttons = iter([play_all()] if films else [])  # one for all films, where the first are
    for compared in found:
        shown = list(variant_films(compared, films))
        if shown:
            yield _titled("Films", compared, found), [*buttons, *shown]
    for table in material.benchmarks:
        yield f"Benchmark {table.name}", list(benchmark_parts(table))
    if material.replays:
        yield "Replays", [*buttons, *replay_parts(material.replays, films)]
    yield from _trainings(material)
    listed = list(entries(material))
    if listed:
        yield "Behind the numbers", [card(element("div", *listed, class_="ledger"))]


def _trainings(material: Material) -> Iterator[tuple[str, list[Html]]]:
    for title, model in _world_models(material.world_models):
        yield title, list(world_model_parts(model))
    if material.policies:
        yield "Policies", list(policy_curves(material.policies))


def _styles(found: Sequence[TaskComparison]) -> Styles:
    names = dict.fromkeys(variant.name for compared in found for variant in compared.variants)
    return {name: place % len(PALETTE) for place, name in enumerate(names)}


def _title(found: Sequence[TaskComparison], material: Material) -> str:
    tasks = dict.fromkeys(f"{compared.task} by {compared.embodiment}" for compared in found)
    return ", ".join(tasks) or ("Benchmarks" if material.benchmarks else "Trainings")


def _titled(part: str, compared: TaskComparison, found: Sequence[TaskComparison]) -> str:
    """Title of a part about this comparison, unique on the page."""
    title = f"{compared.task} by {compared.embodiment}"
    alike = [other for other in found if (other.task, other.embodiment) == (compared.task, compared.embodiment)]
    if len(alike) > 1:
        title += f", scenes from {compared.first_seed}"
    return part if len(found) == 1 else f"{part}: {title}"


def _world_models(models: Sequence[WorldModelTraining]) -> Iterator[tuple[str, WorldModelTraining]]:
    """World models by method, with the folder where two have the same."""
    methods = [model.method for model in models]
    for method, model in zip(methods, models, strict=True):
        yield f"World model {method}{f' ({model.root})' if methods.count(method) > 1 else ''}", model


def _lead(material: Material) -> str:
    parts = {
        "evaluation": material.evaluations,
        "policy": material.policies,
        "world model": material.world_models,
        "replay": material.replays,
        "benchmark": material.benchmarks,
    }
    counts = [f"{len(items)} {_plural(name, len(items))}" for name, items in parts.items() if items]
    episodes = sum(len(evaluation.records) for evaluation in material.evaluations)
    return f"{', '.join(counts)}{f'; {episodes} rollouts' if episodes else ''}."


def _plural(name: str, count: int) -> str:
    if count == 1:
        return name
    return f"{name[:-1]}ies" if name.endswith("cy") else f"{name}s"
