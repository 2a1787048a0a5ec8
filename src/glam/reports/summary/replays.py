"""Replays: distance of the robot from recordings of other embodiments, through latent actions alone."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from glam.reports.films import EncodedFilm
from glam.reports.markup import Html
from glam.reports.page import card, film, note, table, trio
from glam.reports.summary.material import ReplayFolder
from glam.reports.summary.provenance import behind
from glam.statistics.intervals import wilson

_COLUMNS = (
    "recording", "task", "successes", "95 % interval", "path error (mm)", "with delay (mm)", "turn (degrees)",
    "gripper agrees",
)  # fmt: skip
_WORDS = (
    "Held-out episodes are converted to latent actions, then to actions of the robot, which executes them open loop. "
    "Medians; the path error is the distance to the nearest point of the recorded path, with delay to the point of the "
    "same moment."
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
