"""Stage 1: probes and replays of every method."""

from collections.abc import Iterator
from statistics import median

from results.document import NOT_RUN, Block, Section, Table, Words
from results.record import GridRecord, RecordedCell, RecordedRun, Records
from results.sources import REPLAY_COLUMNS, replays

GRID = "world-models"
TASK = "stack-two"
PROBE = "source probe"
_PROBES = {
    "action_error": "action error",
    "iou": "IoU of the mask",
    "next_iou": "of the next one",
    "feature_vs_copy": "next feature / copy",
    "pose_vs_copy": "next pose / copy",
    "feature_std": "deviation of y",
    "active_dimensions": "active entries",
    "codes_used": "codes used",
}
_WORDS = (
    "Probes on held-out episodes of stack-two, medians over trainings. Action error: error of actions decoded from the "
    "latent actions of the inverse dynamics model, in units of their variance. Errors of the predicted next feature "
    "and pose are divided by those of a copy of the present ones. The source probe is the accuracy of a classifier "
    "that predicts the source of a latent action, where both sources show the same 60 scenes; 0.5 is chance. The "
    "columns after it give the classifier latent actions of hands held level (an arm tilts a little while its servos "
    "lag behind, the simulated hand does not), the decoded action, or the pose."
)
_GIVEN = {
    "latents": "source probe",
    "level": "with level hands",
    "decoded": "given the decoded action",
    "poses": "given the pose",
}


def world_models(records: Records) -> Section:
    """The section."""
    return Section("World models", tuple(_blocks(records.grid(GRID))))


def _blocks(record: GridRecord) -> Iterator[Block]:
    if not record.cells:
        yield Words(f"Not run yet: glam bench {GRID}.")
        return
    yield Words(_WORDS)
    yield _probes(record)
    yield from _source_of_actions(record)
    yield _replays(record)


def _probes(record: GridRecord) -> Table:
    cells = [cell for cell in record.cells if cell.detail == PROBE]
    methods = dict.fromkeys(cell.method for cell in cells)
    columns = ("method", "trainings", *_PROBES.values(), *_GIVEN.values())
    return Table(columns, tuple(_probe_row(record, method) for method in methods), f"Probes on {TASK}")


def _source_of_actions(record: GridRecord) -> Iterator[Words]:
    """Accuracy of the source probe given nearly true actions, the best that latent actions could reach."""
    for _, run in record.done("action-probe"):
        yield Words(
            f"The sources also behave differently: given nearly true actions of both sources, by inverse kinematics, "
            f"the source probe has an accuracy of {run.result['actions']:.3g}."
        )


def _probe_row(record: GridRecord, method: str) -> tuple[str, ...]:
    planned = [cell for cell in record.cells if (cell.detail, cell.method) == (PROBE, method)]
    probed = [run.result for cell, run in record.done("source-probe") if cell.method == method]
    models = list(_models(record, method))
    values = [_median([run.result["probes"][name] for run in models if name in run.result["probes"]])
              for name in _PROBES]  # fmt: skip
    accuracies = [_median([result[name] for result in probed if result[name] is not None]) for name in _GIVEN]
    if not models:
        return (method, f"0 of {len(planned)}", NOT_RUN, *["-"] * (len(values) + len(accuracies) - 1))
    return (method, f"{len(models)} of {len(planned)}", *values, *accuracies)


def _models(record: GridRecord, method: str) -> Iterator[RecordedRun]:
    """Each training of a method on the usual data of the task, once; found by what was done with it."""
    found: dict[str, RecordedRun] = {}
    for kind in ("source-probe", "replay"):
        for cell, run in record.done(kind):
            if (cell.task, cell.method) == (TASK, method) and _is_usual(cell):
                found |= {model.name: model for model in record.needed(run, "world-model")}
    yield from found.values()


def _is_usual(cell: RecordedCell) -> bool:
    """Whether nothing is wrong with the poses."""
    return cell.detail == PROBE or cell.detail.partition(" to ")[0] in {"umi", "kinova", "kinova-lab"}


def _median(values: list[float]) -> str:
    return f"{median(values):.3g}" if values else "-"


def _replays(record: GridRecord) -> Table:
    cells = [cell for cell in record.cells if cell.kind == "replay"]
    details = dict.fromkeys((cell.task, cell.method, cell.detail) for cell in cells)
    rows = tuple((task, method, detail, *replays(record, task, method, detail)) for task, method, detail in details)
    return Table(("task", "method", *REPLAY_COLUMNS), rows, "Replays, 20 held-out episodes each")
