"""Learning curves of policies and world models, images of world models, and replays of other embodiments."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from glam.evaluation.statistics import wilson
from glam.reports.charts import ChartAxis, Series, line_chart
from glam.reports.films import EncodedFilm
from glam.reports.markup import Html
from glam.reports.page import card, facts, film, folded, grid, note, table, trio
from glam.reports.summary.material import PolicyTraining, ReplayFolder, WorldModelTraining, behind
from glam.reports.world_model_page import (
    LATENT_WORDS,
    latent_charts,
    probe_curves,
    summary,
    training_curves,
    transition_images,
    verdict_list,
)
from glam.world_models.verdicts import Verdict

TRANSITIONS_OF_A_SOURCE = 4
PROBES_IN_SIGHT = 3
_STEP = ChartAxis("step", includes=(0.0,))


def policy_curves(policies: Sequence[PolicyTraining]) -> Iterator[Html]:
    """One chart for each loss and each probe, with a line for every policy that has it."""
    names = _names(policies)
    charts = []
    for split in ("train", "validation"):
        keys = dict.fromkeys(
            key
            for policy in policies
            for line in policy.lines
            if line["split"] == split
            for key in line
            if split == "validation" or key.startswith("loss")
        )
        for key in keys:
            if key in {"step", "split", "seconds"}:
                continue
            series = [
                replace(_curve(policy, split, key), name=name, style=place)
                for place, (policy, name) in enumerate(zip(policies, names, strict=True))
            ]
            known = [one for one in series if len(one.x) > (split == "validation")]
            if known:
                charts.append(line_chart(_title(key), known, _STEP, ChartAxis(_unit(key), is_log=split == "train")))
    words = "An objective sums terms that differ between methods: it compares trainings of one method, not methods."
    yield card(grid(*charts), note(words), behind(policies))


def world_model_parts(model: WorldModelTraining) -> Iterator[Html]:
    """The verdict, the latent space, images and curves; what is ok and the details are folded."""
    if model.verdicts:
        yield card(*_verdicts(model.verdicts))
    if model.views:
        rows = {name: value for name, value in model.subject.facts.items() if name != "Command"}
        yield card(trio(*latent_charts(model.views), facts(rows)), note(LATENT_WORDS))
        fewer = [replace(view, transitions=view.transitions[:TRANSITIONS_OF_A_SOURCE]) for view in model.views]
        if any(view.transitions for view in fewer):
            yield from transition_images(model.subject, fewer)
    else:
        yield note("Its datasets are not where they were, so there is no image of the latent space; give them as well.")
    probes, losses = list(probe_curves(model.lines)), list(training_curves(model.lines))
    first = [*probes[:PROBES_IN_SIGHT], *losses[:1]]
    rest = [*probes[PROBES_IN_SIGHT:], *losses[1:]]
    yield card(grid(*first), folded("All probes and losses", grid(*rest)), behind([model]), title="Learning curves")


def _verdicts(verdicts: Sequence[Verdict]) -> Iterator[Html]:
    doubts = [verdict for verdict in verdicts if verdict.severity != "ok"]
    fine = [verdict for verdict in verdicts if verdict.severity == "ok"]
    yield note(summary(verdicts))
    if doubts:
        yield verdict_list(doubts)
    if fine:
        yield folded(f"{len(fine)} ok", verdict_list(fine))


def _curve(policy: PolicyTraining, split: str, key: str) -> Series:
    known = [(line["step"], line[key]) for line in policy.lines if line["split"] == split and key in line]
    values = np.array(known, float).reshape(-1, 2)
    return Series(key, values[:, 0], values[:, 1])


def _title(key: str) -> str:
    return "Objective" if key == "loss" else key.replace("loss.", "Loss: ").replace("_", " ")


def _unit(key: str) -> str:
    return "loss" if key.startswith("loss") else "value"


def _names(policies: Sequence[PolicyTraining]) -> list[str]:
    """Method and seed; with the folder where two would be called the same."""
    names = [f"{policy.lineage.name}, seed {policy.seed}" for policy in policies]
    return [
        f"{name} ({policy.root.resolve().name})" if names.count(name) > 1 else name
        for policy, name in zip(policies, names, strict=True)
    ]


_COLUMNS = (
    "recording", "task", "successes", "95 % interval", "to the path (mm)", "at the same moment (mm)",
    "rotation (degrees)", "gripper agrees",
)  # fmt: skip
_WORDS = (
    "Held-out episodes are converted to latent actions, then to actions of the robot, which executes them open loop. "
    "Medians over episodes: distance to the nearest point of the recorded path, and to that of the same moment; "
    "rotation error; share of time in which both grippers are open or both closed."
)


def replay_parts(replays: Sequence[ReplayFolder], films: Mapping[Path, EncodedFilm]) -> Iterator[Html]:
    """A table of all replays and the films of each."""
    yield card(note(_WORDS), table(_COLUMNS, [_row(one) for one in replays]), behind(replays))
    for one in replays:
        shown = [path for path in one.films if path in films]
        if shown:
            figures = [film(films[path], f"{_episode(path)}: recording above, robot below.") for path in shown]
            yield card(trio(*figures), title=one.name)


def _episode(path: Path) -> str:
    name, _, number = path.stem.rpartition("-")
    return f"{name.capitalize()} {int(number)}" if number.isdigit() else path.stem


def _row(replay: ReplayFolder) -> tuple[object, ...]:
    record, summary = replay.record, replay.record.summary
    rate = wilson(int(summary.successes), int(summary.episodes))
    return (
        replay.name,
        record.config["task"],
        f"{summary.successes:.0f} of {summary.episodes:.0f}",
        f"{100 * rate.low:.1f} to {100 * rate.high:.1f} %",
        round(summary.median_path_mm, 1),
        round(summary.median_aligned_mm, 1),
        round(summary.median_degrees, 1),
        f"{100 * summary.median_gripper:.0f} %",
    )
