"""Choice among a model's candidate masks by place, colours and size."""

from dataclasses import dataclass

import numpy as np

from glam.interop.segmenters.appearance import Appearance, Image, Shares
from glam.interop.segmenters.refinement import snapped
from glam.interop.segmenters.regions import Mask, box, grown, overlap, pieces, without_holes
from glam.interop.segmenters.segmenter import OFF, ON, EncodedVideo, Guesses, Hint

_LIKE = 0.6
"""Likeness from which on a pixel may be the object's by its colour alone."""
_FEWEST = 4
"""Pixels that are a mask; fewer are noise."""


@dataclass(frozen=True)
class JudgeConfig:
    """When a mask is believed."""

    least_share: float = 0.1
    """Of the area that the object had when it was last whole; less is taken for nothing."""
    most_growth: float = 2.5
    """Times that area; more is taken for something else."""
    least_likeness: float = 0.35
    """Mean likeness by colour of what a mask covers."""
    least_score: float = 0.4
    """Of the model's own."""
    band: int = 2
    """Pixels on both sides of an edge that colours decide; 0 leaves all to the model."""


@dataclass(frozen=True, eq=False)
class Expectation:
    """Prior knowledge about an object in a frame."""

    place: Mask
    """Where it should be, not empty."""
    taken: Mask
    """Where other things are."""
    area: float
    """Of the object when it is whole, in pixels."""
    extent: tuple[float, float]
    """Its width and height then."""
    appearance: Appearance


def pointed_at(video: EncodedVideo, frame: int, hint: Hint, image: Image, band: int) -> Mask:
    """Mask of the object a user points at, whatever it looks like; guesses that agree with all points are preferred."""
    guesses = video.guesses(frame, hint)
    scored = zip(guesses.logits, guesses.scores, strict=True)
    best = max(scored, key=lambda guess: guess[1] - _contradictions(guess[0] > 0, hint))
    return _cleaned(best[0] > 0, image, band)


def best_guess(guesses: Guesses, image: Image, wanted: Expectation, config: JudgeConfig) -> Mask:
    """The guess that is the object; an empty mask if none convinces."""
    likeness = wanted.appearance.likeness(image)
    best, most = np.zeros_like(wanted.place), 0.0
    for logits, score in zip(guesses.logits, guesses.scores, strict=True):
        mask = _cleaned((logits > 0) & ~wanted.taken, image, config.band) & ~wanted.taken
        if score >= config.least_score and _is_credible(mask, likeness, wanted, config):
            value = float(score) * _agreement(mask, likeness, wanted.place)
            if value > most:
                best, most = mask, value
    return _completed(best, likeness, wanted) if best.any() else best


def _is_credible(mask: Mask, likeness: Shares, wanted: Expectation, config: JudgeConfig) -> bool:
    area = int(np.count_nonzero(mask))
    fits = max(config.least_share * wanted.area, _FEWEST) <= area <= config.most_growth * wanted.area
    return fits and float(likeness[mask].mean()) >= config.least_likeness


def _agreement(mask: Mask, likeness: Shares, place: Mask) -> float:
    """Score of a mask: overlap with the expected place, times precision and recall by colour."""
    around = likeness[grown(place, 4) | mask].sum()
    precision, recall = likeness[mask].mean(), likeness[mask].sum() / max(around, 1.0)
    return float((0.3 + overlap(mask, place)) * precision * recall)


def _completed(mask: Mask, likeness: Shares, wanted: Expectation) -> Mask:
    """A finger in front leaves parts of the object on its other side: they look like it, and it is as large as that."""
    width, height = wanted.extent
    whole, beside = mask, grown(mask, 1)
    for part in pieces((likeness > _LIKE) & ~mask & ~wanted.taken):
        # What touches the mask the model has seen, and left out: edges are of mixed colour.
        if np.count_nonzero(part) < _FEWEST or (part & beside).any():
            continue
        left, upper, right, lower = box(whole | part)
        if right - left <= 1.1 * width + 1 and lower - upper <= 1.1 * height + 1:
            whole = whole | part
    return whole


def _cleaned(mask: Mask, image: Image, band: int) -> Mask:
    """Edges where the image has them, no specks and no small holes."""
    parts = pieces(snapped(mask, image, band) if band else mask)
    if not parts:
        return mask
    largest = int(np.count_nonzero(parts[0]))
    kept = [part for part in parts if np.count_nonzero(part) >= 0.15 * largest]  # it may be hidden in the middle
    return without_holes(np.any(kept, axis=0), largest // 20)


def _contradictions(mask: Mask, hint: Hint) -> int:
    """Number of points of a hint that a mask contradicts."""
    height, width = mask.shape
    wrong = 0
    for (x, y), kind in zip(hint.points, hint.kinds, strict=True):
        inside = mask[min(int(y), height - 1), min(int(x), width - 1)]
        wrong += (kind == ON and not inside) or (kind == OFF and inside)
    return wrong
