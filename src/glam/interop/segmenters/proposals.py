"""Clicks for episodes without any, proposed from the objects' appearance in clicked episodes.

Colours alone decide here, so it is quick; what is proposed without conviction carries a doubt for people to look at.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.core.workers import Progress, no_progress
from glam.data.reader import Dataset
from glam.data.schema import IMAGE_PREFIX
from glam.interop.segmenters.appearance import Appearance, learnt, of_colour
from glam.interop.segmenters.judging import JudgeConfig, pointed_at
from glam.interop.segmenters.prompts import Prompt, Prompts
from glam.interop.segmenters.regions import Mask, middle
from glam.interop.segmenters.segmenter import Images, Segmenter

_CONVINCING = 0.5
"""Likeness by colour times likeness in size."""
_MOST_VIEWS = 16
"""Of an object in a camera, to learn its looks from."""
_STRIDE = 5
"""Frames between those in which an object is looked for; it may be hidden at first."""


@dataclass(frozen=True, eq=False)
class ObjectAppearances:
    """Appearances of the objects in each camera."""

    by_camera: Mapping[tuple[str, str], Appearance]
    """By object and camera, where there are clicks."""
    colours: Mapping[str, str]
    """Of objects that are known by a colour alone."""

    def of(self, name: str, camera: str, images: Images) -> Appearance | None:
        """Appearance from clicks in this camera, else from the object's colour, else from clicks in another camera.

        Returns None if nothing is known.
        """
        if (name, camera) in self.by_camera:
            return self.by_camera[name, camera]
        if name in self.colours:
            return of_colour(self.colours[name], images[:: max(1, len(images) // 4)])
        for (other, _), appearance in self.by_camera.items():
            if other == name:
                return Appearance(appearance.inside, appearance.outside, 0.0)
        return None


def learn_appearances(
    segmenter: Segmenter, dataset: Dataset, prompts: Prompts, progress: Progress = no_progress
) -> ObjectAppearances:
    """Look at what the prompts point at, at a few of each object and camera."""
    given = _few(prompts)
    if not given:
        return ObjectAppearances({}, prompts.colours)
    frames = np.stack([_frame(dataset, prompt) for prompt in given])
    video = segmenter.encode_video(frames)
    seen: dict[tuple[str, str], list[tuple[int, Mask]]] = {}
    for number, prompt in enumerate(given):
        mask = pointed_at(video, number, prompt.hint, frames[number], JudgeConfig.band)
        if not mask.any():
            raise GlamError(f"{prompt.title}: the model sees no thing there; click elsewhere")
        seen.setdefault((prompt.object, prompt.camera), []).append((number, mask))
        progress(number + 1, len(given))
    learned = {
        place: learnt(frames[[number for number, _ in views]], [mask for _, mask in views])
        for place, views in seen.items()
    }
    return ObjectAppearances(learned, prompts.colours)


def proposed(
    appearances: ObjectAppearances, prompts: Prompts, episode: int, camera: str, images: Images
) -> tuple[Prompt, ...]:
    """A click for every object without one in this episode and camera; none for an object that is not found."""
    given = prompts.of(episode, camera)
    taken = np.zeros(images.shape[1:3], bool)
    found = []
    for name in prompts.objects:
        appearance = appearances.of(name, camera, images)
        if name in given or appearance is None:
            continue
        for click, area in _sought(appearance, images, taken):
            found.append(Prompt(episode, camera, name, click.frame, click.on, doubt=click.doubt))
            taken |= area
            break
    return tuple(found)


def _few(prompts: Prompts) -> list[Prompt]:
    chosen: dict[tuple[str, str], list[Prompt]] = {}
    for prompt in prompts.prompts:
        chosen.setdefault((prompt.object, prompt.camera), []).append(prompt)
    return [prompt for same in chosen.values() for prompt in same[:: -(-len(same) // _MOST_VIEWS)]]


def _frame(dataset: Dataset, prompt: Prompt) -> NDArray[np.uint8]:
    return dataset.images(prompt.episode, IMAGE_PREFIX + prompt.camera)[prompt.frame]


@dataclass(frozen=True)
class _Click:
    frame: int
    on: tuple[tuple[float, float], ...]
    doubt: str


def _sought(appearance: Appearance, images: Images, taken: Mask) -> Iterator[tuple[_Click, Mask]]:
    """First what convinces in the earliest frame, then the best of all frames looked at."""
    best: list[tuple[float, int, Mask]] = []
    for frame in range(0, len(images), _STRIDE):
        for area, fit in appearance.find(images[frame])[:1]:
            if (area & taken).any():
                continue
            if fit >= _CONVINCING:
                yield _Click(frame, (middle(area),), ""), area
            best.append((fit, -frame, area))
    for fit, frame, area in sorted(best, key=lambda found: found[:2], reverse=True)[:1]:
        yield _Click(-frame, (middle(area),), f"likeness {fit:.2f} of 1"), area
