"""Fingertips followed through a film from the places where they were clicked on.

From frame to frame a point is followed by its motion (`flow`), and back again: a point that does not come back where it
was is lost. What was followed is then aligned with the patches that were sure before, the clicked one first, so that
small errors do not add up. A lost point is looked for by these patches, near where it was and further away with every
frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from glam.interop.trackers.background import without_background
from glam.interop.trackers.flow import (
    DEFAULT_FLOW,
    Floats,
    OpticalFlowConfig,
    Pyramid,
    followed,
    pyramid,
    sampled,
    similarity,
    window,
)

Images = NDArray[np.uint8]


@dataclass(frozen=True)
class TrackerConfig:
    """When a point counts as found."""

    flow: OpticalFlowConfig = DEFAULT_FLOW
    comes_back: float = 1.5
    """Pixels by which a point may miss its old place when it is followed back."""
    alike: float = 0.6
    """Least correlation with a sure patch."""
    sure: float = 0.8
    """Least correlation of a patch with a sure one to become one itself, and to be found again by."""
    patches: int = 12
    """Sure patches that are kept; the clicked one is never dropped."""
    reach: float = 6.0
    """Pixels around its last place in which a lost point is looked for, and by which this grows with every frame."""
    farthest: float = 40.0
    """Largest such distance."""
    jump: float = 5.0
    """Pixels by which a step may differ from the one before."""
    apart: float = 2.5
    """Pixels: two tips that are nearer cannot be told apart, and the one that fits less well counts as hidden."""


DEFAULT_TRACKER = TrackerConfig()


@dataclass(eq=False)
class _Point:
    """Knowledge of one point."""

    place: Floats
    """(2,) pixels."""
    patches: list[Floats] = field(default_factory=list)
    """(W, W, C) each, around it where it was sure."""
    step: Floats = field(default_factory=lambda: np.zeros(2))
    lost: int = 0
    """Frames since it was seen."""
    score: float = 1.0
    """Correlation with the patch that it resembles most."""


class _Find(NamedTuple):
    """A place and its score."""

    place: Floats
    score: float


@dataclass(frozen=True, eq=False)
class Followed:
    """Path of some points."""

    places: Floats
    """(T, P, 2) in pixels."""
    seen: NDArray[np.bool_]
    """(T, P)."""


def follow(images: Images, start: int, clicks: Floats, config: TrackerConfig = DEFAULT_TRACKER) -> Followed:
    """Follow points clicked in the frame `start`, (P, 2), forwards to the end and backwards to the beginning."""
    pyramids = [pyramid(image, config.flow.levels) for image in without_background(images)]
    places, seen = np.zeros((len(images), len(clicks), 2)), np.zeros((len(images), len(clicks)), bool)
    places[start], seen[start] = clicks, True
    for frames in (range(start + 1, len(images)), range(start - 1, -1, -1)):
        points = [_begun(pyramids[start], click, config) for click in clicks]
        before = start
        for frame in frames:
            _advance(points, pyramids[before], pyramids[frame], config)
            places[frame], seen[frame] = [point.place for point in points], [not point.lost for point in points]
            for point in points:
                _remember(point, pyramids[frame], config)
            before = frame
    return Followed(places, seen)


def _begun(start: Pyramid, click: Floats, config: TrackerConfig) -> _Point:
    return _Point(click.astype(np.float64), [_patch(start, click, config)])


def _advance(points: Sequence[_Point], before: Pyramid, after: Pyramid, config: TrackerConfig) -> None:
    """Move points on by one frame: those that were seen by their motion, then the others where none of those is."""
    for point in points:
        _settle(point, None if point.lost else _moved(point, before, after, config))
    _tell_apart(points, config)
    for point in points:
        if point.lost:
            taken = [other.place for other in points if other is not point and not other.lost]
            _settle(point, _found_again(point, after, taken, config))


def _settle(point: _Point, find: _Find | None) -> None:
    """Note where a point is, or that it is lost."""
    if find is None:
        point.lost, point.step = point.lost + 1, np.zeros(2)
        return
    point.step = np.zeros(2) if point.lost else find.place - point.place
    point.place, point.score, point.lost = find.place, find.score, 0


def _moved(point: _Point, before: Pyramid, after: Pyramid, config: TrackerConfig) -> _Find | None:
    """Place to which motion takes a point that was seen in the frame before; None if it does not come back."""
    place = point.place[None]
    ahead = followed(before, after, place, config.flow, place + point.step)
    back = followed(after, before, ahead, config.flow, place)
    if np.linalg.norm(back - place) > config.comes_back or not _inside(after, ahead[0]):
        return None
    find = _aligned(point, after, ahead[0], config)
    is_jump = np.linalg.norm(find.place - place[0] - point.step) > config.jump
    return find if find.score >= config.alike and not is_jump else None


def _aligned(point: _Point, after: Pyramid, place: Floats, config: TrackerConfig) -> _Find:
    """The place near `place` that looks most like a sure patch, and how much it does."""
    best = _Find(place, -1.0)
    for patch in point.patches:
        moved = _refined(after, patch, place, config)
        value = _score(after, patch, moved, config)
        if value > best.score and np.linalg.norm(moved - place) < config.flow.window / 3:
            best = _Find(moved, value)
    return best


def _refined(after: Pyramid, patch: Floats, place: Floats, config: TrackerConfig) -> Floats:
    """Gauss-Newton on the gradients of the image, from a patch that belongs to no image any more."""
    level, spot = after[0], place.copy()
    for _ in range(config.flow.iterations):
        around = window(spot[None], config.flow.window)
        gx, gy = (sampled(part, around)[0] for part in (level.across, level.down))
        error = patch - sampled(level.image, around)[0]
        error = error - error.mean(axis=(0, 1))
        normal = np.array([[np.sum(gx * gx), np.sum(gx * gy)], [np.sum(gx * gy), np.sum(gy * gy)]])
        right = np.array([np.sum(gx * error), np.sum(gy * error)])
        step = np.linalg.solve(normal + (1e-3 * np.trace(normal) + 1e-6) * np.identity(2), right)
        spot = spot + np.clip(step, -1.0, 1.0)
        if np.linalg.norm(step) < config.flow.enough:
            break
    return spot


def _found_again(point: _Point, after: Pyramid, taken: Sequence[Floats], config: TrackerConfig) -> _Find | None:
    """A lost point by its sure patches: every whole pixel in reach that no other point takes, then refined."""
    reach = min(config.farthest, config.reach * (point.lost + 1))
    height, width = after[0].image.shape[:2]
    columns = np.arange(max(0.0, point.place[0] - reach), min(width - 1.0, point.place[0] + reach) + 1e-9)
    rows = np.arange(max(0.0, point.place[1] - reach), min(height - 1.0, point.place[1] + reach) + 1e-9)
    spots = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2)
    for other in taken:
        spots = spots[np.linalg.norm(spots - other, axis=-1) > 2.0 * config.apart]
    if not len(spots):
        return None
    shown = sampled(after[0].image, window(spots, config.flow.window))
    best, score = spots[0], -1.0
    for patch in {id(one): one for one in (point.patches[0], *point.patches[-2:])}.values():
        values = similarity(shown, np.broadcast_to(patch, shown.shape))
        if values.max() > score:
            best, score = spots[int(values.argmax())], float(values.max())
    if score < config.alike:
        return None
    find = _aligned(point, after, best, config)
    return find if find.score >= config.sure and _inside(after, find.place) else None


def _remember(point: _Point, after: Pyramid, config: TrackerConfig) -> None:
    """Keep the patch here if it is surely the point, and not yet known."""
    if point.lost:
        return
    patch = _patch(after, point.place, config)
    scores = [float(similarity(patch[None], known[None])[0]) for known in point.patches]
    if config.sure <= max(scores) < 0.5 * (1.0 + config.sure):
        point.patches.append(patch)
        if len(point.patches) > config.patches:
            del point.patches[1]


def _tell_apart(points: Sequence[_Point], config: TrackerConfig) -> None:
    """Two tips at one place: the one that fits less well is behind the other."""
    for first, second in combinations(points, 2):
        if not (first.lost or second.lost) and np.linalg.norm(first.place - second.place) < config.apart:
            hidden = second if second.score <= first.score else first
            hidden.lost, hidden.step = 1, np.zeros(2)


def _patch(level: Pyramid, place: Floats, config: TrackerConfig) -> Floats:
    patch: Floats = sampled(level[0].image, window(np.asarray(place, np.float64)[None], config.flow.window))[0]
    return patch


def _score(after: Pyramid, patch: Floats, place: Floats, config: TrackerConfig) -> float:
    return float(similarity(_patch(after, place, config)[None], patch[None])[0])


def _inside(after: Pyramid, place: Floats) -> bool:
    height, width = after[0].image.shape[:2]
    return bool(-0.5 <= place[0] <= width - 0.5 and -0.5 <= place[1] <= height - 0.5)
