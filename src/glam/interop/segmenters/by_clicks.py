"""Masks from clicks: propagated over the clicked episode, and proposed by colour in all others."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from glam.core.configs import to_json
from glam.core.workers import Progress
from glam.data.reader import Dataset
from glam.interop.segmenters.judging import JudgeConfig
from glam.interop.segmenters.prompts import Prompts
from glam.interop.segmenters.propagation import carried
from glam.interop.segmenters.proposals import ObjectAppearances, learn_appearances, proposed
from glam.interop.segmenters.segmenter import Hint, Images, Masks, Segmenter


@dataclass(frozen=True, eq=False)
class ByClicks:
    """A model that segments from hints, and the hints."""

    segmenter: Segmenter
    dataset: Dataset
    prompts: Prompts
    config: JudgeConfig

    @property
    def objects(self) -> tuple[str, ...]:
        """Names in the order of the mask channels."""
        return self.prompts.objects

    @property
    def notes(self) -> dict[str, Any]:
        """Model, prompts and settings."""
        return {
            "model": self.segmenter.provenance,
            "prompts": to_json(self.prompts),
            "settings": to_json(self.config),
        }

    def masks(self, episode: int, camera: str, images: Images, progress: Progress) -> dict[str, Masks]:
        """Masks of every object; empty for an object without a click that is not found either."""
        hints = self._hints(episode, camera, images)
        found = carried(self.segmenter.encode_video(images), images, hints, self.config, progress) if hints else {}
        nothing = np.zeros(images.shape[:3], bool)
        return {name: found.get(name, nothing) for name in self.objects}

    @cached_property
    def _appearances(self) -> ObjectAppearances:
        """Only learnt when an episode lacks a click."""
        return learn_appearances(self.segmenter, self.dataset, self.prompts)

    def _hints(self, episode: int, camera: str, images: Images) -> dict[str, dict[int, Hint]]:
        given = self.prompts.of(episode, camera)
        if all(name in given for name in self.objects):
            return given
        for prompt in proposed(self._appearances, self.prompts, episode, camera, images):
            given[prompt.object] = {prompt.frame: prompt.hint}
        return given
