"""Comparison of a target dataset with auxiliary ones: facts, differences, and lines to print."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from glam.core.workers import Progress, no_progress
from glam.data.demonstrations import Shared, shared
from glam.data.matching.advice import frame_differences, method
from glam.data.matching.facts import Facts, Hand, facts_of
from glam.data.matching.pose_frames import PoseFrame, pose_frame
from glam.data.matching.rules import MOVES, SEVERITIES, Mismatch, differences
from glam.data.reader import Dataset


@dataclass(frozen=True, eq=False)
class DatasetComparison:
    """Facts about the datasets and the differences between them."""

    facts: tuple[Facts, ...]
    """The target's first."""
    mismatches: tuple[Mismatch, ...]
    """The gravest first."""
    frames: tuple[PoseFrame, ...] = ()
    """Of each auxiliary set, where the poses lie in the target's frame."""

    @property
    def common(self) -> Shared:
        """Features that all datasets have."""
        return shared([facts.schema for facts in self.facts])


def compare(roots: Sequence[Path], progress: Progress = no_progress) -> DatasetComparison:
    """Look at datasets, of which the first is the target; `progress` counts them."""
    datasets = [Dataset.open(root) for root in roots]
    facts = []
    for done, dataset in enumerate(datasets, start=1):
        facts.append(facts_of(dataset))
        progress(done, len(datasets))
    frames = tuple(pose_frame(datasets[0], other) for other in datasets[1:])
    found = []
    for other, frame in zip(facts[1:], frames, strict=True):
        is_measured = frame.case in ("own", "per-episode", "constant")  # which says more than where paths lie
        known = differences(facts[0], other)
        found += [mismatch for mismatch in known if not (is_measured and mismatch.topic == "workspace")]
        found += frame_differences(facts[0].root, other.root, frame)
    is_told = any((mismatch.severity, mismatch.topic) == ("error", "cameras") for mismatch in found)
    if not is_told and not shared([one.schema for one in facts]).cameras:
        remedy = "give fewer --aux, or name what shows the same view alike with glam data adopt --map"
        found.append(Mismatch("error", "cameras", "no camera is common to all sets", remedy))
    order = {severity: place for place, severity in enumerate(SEVERITIES)}
    ordered = tuple(sorted(dict.fromkeys(found), key=lambda one: order[one.severity]))
    return DatasetComparison(tuple(facts), ordered, frames)


def can_work(comparison: DatasetComparison) -> bool:
    """True if the datasets can be trained on together."""
    return not any(mismatch.severity == "error" for mismatch in comparison.mismatches)


def lines(comparison: DatasetComparison) -> tuple[str, ...]:
    """The table, then the findings, the verdict and the method to use."""
    findings = [f"{one.severity:7}  {one.topic}: {one.problem}; {one.remedy}" for one in comparison.mismatches]
    advice = [method(comparison.facts, comparison.frames)] if can_work(comparison) and comparison.frames else []
    return (*_table(comparison), "", *findings, *([""] if findings else []), verdict(comparison), *advice)


def table(comparison: DatasetComparison) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Topic, what each set has, and the verdict, line by line."""
    for topic, describe in _TOPICS.items():
        yield topic, tuple(describe(facts) for facts in comparison.facts), _grave(comparison, topic)
        if topic == "pose" and comparison.frames:
            yield (
                "frame",
                ("all others are compared with it", *(frame.words for frame in comparison.frames)),
                _grave(comparison, "frame"),
            )


def _grave(comparison: DatasetComparison, topic: str) -> str:
    """The gravest finding on a topic."""
    found = [one.severity for one in comparison.mismatches if one.topic == topic]
    return next(severity for severity in SEVERITIES if severity in found) if found else "ok"


def _table(comparison: DatasetComparison) -> Iterator[str]:
    """A block for each topic, with a line for each set."""
    labels = ["target", *(f"aux {number}" for number in range(1, len(comparison.facts)))]
    for label, facts in zip(labels, comparison.facts, strict=True):
        yield f"{label:8}  {facts.root}"
    yield ""
    for topic, words, grave in table(comparison):
        for number, (label, text) in enumerate(zip(labels, words, strict=True)):
            yield f"{topic if not number else '':10} {label:8} {text:56} {grave if not number else ''}".rstrip()


def verdict(comparison: DatasetComparison) -> str:
    """Verdict on the datasets, in a sentence."""
    counts = [sum(one.severity == severity for one in comparison.mismatches) for severity in SEVERITIES]
    if not can_work(comparison):
        return f"verdict: these datasets cannot be trained on together yet; {counts[0]} of the above must be fixed"
    common = comparison.common
    end = "" if common.has_pose or common.track_cameras else "-no-pose"
    methods = [f"glam{end}", *([f"glam-o{end}"] if common.has_masks else [])]
    warnings = f", but check {counts[1]} of the above first" if counts[1] else ""
    return f"verdict: these datasets can be trained on together, with {' and '.join(methods)}{warnings}"


def _size(facts: Facts) -> str:
    height, width = facts.schema.image_size
    return f"{width} x {height}"


def _hands(describe: Callable[[Hand], str]) -> Callable[[Facts], str]:
    return lambda facts: "; ".join(map(describe, facts.hands)) or "not recorded"


def _box(hand: Hand) -> str:
    low, high = hand.box
    return ", ".join(f"{axis} {a:.2f} to {b:.2f}" for axis, a, b in zip("xyz", low, high, strict=True)) + " m"


def _direction(hand: Hand) -> str:
    x, y, z = np.round(hand.direction, 1) + 0.0  # no minus before a zero
    a, b, c = np.round(hand.finger, 1) + 0.0
    return f"z axis along ({x:.1f}, {y:.1f}, {z:.1f}), x axis ({a:.1f}, {b:.1f}, {c:.1f}) or back"


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
    "images": lambda facts: f"of {len(facts.views)} cameras, the first ones",
    "masks": lambda facts: ", ".join(facts.schema.objects) or "none",
    "arms": lambda facts: ", ".join(facts.schema.arms),
    "pose": lambda facts: "recorded" if facts.schema.has_pose else "not recorded",
    "tracks": lambda facts: ", ".join(facts.schema.track_cameras) or "not recorded",
    "workspace": _hands(_box),
    "tool": _hands(_direction),
    "speed": _hands(lambda hand: f"{hand.speed:.2f} m/s"),
    "gripper": _hands(_opening),
}
