"""The page of a report: results first, then films, trainings, and everything behind the numbers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from glam.reports.charts import PALETTE
from glam.reports.films import EncodedFilm
from glam.reports.markup import Html, element
from glam.reports.page import card, contents, named_section, play_all, write_page
from glam.reports.summary.benchmarks import benchmark_parts
from glam.reports.summary.material import Material, WorldModelTraining
from glam.reports.summary.provenance import entries
from glam.reports.summary.replays import replay_parts
from glam.reports.summary.results import Styles, headline, result_parts
from glam.reports.summary.rollout_films import chosen, variant_films
from glam.reports.summary.trainings import policy_curves, world_model_parts
from glam.reports.summary.variants import TaskComparison, task_comparisons


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
        title += f", configurations from {compared.first_seed}"
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
