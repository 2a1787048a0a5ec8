"""Further sources: the table of the third source, and replays of every source."""

from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any

from glam.evaluation.statistics import wilson
from glam.reports.bars import Row, points, range_chart, scaled
from glam.reports.charts import ChartAxis
from results import paper
from results.document import NOT_RUN, Block, Figures, Section, Table, Words
from results.films import NO_FILMS, Filmed, strips
from results.images import svg_image
from results.record import GridRecord, Records
from results.trials import Trials, bounds, comparison, of_method, verdict

THIRD, TRANSFER = "third-source", "transfer"
TWO, THREE = "two sources", "three sources"
_THIRD_COLUMNS = (
    "task", "kinova-lab + umi", "with kinova", "difference", "verdict", "paper: two", "paper: three",
)  # fmt: skip
REPLAY_COLUMNS = (
    "replayed", "success, 95 % interval", "to the path (mm)", "at the same moment (mm)", "degrees", "gripper",
)  # fmt: skip
_ERRORS = {"path_mm": ".1f", "aligned_mm": ".1f", "degrees": ".1f", "gripper": ".0%"}
_THIRD_PAPER = "The paper: 100 demonstrations of a simulated robot in addition help two of three tasks and hurt none."
_REPLAY_PAPER = (
    "The paper: recordings of every source, converted to latent actions and decoded to actions of the robot, reproduce "
    "the movement (images of all three sources)."
)
_REPLAY_WORDS = (
    "Held-out episodes of each source are converted to latent actions, then to actions of the target robot, which "
    "executes them open loop. The table has medians over episodes: the distance to the nearest point of the recorded "
    "path, the distance and angle to the pose of the same moment, and the share of time in which both grippers are "
    "open or both closed. The paper shows images in which all three sources reproduce the movement."
)
_STRIPS = "Moments of replays that were not trained on: the recording above, the robot that replays it below."


def third_source(records: Records) -> Section:
    """The section."""
    return Section("A third source", tuple(_third(records.grid(THIRD))))


def pairs(record: GridRecord) -> dict[str, tuple[Trials, Trials]]:
    """With two and with three sources, by task."""
    return {
        task: (of_method(record, task, "glam-o", TWO), of_method(record, task, "glam-o", THREE))
        for task in paper.THREE_SOURCES
    }


def _third(record: GridRecord) -> Iterator[Block]:
    if not record.cells:
        yield Words(f"Not run yet: glam bench {THIRD}.")
        return
    found = pairs(record)
    gaps = {
        task: comparison(task, three, two).difference
        for task, (two, three) in found.items()
        if two.is_run and three.is_run
    }
    yield Words(_THIRD_PAPER, is_headline=True)
    told = ", ".join(f"{task} {points(one)}" for task, one in gaps.items())
    yield Words(f"Here, in points: {told}." if gaps else "Here: not run yet.", is_headline=True)
    rows = [Row(task, scaled(one), points(one), printed=(_papers_gain(task),)) for task, one in gaps.items()]
    if rows:
        drawn = range_chart("Gain by a third source", rows, ChartAxis("percentage points", (0.0,)))
        words = "Gain in success by a third source, with intervals, beside the paper's"
        yield Figures((drawn,), images=(svg_image("third_source", words, [drawn]),))
    yield Words("glam-o with 100 demonstrations of kinova-lab and 400 of umi, and with 100 unlabelled ones of kinova.")
    rows_of_tasks = tuple(_third_row(task, two, three) for task, (two, three) in found.items())
    yield Table(_THIRD_COLUMNS, rows_of_tasks, "Two and three sources")


def _papers_gain(task: str) -> float:
    """In points."""
    two, three = (int(count.partition("/")[0]) for count in paper.THREE_SOURCES[task])
    return 100 * (three - two) / 20


def _third_row(task: str, two: Trials, three: Trials) -> tuple[str, ...]:
    shown = [one.percent if one.is_run else NOT_RUN for one in (two, three)]
    if not (two.is_run and three.is_run):
        return (task, *shown, NOT_RUN, NOT_RUN, *paper.THREE_SOURCES[task])
    found = comparison(task, three, two).difference
    return (task, *shown, points(found), verdict(three, two), *paper.THREE_SOURCES[task])


def transfer(records: Records, filmed: Filmed = NO_FILMS) -> Section:
    """The section."""
    return Section("Cross-source transfer", tuple(_transfer(records.grid(TRANSFER), filmed)))


def _transfer(record: GridRecord, filmed: Filmed) -> Iterator[Block]:
    if not record.cells:
        yield Words(f"Not run yet: glam bench {TRANSFER}.")
        return
    yield Words(_REPLAY_PAPER, is_headline=True)
    yield Words(f"Here: {_replayed(record)}", is_headline=True)
    yield from strips(record.cells, filmed, _STRIPS)
    yield Words(_REPLAY_WORDS)
    details = dict.fromkeys((cell.task, cell.method, cell.detail) for cell in record.cells)
    rows = tuple((task, method, detail, *replays(record, task, method, detail)) for task, method, detail in details)
    yield Table(("task", "world model", *REPLAY_COLUMNS), rows, "Replays of every source on the robot of every task")


def _replayed(record: GridRecord) -> str:
    """Successes of all replays, by source."""
    counts: dict[str, list[bool]] = {}
    for cell, run in record.done("replay"):
        episodes = counts.setdefault(cell.detail.partition(" to ")[0], [])
        episodes += [bool(one["is_success"]) for one in run.result["episodes"]]
    told = [f"{source} {sum(wins)} of {len(wins)}" for source, wins in counts.items()]
    return f"replays that succeed, all tasks together: {', '.join(told)}." if told else "not run yet."


def replays(record: GridRecord, task: str, method: str, detail: str) -> tuple[str, ...]:
    """Success and errors of the replays of a cell, all trainings together."""
    wanted = (task, method, detail)
    found = [run.result for cell, run in record.done("replay") if (cell.task, cell.method, cell.detail) == wanted]
    episodes: list[Mapping[str, Any]] = [one for result in found for one in result["episodes"]]
    if not episodes:
        return NOT_RUN, *["-"] * len(_ERRORS)
    successes = sum(bool(one["is_success"]) for one in episodes)
    errors = [f"{median(one['errors'][name] for one in episodes):{form}}" for name, form in _ERRORS.items()]
    return f"{successes} of {len(episodes)} {bounds(wilson(successes, len(episodes)))}", *errors
