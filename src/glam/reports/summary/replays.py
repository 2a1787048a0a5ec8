"""Replays: how closely the robot follows recordings of others through latent actions alone."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from glam.reports.films import Film
from glam.reports.markup import Html
from glam.reports.page import card, film, note, table, trio
from glam.reports.summary.material import ReplayRun
from glam.reports.summary.provenance import behind
from glam.statistics.intervals import wilson

_COLUMNS = (
    "recording", "task", "successes", "95 % interval", "path error (mm)", "with delay (mm)", "turn (degrees)",
    "gripper agrees",
)  # fmt: skip
_WORDS = (
    "Unseen episodes become latent actions, these become actions of the robot, and it performs them without looking. "
    "Medians; the path error is the distance to the nearest point of the recorded path, with delay to the point of the "
    "same moment."
)


def replay_parts(replays: Sequence[ReplayRun], films: Mapping[Path, Film]) -> Iterator[Html]:
    """A table of all replays and the films of each."""
    yield card(note(_WORDS), table(_COLUMNS, [_row(one) for one in replays]), behind(one.root for one in replays))
    for one in replays:
        shown = [path for path in one.films if path in films]
        if shown:
            images = [film(films[path], f"{path.stem}: the recording above, the robot below.") for path in shown]
            yield card(trio(*images), title=one.name)


def _row(replay: ReplayRun) -> tuple[object, ...]:
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
