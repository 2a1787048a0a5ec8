"""Fingertips followed through a film from clicks.

The clicks tell the colours of the fingers and their shape around the tips. In every frame of a film the places that
look like them are candidates, and the best path through all frames is chosen (`pairs`). So a film needs no click of
its own, and a wrong frame is mended by those before and after it.

Dimension key: T frames, Y x X pixels, K templates, Q clicks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glam.interop.trackers.background import Floats, Images, changed, shrunk, usual_colours
from glam.interop.trackers.colours import FingerColours, colours_of
from glam.interop.trackers.pairs import DEFAULT_PAIR, PairConfig, best_path
from glam.interop.trackers.templates import candidates, sampled, templates_of


@dataclass(frozen=True)
class TrackerConfig:
    """Size at which films are searched, costs of a path, and what counts as seen."""

    largest: int = 144
    """Pixels: images are made smaller by a whole factor until no side is longer. Places are finer than pixels."""
    around: float = 5.0
    """Pixels around a click whose colours are the finger's."""
    pair: PairConfig = DEFAULT_PAIR
    surely: float = 0.71
    """A tip is seen if its correlation, less `hidden` times the share of other moving things around it, is larger."""
    hidden: float = 0.3
    nearby: int = 3
    """Pixels to each side in which these other things count."""


DEFAULT_TRACKER = TrackerConfig()


@dataclass(frozen=True, eq=False)
class ClickedTips:
    """One frame with both fingertips clicked, and the film that it is of."""

    images: Images
    frame: int
    places: Floats
    """(2, 2): left and right, pixels of the film."""


@dataclass(frozen=True, eq=False)
class Look:
    """Knowledge from clicks about the fingers of a hand in one camera."""

    colours: FingerColours
    templates: tuple[Floats, Floats]
    """(K, W, W) of the left and of the right tip."""
    offsets: Floats
    """(Q, 2) from the left to the right tip, pixels of the smaller images."""
    usual: Floats
    """(Y, X, 3) usual colours of the camera's pixels, those of the smaller images."""


@dataclass(frozen=True, eq=False)
class Followed:
    """Path of both fingertips."""

    places: Floats
    """(T, 2, 2) in pixels."""
    seen: NDArray[np.bool_]
    """(T, 2)."""


def learn(clicks: Sequence[ClickedTips], seen: Images, config: TrackerConfig = DEFAULT_TRACKER) -> Look:
    """Learn the look of fingertips from clicked frames; `seen` are frames of the camera from several episodes."""
    usual = usual_colours(_small(seen, config))
    small = [_small(click.images, config) for click in clicks]
    places = [_to_small(click.places, click.images, config) for click in clicks]
    moving = [changed(images, usual)[click.frame] for images, click in zip(small, clicks, strict=True)]
    frames = [images[click.frame] for images, click in zip(small, clicks, strict=True)]
    pixels = [_around(*parts, config) for parts in zip(frames, moving, places, strict=True)]
    colours = colours_of(pixels)
    likeness = [colours.likeness(frame) * share for frame, share in zip(frames, moving, strict=True)]
    left, right = (
        np.concatenate([templates_of(image, place[finger]) for image, place in zip(likeness, places, strict=True)])
        for finger in (0, 1)
    )
    return Look(colours, (left, right), np.stack([place[1] - place[0] for place in places]), usual)


def follow(
    images: Images, look: Look, clicked: Mapping[int, Floats], config: TrackerConfig = DEFAULT_TRACKER
) -> Followed:
    """Follow the fingertips through a film; `clicked` holds the places (2, 2) of clicks in it, by frame."""
    small = _small(images, config)
    moving = changed(small, look.usual)
    likeness = look.colours.likeness(small) * moving
    left, right = look.templates
    found = [(candidates(image, left), candidates(image, right)) for image in likeness]
    known = {frame: _to_small(places, images, config) for frame, places in clicked.items()}
    places, scores = best_path(found, look.offsets, known, config.pair)
    others = np.maximum(moving - likeness, 0.0)
    pairs = zip(others, places, strict=True)
    hidden = np.array([[_mean(image, tip, config.nearby) for tip in pair] for image, pair in pairs])
    seen = np.nan_to_num(scores) - config.hidden * hidden > config.surely
    seen[list(clicked)] = True
    times = _factor(images, config)
    return Followed(times * (np.nan_to_num(places) + 0.5) - 0.5, seen)


def _factor(images: Images, config: TrackerConfig) -> int:
    return -(-max(images.shape[1:3]) // config.largest)


def _small(images: Images, config: TrackerConfig) -> Images:
    return shrunk(images, _factor(images, config))


def _to_small(places: Floats, images: Images, config: TrackerConfig) -> Floats:
    return (places + 0.5) / _factor(images, config) - 0.5


def _around(image: NDArray[np.uint8], moving: Floats, places: Floats, config: TrackerConfig) -> NDArray[np.uint8]:
    """Colours (N, 3) of the pixels around clicks that are not background; those of the clicks themselves at least."""
    rows, columns = np.indices(moving.shape)
    distance = np.stack([np.hypot(columns - x, rows - y) for x, y in places]).min(axis=0)
    inside = (distance <= config.around) & (moving > 0.5)
    return image[inside if inside.any() else distance <= 1.0]


def _mean(image: Floats, place: Floats, reach: int) -> float:
    """Mean of an image around a place; 0 around none."""
    if np.isnan(place).any():
        return 0.0
    offsets = np.stack(np.meshgrid(np.arange(-reach, reach + 1.0), np.arange(-reach, reach + 1.0)), axis=-1)
    return float(sampled(image, place + offsets).mean())
