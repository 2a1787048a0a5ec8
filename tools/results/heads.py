"""Policy heads: what they reach with latent and with direct actions, and what a call costs."""

from collections.abc import Iterator

from results.document import Block, Section, Table, Words
from results.record import GridRecord, RecordedCell, RecordedRun, Records
from results.trials import EVALUATION, of_method

GRID = "heads"
_COLUMNS = ("head", "actions", "successes", "rate, 95 % interval", "ms of a policy call", "training, minutes of a core")


def heads(records: Records) -> Section:
    """The section."""
    return Section("Policy heads", tuple(_blocks(records.grid(GRID))))


def _blocks(record: GridRecord) -> Iterator[Block]:
    done = list(record.done(EVALUATION))
    if not done:
        yield Words(f"Not run yet: glam bench {GRID}.")
        return
    yield Words(
        "Every head runs in the place of MIP, with latent and with direct actions. One training each of 1500 steps on "
        "100 labelled and 400 hand-held demonstrations of stack-two, 100 validation scenes. So short a training tells "
        "which head learns fastest, not which one reaches most."
    )
    yield Table(_COLUMNS, tuple(_row(record, cell, run) for cell, run in done))


def _row(record: GridRecord, cell: RecordedCell, run: RecordedRun) -> tuple[str, ...]:
    tried = of_method(record, cell.task, cell.method, cell.detail)
    policy = next(record.needed(run, "policy"))
    actions = "latent" if cell.method == "glam-o" else "direct"
    counts = f"{tried.successes} of {tried.episodes}"
    call, minutes = f"{policy.result['policy_call_ms']:.1f}", f"{policy.seconds / 60:.1f}"
    return cell.detail.removeprefix("head "), actions, counts, tried.percent, call, minutes
