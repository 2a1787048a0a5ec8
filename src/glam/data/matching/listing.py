"""A comparison as lines to print: a table, what to do about every finding, and a verdict."""

from collections.abc import Callable, Iterator

import numpy as np

from glam.data.matching.comparison import Comparison, can_work
from glam.data.matching.facts import Facts, Hand
from glam.data.matching.rules import MOVES, SEVERITIES

_WORDS = {"cannot": "CANNOT", "look": "look", "note": "note"}


def lines(comparison: Comparison) -> tuple[str, ...]:
    """The table, then the findings, then the verdict."""
    findings = [f"{_WORDS[one.severity]:6}  {one.topic}: {one.problem}; {one.remedy}" for one in comparison.mismatches]
    return (*_table(comparison), "", *findings, *([""] if findings else []), _verdict(comparison))


def _table(comparison: Comparison) -> Iterator[str]:
    """A block for each topic, with a line for each set."""
    labels = ["target", *(f"aux {number}" for number in range(1, len(comparison.facts)))]
    for label, facts in zip(labels, comparison.facts, strict=True):
        yield f"{label:8}  {facts.root}"
    yield ""
    for topic, tell in _TOPICS.items():
        words = [tell(facts) for facts in comparison.facts]
        found = [one.severity for one in comparison.mismatches if one.topic == topic]
        verdict = _WORDS[next(severity for severity in SEVERITIES if severity in found)] if found else "ok"
        for number, (label, told) in enumerate(zip(labels, words, strict=True)):
            yield f"{topic if not number else '':10} {label:8} {told:56} {verdict if not number else ''}".rstrip()


def _verdict(comparison: Comparison) -> str:
    counts = [sum(one.severity == severity for one in comparison.mismatches) for severity in SEVERITIES]
    if not can_work(comparison):
        return f"verdict: these sets cannot work together yet; {counts[0]} of the above must be changed"
    common = comparison.common
    end = "" if common.has_pose else "-no-pose"
    methods = [f"glam{end}", *([f"glam-o{end}"] if common.has_masks else [])]
    looks = f", but {counts[1]} of the above deserve{'s' if counts[1] == 1 else ''} a look first" if counts[1] else ""
    return f"verdict: these sets can work together, with {' and '.join(methods)}{looks}"


def _size(facts: Facts) -> str:
    height, width = facts.schema.image_size
    return f"{width} x {height}"


def _hands(tell: Callable[[Hand], str]) -> Callable[[Facts], str]:
    return lambda facts: "; ".join(map(tell, facts.hands)) or "not recorded"


def _box(hand: Hand) -> str:
    low, high = hand.box
    return ", ".join(f"{axis} {a:.2f} to {b:.2f}" for axis, a, b in zip("xyz", low, high, strict=True)) + " m"


def _direction(hand: Hand) -> str:
    x, y, z = np.round(hand.direction, 1) + 0.0  # no minus before a zero
    return f"z axis along ({x:.1f}, {y:.1f}, {z:.1f})"


def _opening(hand: Hand) -> str:
    low, high = hand.opening
    if high - low < MOVES:
        return f"{low:.2f} throughout"
    return f"{low:.2f} to {high:.2f}, {'open' if hand.first_opening > 0.5 else 'closed'} at first"


_TOPICS: dict[str, Callable[[Facts], str]] = {
    "role": lambda facts: "with actions" if facts.schema.role == "target" else "without actions",
    "episodes": lambda facts: f"{facts.episodes}, {facts.frames / facts.schema.fps / 60:.1f} minutes",
    "rate": lambda facts: f"{facts.schema.fps} Hz",
    "cameras": lambda facts: f"{', '.join(facts.schema.cameras)}; {_size(facts)}",
    "masks": lambda facts: ", ".join(facts.schema.objects) or "none",
    "arms": lambda facts: ", ".join(facts.schema.arms),
    "pose": lambda facts: "recorded" if facts.schema.has_pose else "not recorded",
    "workspace": _hands(_box),
    "tool": _hands(_direction),
    "speed": _hands(lambda hand: f"{hand.speed:.2f} m/s"),
    "gripper": _hands(_opening),
}
