"""Masks of a whole video from a hint in one frame of it: the mask of a frame is the hint for the next.

The model has no memory, so what it says is judged by where the object was and by its colours. An object that is not
there leaves an empty mask, and is looked for by its colours from then on, until it shows again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from glam.core.workers import Progress, no_progress
from glam.interop.segmenters.appearance import Appearance, learnt
from glam.interop.segmenters.judging import Expectation, JudgeConfig, best_guess, pointed_at
from glam.interop.segmenters.regions import Mask, box, middle, moved, overlap
from glam.interop.segmenters.segmenter import OFF, ON, EncodedVideo, Hint, Images, Masks

Hints = Mapping[str, Mapping[int, Hint]]
"""Of each object, by frame; at least one."""

_FORGETTING = 0.97
"""Per frame, of the size that an object had when it was whole: things turn and recede."""


def carried(
    video: EncodedVideo, images: Images, hints: Hints, config: JudgeConfig, progress: Progress = no_progress
) -> dict[str, Masks]:
    """Masks of every object in every frame; no pixel is in two of them. `progress` counts frames."""
    propagation = _Propagation(video, images, hints, config)
    first = {name: min(frames) for name, frames in hints.items()}
    latest = max(first.values())
    for frame in range(len(images)):
        propagation.pass_over(frame, [name for name in hints if first[name] <= frame])
        progress(frame + 1, len(images) + latest)
    propagation.turn()
    for done, frame in enumerate(reversed(range(latest)), start=len(images) + 1):
        propagation.pass_over(frame, [name for name in hints if first[name] > frame])
        progress(done, len(images) + latest)
    return propagation.masks


@dataclass(frozen=True, eq=False)
class _Track:
    """Tracked state of an object after a frame."""

    mask: Mask
    """Where it was last seen."""
    step: tuple[int, int]
    """How far it moved, right and down, between the last two frames in which it was seen."""
    area: float
    """When it was last whole, in pixels."""
    extent: tuple[float, float]
    """Its width and height then."""
    appearance: Appearance
    is_seen: bool

    @property
    def place(self) -> Mask:
        """Expected place in the next frame."""
        ahead = moved(self.mask, *self.step)
        return ahead if ahead.any() else self.mask

    def seen(self, mask: Mask) -> "_Track":
        """After a frame in which it is there."""
        area = max(_FORGETTING * self.area, float(np.count_nonzero(mask)))
        width, height = (max(_FORGETTING * old, new) for old, new in zip(self.extent, _extent(mask), strict=True))
        step = _difference(self.mask, mask) if self.is_seen else (0, 0)
        return replace(self, mask=mask, step=step, area=area, extent=(width, height), is_seen=True)


class _Propagation:
    """Objects of a video while its frames are processed one after the other."""

    def __init__(self, video: EncodedVideo, images: Images, hints: Hints, config: JudgeConfig) -> None:
        self.masks = {name: np.zeros(images.shape[:3], bool) for name in hints}
        self._video, self._images, self._hints, self._config = video, images, hints, config
        self._tracks: dict[str, _Track] = {}
        self._starts: dict[str, _Track] = {}

    def pass_over(self, frame: int, names: Sequence[str]) -> None:
        """Find the named objects in a frame that is next to the one passed over last, the surest first."""
        for name in sorted(names, key=lambda name: self._doubt(frame, name)):
            taken = np.any([mask[frame] for mask in self.masks.values()], axis=0)
            if frame in self._hints[name]:
                self._begin(frame, name, taken)
                continue
            mask = self._found(frame, name, taken)
            track = self._tracks[name]
            self._tracks[name] = track.seen(mask) if mask.any() else replace(track, step=(0, 0), is_seen=False)
            self.masks[name][frame] = mask

    def turn(self) -> None:
        """Go back to the frames in which the objects were first pointed at."""
        self._tracks = dict(self._starts)

    def _doubt(self, frame: int, name: str) -> int:
        if frame in self._hints[name]:
            return 0
        return 1 if self._tracks[name].is_seen else 2

    def _begin(self, frame: int, name: str, taken: Mask) -> None:
        image = self._images[frame]
        mask = pointed_at(self._video, frame, self._hints[name][frame], image, self._config.band) & ~taken
        self.masks[name][frame] = mask
        extent = _extent(mask) if mask.any() else (0.0, 0.0)
        appearances = learnt(image[None], [mask])
        track = _Track(mask, (0, 0), float(np.count_nonzero(mask)), extent, appearances, is_seen=bool(mask.any()))
        self._tracks[name] = track
        self._starts.setdefault(name, track)

    def _found(self, frame: int, name: str, taken: Mask) -> Mask:
        track = self._tracks[name]
        if track.is_seen:
            mask = self._asked(frame, name, track.place, taken)
            if mask.any():
                return mask
        for area, _ in track.appearance.find(self._images[frame])[:2]:
            if overlap(area, taken) < 0.3 and np.count_nonzero(area) >= self._config.least_share * track.area:
                mask = self._asked(frame, name, area, taken)
                if mask.any():
                    return mask
        return np.zeros_like(taken)

    def _asked(self, frame: int, name: str, place: Mask, taken: Mask) -> Mask:
        """Mask of an object that should be about there; empty if no guess is credible."""
        track = self._tracks[name]
        others = [self._around(frame, key) & ~place for key in self._tracks if key != name]
        hint = Hint((middle(place),), (ON,)).also(OFF, *(middle(other) for other in others if other.any()))
        wanted = Expectation(place, taken, track.area, track.extent, track.appearance)
        return best_guess(self._video.guesses(frame, hint), self._images[frame], wanted, self._config)

    def _around(self, frame: int, name: str) -> Mask:
        """Place of an object in a frame, or its expected place if it was not searched for there yet."""
        mask, track = self.masks[name][frame], self._tracks[name]
        return mask if mask.any() or not track.is_seen else track.place


def _extent(mask: Mask) -> tuple[float, float]:
    left, upper, right, lower = box(mask)
    return right - left, lower - upper


def _difference(old: Mask, new: Mask) -> tuple[int, int]:
    """Motion of the middle of the box around an area, right and down."""
    left, upper, right, lower = (after - before for before, after in zip(box(old), box(new), strict=True))
    return round((left + right) / 2), round((upper + lower) / 2)
