"""Images to judge masks by: a film, a sheet of moments, and a sheet of clicks with rulers to read places from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from glam.data.reader import Dataset
from glam.data.schema import IMAGE_PREFIX, MASK_PREFIX, Schema
from glam.reports.charts import PALETTE
from glam.reports.data_view import object_styles
from glam.reports.films import Frames, encode_film, enlarged, outlined, png, tiled

_TILE = 256  # pixels that a small image is enlarged to, at most
_MOMENTS = 8
_MARGIN = 22  # pixels beside an image, for the numbers of its ruler
_INK = (225, 225, 225)
_PAPER = (24, 24, 24)
_WARNING = (255, 170, 0)
_PER_ROW = 4


@dataclass(frozen=True, eq=False)
class ClickedFrame:
    """A frame with the places that somebody, or something, clicked on."""

    title: str
    image: NDArray[np.uint8]
    """(Y, X, 3)."""
    clicks: Mapping[str, Sequence[tuple[float, float]]]
    """(x, y) by object."""
    is_doubtful: bool = False


def mask_film(dataset: Dataset, episodes: Sequence[int]) -> bytes:
    """mp4 of episodes one after the other, cameras side by side, each mask outlined in its colour."""
    shown = [_tiled(_cameras(dataset, index)) for index in episodes]
    return encode_film(_even(np.concatenate(shown)), dataset.schema.fps).mp4


def mask_sheet(dataset: Dataset, episodes: Sequence[int]) -> bytes:
    """PNG with a row for each camera of each episode, moments from left to right."""
    rows = []
    for index in episodes:
        for film in _cameras(dataset, index):
            moments = np.linspace(0, len(film) - 1, _MOMENTS).round().astype(int)
            rows.append([film[moment] for moment in moments])
    return png(tiled(rows))


def click_sheet(frames: Sequence[ClickedFrame], objects: Sequence[str]) -> bytes:
    """PNG of frames with their clicks, and rulers that count the pixels of the stored images."""
    colours = dict(zip(objects, colours_of(objects), strict=True))
    drawn = [np.asarray(_ruled(frame, colours)) for frame in frames]
    rows = [drawn[first : first + _PER_ROW] for first in range(0, len(drawn), _PER_ROW)]
    blank = np.full_like(drawn[0], _PAPER[0])
    return png(tiled([[*row, *[blank] * (min(_PER_ROW, len(drawn)) - len(row))] for row in rows]))


def colours_of(objects: Sequence[str]) -> list[tuple[int, int, int]]:
    """A colour for each object; one that is called by a colour gets that one."""
    found = [PALETTE[style] for style in object_styles(objects)]
    return [(int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)) for text in found]


def _cameras(dataset: Dataset, index: int) -> list[Frames]:
    schema, times = dataset.schema, _times(dataset.schema)
    films = []
    for camera in schema.cameras:
        images = enlarged(dataset.images(index, IMAGE_PREFIX + camera), times)
        masks = enlarged(dataset.masks(index, MASK_PREFIX + camera), times)
        films.append(outlined(images, masks, colours_of(schema.objects)))
    return films


def _tiled(films: Sequence[Frames]) -> Frames:
    return tiled([films])


def _times(schema: Schema) -> int:
    return max(1, _TILE // max(schema.image_size))


def _even(frames: Frames) -> Frames:
    height, width = frames.shape[1:3]
    return frames[:, : height // 2 * 2, : width // 2 * 2]


def _ruled(frame: ClickedFrame, colours: Mapping[str, tuple[int, int, int]]) -> Image.Image:
    height, width = frame.image.shape[:2]
    times = max(1, _TILE // max(height, width))
    sheet = Image.new("RGB", (width * times + _MARGIN, height * times + 2 * _MARGIN), _PAPER)
    sheet.paste(Image.fromarray(enlarged(frame.image, times)), (_MARGIN, 2 * _MARGIN))
    pen = ImageDraw.Draw(sheet)
    pen.text((_MARGIN, 4), frame.title, fill=_WARNING if frame.is_doubtful else _INK)
    step = _ruler_step(max(height, width))
    for x in range(0, width, step):
        pen.text((_MARGIN + x * times, _MARGIN + 6), str(x), fill=_INK)
        pen.line((_MARGIN + x * times, 2 * _MARGIN - 4, _MARGIN + x * times, 2 * _MARGIN), fill=_INK)
    for y in range(0, height, step):
        pen.text((1, 2 * _MARGIN + y * times - 5), str(y), fill=_INK)
        pen.line((_MARGIN - 4, 2 * _MARGIN + y * times, _MARGIN, 2 * _MARGIN + y * times), fill=_INK)
    for name, places in frame.clicks.items():
        for place in places:
            _cross(pen, _MARGIN + place[0] * times, 2 * _MARGIN + place[1] * times, colours[name])
    return sheet


def _ruler_step(side: int) -> int:
    """About eight numbers along a side."""
    return next(step for step in (5, 10, 20, 50, 100, 200, 500, 1000, 5000) if side / step <= 12)


def _cross(pen: ImageDraw.ImageDraw, x: float, y: float, colour: tuple[int, int, int]) -> None:
    for width, ink in ((5, (255, 255, 255)), (2, colour)):
        pen.line((x - 7, y, x + 7, y), fill=ink, width=width)
        pen.line((x, y - 7, x, y + 7), fill=ink, width=width)
