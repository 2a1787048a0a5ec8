"""Verdicts on episodes: `leave out` where hardly any sound episode looks so, `look` where a person must decide.

A rule compares an episode with the others of its set, because what is normal depends on task, hand and tracker. What
most episodes of a set have is no fault of one of them: it is said once, about the set.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from glam.data.quality.duplicates import copies
from glam.data.quality.measures import Measures

Verdict = Literal["leave out", "look", "sound"]
VERDICTS: tuple[Verdict, ...] = ("leave out", "look", "sound")

_FEWEST = 5
"""Episodes of a set from which on one can be compared with the others."""


@dataclass(frozen=True)
class Remark:
    """One thing that is wrong with an episode, or may be."""

    verdict: Verdict
    fault: str
    """`lost`, `jump`, `stall`, `gripper`, `delay`, `copy`, `length` or `reach`."""
    words: str
    frame: int = 0
    """Where to look."""


@dataclass(frozen=True)
class Judged:
    """An episode and what was found."""

    episode: int
    frames: int
    remarks: tuple[Remark, ...] = ()
    """The gravest first."""

    @property
    def verdict(self) -> Verdict:
        """The gravest verdict."""
        return self.remarks[0].verdict if self.remarks else "sound"


def judge(
    measures: Sequence[Measures], fps: int, arms: Sequence[str], others: Iterable[tuple[int, Remark]] = ()
) -> tuple[Judged, ...]:
    """Verdict on each episode of a set; `others` are remarks that need more than its measures."""
    found: dict[int, list[Remark]] = {one.episode: [] for one in measures}
    for episode, remark in others:
        found[episode].append(remark)
    for rule in (_lost, _jumps, _stalls, _grippers, _delays, _lengths):
        for episode, remark in rule(measures, fps, arms):
            found[episode].append(remark)
    for episode, original in copies(measures).items():
        found[episode].append(Remark("leave out", "copy", f"the same as episode {original}, in motion and images"))
    lengths = {one.episode: one.frames for one in measures}
    gravity = VERDICTS.index
    ordered = {
        episode: sorted(remarks, key=lambda remark: gravity(remark.verdict)) for episode, remarks in found.items()
    }
    return tuple(Judged(episode, lengths[episode], tuple(remarks)) for episode, remarks in ordered.items())


def about_the_set(measures: Sequence[Measures], fps: int) -> Iterator[str]:
    """Sentences about faults that most episodes have alike."""
    delay = usual_delay(measures)
    if delay is None and len(measures) >= _FEWEST and any(one.lag for one in measures):
        yield "images and poses: no delay can be told, since what moves in the images is not the hand alone"
    elif delay is not None and abs(delay) >= max(2, _LAG * fps):
        late = "later" if delay > 0 else "earlier"
        remedy = f"shift the time stamps of the poses by {delay / fps:+.2f} s before the set is converted"
        yield f"the images of most episodes come {abs(delay) / fps:.2f} s {late} than the poses; {remedy}"


Found = Iterator[tuple[int, Remark]]

_LOST = (3, 0.3)
"""Fewest steps, and seconds, of a pose that stands still because the tracker is lost."""
_LOST_JUMP = 0.03
"""Metres from there to the next pose."""
_STANDING = (1.0, 0.8)
"""Seconds in which all poses stand still, and share of them in which images move."""


def _lost(measures: Sequence[Measures], fps: int, arms: Sequence[str]) -> Found:
    """A tracker that is lost repeats its last pose, then jumps. A hand that starts from rest begins slowly."""
    for one in measures:
        for arm, held in zip(arms, one.frozen, strict=False):
            is_long = held.steps >= max(_LOST[0], _LOST[1] * fps)
            if is_long and held.jump > _LOST_JUMP and held.jump > 2.0 * held.after:
                words = f"the pose of {arm} stands still for {held.steps / fps:.1f} s from frame {held.start} on"
                words += f", then jumps {100 * held.jump:.0f} cm"
                yield one.episode, Remark("leave out", "lost", words, held.start)
        held = one.standing
        if held.steps > _STANDING[0] * fps and held.images_move > _STANDING[1]:
            words = f"no pose changes for {held.steps / fps:.1f} s from frame {held.start} on, but the images do"
            yield one.episode, Remark("look", "lost", words, held.start)


_JUMPS: tuple[tuple[Verdict, float, float, float, float], ...] = (
    ("leave out", 0.05, 30.0, 5.0, 2.5),
    ("look", 0.02, 10.0, 3.0, 2.0),
)
"""Metres or degrees of a step, least change of velocity (m/s per second), and how many times that of nine in ten other
episodes."""


def _jumps(measures: Sequence[Measures], fps: int, arms: Sequence[str]) -> Found:
    """A step that no hand can make: much faster than those before and after it."""
    for number, arm in enumerate(arms):
        mine = [one for one in measures if len(one.jumps) > number]
        changes = np.array([one.jumps[number].change for one in mine])
        for place, one in enumerate(mine):
            jump, others = one.jumps[number], np.delete(changes, place)
            usual = float(np.quantile(others, 0.9)) if len(mine) >= _FEWEST else 0.0
            for verdict, metres, degrees, least, times in _JUMPS:
                is_far = jump.metres > metres or jump.degrees > degrees
                if is_far and jump.change > max(least, times * usual):
                    size = f"{100 * jump.metres:.0f} cm and {jump.degrees:.0f} degrees"
                    words = f"{arm} jumps {size} to frame {jump.frame} (in {1000 / fps:.0f} ms, out of slow motion)"
                    yield one.episode, Remark(verdict, "jump", words, jump.frame)
                    break


_REST = (3.0, 3.0)
"""Seconds of rest, and how many times those of other episodes, that are remarkable."""


def _stalls(measures: Sequence[Measures], fps: int, arms: Sequence[str]) -> Found:
    """Nothing moves for long, in a set where this is not usual."""
    del arms
    usual = float(np.median([one.rest.steps for one in measures])) if len(measures) >= _FEWEST else 0.0
    for one in measures:
        if one.rest.steps > max(_REST[0] * fps, _REST[1] * usual):
            words = f"nothing moves for {one.rest.steps / fps:.1f} s from frame {one.rest.start} on"
            yield one.episode, Remark("look", "stall", words, one.rest.start)


_MOVES, _STUCK = 0.2, 0.05
"""Range of an opening that counts as motion, and as none."""
_NEARLY_ALL = 0.9


def _grippers(measures: Sequence[Measures], fps: int, arms: Sequence[str]) -> Found:
    """A gripper that never moves where those of the others do."""
    del fps
    for number, arm in enumerate(arms):
        mine = [one for one in measures if len(one.strokes) > number]
        moving = sum(one.strokes[number] > _MOVES for one in mine)
        for one in mine if len(mine) >= _FEWEST else ():
            share = moving / (len(mine) - 1)  # of the others, since this one does not move
            if share > 0.5 and one.strokes[number] < _STUCK:
                words = f"the gripper of {arm} never moves; in {share:.0%} of the other episodes it does"
                yield one.episode, Remark("leave out" if share >= _NEARLY_ALL else "look", "gripper", words)


_LAG = 0.15
"""Seconds between images and poses that are remarkable."""
_AGREES, _LOOK_BETTER, _BETTER = 0.6, 0.1, 0.2
"""Agreement at the best delay, and by how much it exceeds that at the usual one."""


def usual_delay(measures: Sequence[Measures]) -> int | None:
    """Delay of the images behind the poses in most episodes, in frames; None where motions do not agree."""
    found = [one.lag.frames for one in measures if one.lag is not None and one.lag.at(one.lag.frames) > _AGREES]
    return round(float(np.median(found))) if len(found) >= max(_FEWEST, len(measures) // 2) else None


def _delays(measures: Sequence[Measures], fps: int, arms: Sequence[str]) -> Found:
    """Images that come later or earlier than in other episodes."""
    del arms
    usual = usual_delay(measures)
    if usual is None:
        return
    for one in measures:
        lag = one.lag
        if lag is None or abs(lag.frames - usual) < max(2, _LAG * fps) or lag.at(lag.frames) < _AGREES:
            continue
        better = lag.at(lag.frames) - lag.at(usual)
        if better > _LOOK_BETTER:
            late = (lag.frames - usual) / fps
            words = f"its images come {abs(late):.2f} s {'later' if late > 0 else 'earlier'} than in other episodes"
            yield one.episode, Remark("leave out" if better > _BETTER else "look", "delay", words)


_LENGTH = (2.0, 5.0)
"""How many times longer or shorter than usual, and spreads of the lengths, that are remarkable."""
_SPREAD = 1.4826  # times the median deviation is the standard deviation of normal numbers


def _lengths(measures: Sequence[Measures], fps: int, arms: Sequence[str]) -> Found:
    """Much longer or shorter than the others."""
    del arms
    logs: NDArray[np.float64] = np.log([one.frames for one in measures])
    middle = float(np.median(logs))
    least = max(np.log(_LENGTH[0]), _LENGTH[1] * _SPREAD * float(np.median(np.abs(logs - middle))))
    for one, log in zip(measures, logs, strict=True) if len(measures) >= _FEWEST else ():
        if abs(log - middle) > least:
            words = f"{one.frames / fps:.1f} s long; half of the episodes take less than {np.exp(middle) / fps:.1f} s"
            yield one.episode, Remark("look", "length", words)
