"""Costs of the results: core hours, the demo, and interruptions."""

from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any

from glam.evaluation.statistics import newcombe
from results.document import Block, Section, Table, Words
from results.record import GridRecord, Records

GRIDS = (
    "main",
    "with-masks",
    "scaling",
    "few-labels",
    "third-source",
    "transfer",
    "ablation",
    "smoothness",
    "world-models",
    "policies",
    "heads",
    "regimes",
    "method",
    "tuning",
    "tasks",
)
KINDS = ("data", "world-model", "policy", "evaluation", "replay", "source-probe", "action-probe", "trajectories")
LEARNING = ("world-model", "policy", "evaluation")
"""Costs of a cell without its demonstrations."""


def costs(records: Records) -> Section:
    """The section."""
    return Section("Cost", tuple(_blocks(records)))


def hours(record: GridRecord, seed: int) -> float:
    """Core hours for all cells of one training seed; shared runs count once."""
    wanted = {(cell.kind, cell.run) for cell in record.cells if cell.seed == seed}
    names = {name for _, name in wanted}
    grown = True
    while grown:
        further = {name for run in record.runs.values() if run.name in names for name in run.needs} - names
        grown, names = bool(further), names | further
    return sum(run.seconds for run in record.runs.values() if run.name in names) / 3600


def _blocks(records: Records) -> Iterator[Block]:
    if records.grids:
        yield Words(
            "Core hours; runs that several grids share are counted in each. They are processor time, or elapsed time "
            "for runs whose records have nothing else."
        )
        columns = ("grid", "cells done", *(f"{kind} (h)" for kind in KINDS), "all (h)")
        yield Table(columns, tuple(_grid_row(records.grid(name)) for name in GRIDS if name in records.grids))
    main = records.grid("main")
    cells = [cell for cell in main.cells if cell.seconds]
    if cells:
        tasks = dict.fromkeys(cell.task for cell in cells)
        rows = tuple((task, *_minutes([cell.seconds for cell in cells if cell.task == task])) for task in tasks)
        yield Table(("task", "cells", *(f"{kind} (min)" for kind in LEARNING), "all three (min)"), rows,
                    "A cell of the main grid, medians, demonstrations not counted")  # fmt: skip
    yield from _demo(records)
    if records.kills:
        kills = records.kills
        yield Words(
            f"glam bench {kills['grid']}, killed {kills['kills']} times at random moments and started again: "
            f"{kills['lost']} finished runs lost, {kills['repeated']} made again."
        )


def _grid_row(record: GridRecord) -> tuple[str, ...]:
    done = sum(bool(cell.seconds) for cell in record.cells)
    spent = {kind: sum(run.seconds for run in record.runs.values() if run.kind == kind) / 3600 for kind in KINDS}
    shown = [f"{value:.2f}" if value else "-" for value in spent.values()]
    return (record.name, f"{done} of {len(record.cells)}", *shown, f"{sum(spent.values()):.2f}")


def _minutes(cells: list[dict[str, float]]) -> Iterator[str]:
    yield str(len(cells))
    for kind in LEARNING:
        spent = [seconds[kind] / 60 for seconds in cells if kind in seconds]
        yield f"{median(spent):.1f}" if spent else "-"
    yield f"{median(sum(seconds.get(kind, 0.0) for kind in LEARNING) for seconds in cells) / 60:.1f}"


def _demo(records: Records) -> Iterator[Block]:
    if records.demo:
        columns = ("seed", "minutes", "glam-o", "mip", "difference in points")
        rows = tuple(tuple(_demo_row(seed)) for seed in records.demo)
        yield Table(columns, rows, "make demo: the whole pipeline, small")


def _demo_row(seed: Mapping[str, Any]) -> Iterator[str]:
    trials = {
        stage["config"]["policy"]["method"]: stage["result"]
        for stage in seed["stages"]
        if stage["kind"] == "evaluation"
    }
    latent, mip = trials["latent"], trials["mip"]
    counts = [number for one in (latent, mip) for number in (one["successes"], one["episodes"])]
    found = newcombe(*counts)
    yield str(seed["seed"])
    yield f"{seed['seconds_in_all'] / 60:.1f}"
    yield f"{latent['successes']} of {latent['episodes']}"
    yield f"{mip['successes']} of {mip['episodes']}"
    yield f"{100 * found.estimate:+.1f} [{100 * found.low:+.1f}, {100 * found.high:+.1f}]"
