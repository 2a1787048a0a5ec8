"""The page itself: what was found, in the order in which a reader asks."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from glam.reports.charts import PALETTE
from glam.reports.films import Film
from glam.reports.markup import Html, element
from glam.reports.page import card, contents, named_section, play_all, write_page
from glam.reports.summary.arms import Contest, contests
from glam.reports.summary.material import Material, WorldModelTraining
from glam.reports.summary.provenance import entries
from glam.reports.summary.replays import replay_parts
from glam.reports.summary.results import Styles, headline, result_parts
from glam.reports.summary.rollout_films import arm_films, chosen
from glam.reports.summary.trainings import policy_curves, world_model_parts


def write_report(out: Path, material: Material) -> None:
    """Write the page."""
    found = contests(material.evaluations)
    films = chosen(found, material.replays)
    sections = list(_sections(material, found, films))
    parts = [named_section(title, *body) for title, body in sections]
    words = [element("p", headline(contest), class_="headline") for contest in found]
    index = contents([title for title, _ in sections])
    write_page(out, _title(found), _lead(material), *words, index, *parts)


def _sections(
    material: Material, found: Sequence[Contest], films: Mapping[Path, Film]
) -> Iterator[tuple[str, list[Html]]]:
    styles = _styles(found)
    for contest in found:
        yield _titled("Results", contest, found), list(result_parts(contest, styles))
    buttons = iter([play_all()] if films else [])  # one for all films, where the first are
    for contest in found:
        shown = list(arm_films(contest, films))
        if shown:
            yield _titled("Films", contest, found), [*buttons, *shown]
    if material.replays:
        yield "Replays", [*buttons, *replay_parts(material.replays, films)]
    for title, model in _world_models(material.world_models):
        yield title, list(world_model_parts(model))
    if material.policies:
        yield "Policies", list(policy_curves(material.policies))
    yield "Behind the numbers", [card(element("div", *entries(material), class_="ledger"))]


def _styles(found: Sequence[Contest]) -> Styles:
    names = dict.fromkeys(arm.name for contest in found for arm in contest.arms)
    return {name: place % len(PALETTE) for place, name in enumerate(names)}


def _title(found: Sequence[Contest]) -> str:
    tasks = dict.fromkeys(f"{contest.task} by {contest.embodiment}" for contest in found)
    return ", ".join(tasks) or "Trainings"


def _titled(part: str, contest: Contest, found: Sequence[Contest]) -> str:
    """What tells this contest from the others of the page."""
    title = f"{contest.task} by {contest.embodiment}"
    alike = [other for other in found if (other.task, other.embodiment) == (contest.task, contest.embodiment)]
    if len(alike) > 1:
        title += f", configurations from {contest.first_seed}"
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
    }
    counts = [f"{len(items)} {_plural(name, len(items))}" for name, items in parts.items() if items]
    episodes = sum(len(evaluation.records) for evaluation in material.evaluations)
    return f"{', '.join(counts)}{f'; {episodes} rollouts' if episodes else ''}."


def _plural(name: str, count: int) -> str:
    if count == 1:
        return name
    return f"{name[:-1]}ies" if name.endswith("cy") else f"{name}s"
