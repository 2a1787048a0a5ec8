"""The ablations of the paper's appendix."""

from collections.abc import Iterator

from glam.reports.bars import points
from results.document import NOT_RUN, Block, Figures, Section, Table, Words
from results.figures import failure_chart, success_chart
from results.images import svg_image
from results.record import GridRecord, Records
from results.sources import REPLAY_COLUMNS, replays
from results.trials import Trials, comparison, in_words, of_method, verdict

GRID = "ablation"
MEANINGS = {
    "glam-o": "the method as it is",
    "glam-o-unaligned": "without the alignment",
    "glam-o-idm-actions": "actions reconstructed from the inverse dynamics",
    "glam-o-symmetric": "alignment that moves both posteriors",
    "glam-o-pose-only": "without the image",
    "glam-o-no-pose": "without the end-effector pose",
    "glam-o-detached": "alignment that does not reach the image encoder",
    "glam-o-exact-poses": "no rotation noise on the poses of the inverse dynamics",
    "clam-o-both": "CLAM on masks of both sources",
    "clam-both": "CLAM on images of both sources",
    "retarget": "inverse kinematics instead of latent actions",
}
_COLUMNS = (
    "method",
    "what it is",
    *(f"replay: {name}" for name in REPLAY_COLUMNS[1:4]),
    "policy",
    "compared with glam-o",
)
_PAPER = (
    "The paper reports in words that without the asymmetric alignment, and with action reconstruction on the inverse "
    "dynamics model, latent actions of the hand-held gripper do not transfer."
)


def ablation(records: Records) -> Iterator[Section]:
    """A section for each task."""
    record = records.grid(GRID)
    if not record.cells:
        yield Section("Ablations", (Words(f"Not run yet: glam bench {GRID}."),))
    for task in dict.fromkeys(cell.task for cell in record.cells):
        yield Section(f"Ablations: {task}", tuple(_task(record, task)))


def _task(record: GridRecord, task: str) -> Iterator[Block]:
    evaluations = [cell for cell in record.cells if (cell.kind, cell.task) == ("evaluation", task)]
    found = {(cell.method, cell.detail): of_method(record, task, cell.method, cell.detail) for cell in evaluations}
    yield Words(_PAPER, is_headline=True)
    run = [one for (_, detail), one in found.items() if one.is_run and not detail]
    if run:
        charts = (success_chart("Success with 95 % intervals", run), failure_chart("Where episodes end", run))
        words = f"Success of the method without each of its parts, and where its episodes end, on {task}"
        yield Words(f"Here, on {task}: {_found(task, run)}", is_headline=True)
        yield Figures(charts, images=(svg_image(f"ablation_{task.replace('-', '_')}", words, charts),))
    reference = found["glam-o", ""]
    rows = [_row(record, task, key, one, reference) for key, one in found.items()]
    yield Table(_COLUMNS, tuple(rows), f"Ablations on {task}")
    yield from map(Words, _calibration(task, found))


def _found(task: str, run: list[Trials]) -> str:
    """The parts without which the method is significantly worse."""
    named = {one.name: one for one in run}
    others = [one for one in run if one.name not in ("glam-o", "retarget")]
    if "glam-o" not in named or not others:
        return "too little has been run to compare."
    worse = [one.name for one in others if comparison(task, named["glam-o"], one).difference.low > 0]
    return f"significantly worse than glam-o are {', '.join(worse) or 'none'}, of {len(others)} ablations."


def _row(record: GridRecord, task: str, key: tuple[str, str], one: Trials, reference: Trials) -> tuple[str, ...]:
    method, detail = key
    against = "-"
    if one.is_run and reference.is_run and one is not reference:
        against = f"{points(comparison(task, one, reference).difference)}, {verdict(one, reference)}"
    shown = replays(record, task, method, _replayed(record, task, key)) if method != "retarget" else ("-",) * 3
    return (method, detail or MEANINGS.get(method, ""), *shown[:3], one.percent if one.is_run else NOT_RUN, against)


def _replayed(record: GridRecord, task: str, key: tuple[str, str]) -> str:
    """The detail of the replay that belongs to an evaluation: by the same world model, on right or wrong poses."""
    cells = [cell for cell in record.cells if (cell.kind, cell.task, cell.method) == ("replay", task, key[0])]
    details = [*dict.fromkeys(cell.detail for cell in cells), ""]
    return details[-2] if key[1] and len(details) > 1 else details[0]


def _calibration(task: str, found: dict[tuple[str, str], Trials]) -> Iterator[str]:
    """Latent actions against inverse kinematics where the poses of the auxiliary data are wrong."""
    wrong = {method: one for (method, detail), one in found.items() if detail and one.is_run}
    if {"glam-o", "retarget"} <= wrong.keys():
        detail = wrong["glam-o"].cells[0].detail
        yield f"Auxiliary {detail}: {in_words(task, wrong['glam-o'], wrong['retarget'])}."
