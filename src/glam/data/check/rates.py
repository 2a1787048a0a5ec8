"""Frame rate: `info.json`, time stamps and videos must agree."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from glam.data.check.finding import Finding
from glam.data.check.info import CheckedInfo
from glam.data.layout import INFO

_TOLERANCE = 0.01  # of the rate; a real mistake is a factor


@dataclass(frozen=True)
class Rate:
    """A rate that was measured."""

    file: str
    fps: float
    """0 when it could not be measured."""
    source: str
    """Where the rate was measured, such as `its time stamps`."""
    episode: int | None = None


def settled(rate: Rate, info: CheckedInfo) -> float:
    """The rate to judge single frames by: the declared one where the measured one agrees, which is less exact."""
    return info.fps if info.fps > 0.0 and _equal(rate.fps, info.fps) else rate.fps


def check_rates(info: CheckedInfo, measured: Sequence[Rate]) -> Iterator[Finding]:
    """Compare `fps` of `meta/info.json` with every rate that was measured.

    When all of them agree with one another but not with the file, the file is wrong: one finding, not hundreds.
    """
    rates = [rate for rate in measured if rate.fps > 0.0]
    wrong = [rate for rate in rates if info.fps > 0.0 and not _equal(rate.fps, info.fps)]
    if wrong and len(wrong) == len(rates) and all(_equal(rate.fps, wrong[0].fps) for rate in wrong):
        sources = " and ".join(sorted({rate.source for rate in wrong}))
        problem = f"fps is {info.fps:g} but every file has {wrong[0].fps:.4g} frames per second by {sources}"
        yield Finding("fps", INFO, problem)
        return
    for rate in wrong:
        problem = f"{rate.fps:.4g} frames per second by {rate.source}, but meta/info.json says {info.fps:g}"
        yield Finding("fps", rate.file, problem, rate.episode)


def _equal(first: float, second: float) -> bool:
    return abs(first - second) <= _TOLERANCE * second
