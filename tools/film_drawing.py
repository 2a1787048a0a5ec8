"""Films in rows and columns under captions, as one animated WebP that plays in any browser and on GitHub."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

Size = tuple[int, int]
"""Height and width in pixels."""
TILE: Size = (250, 404)
"""One film; two columns fill the width of a README."""
GAP = 4
FPS = 12
"""The simulation runs at 10 Hz: the film is a little faster."""
PAUSE = 1200
"""Milliseconds for which the end of a part stays."""
TITLE, LABEL = 34, 26
"""Heights of the line above a part and of that above a row."""
STRIP = 22
"""Height of the line below a film."""
BACKGROUND, BRIGHT, DIM = (24, 28, 33), (255, 255, 255), (190, 200, 210)
QUALITY = 80
MOST_BYTES = 3_000_000


@dataclass(frozen=True)
class Tile:
    """One film and the words below it."""

    frames: Sequence[NDArray[np.uint8]]
    words: str


@dataclass(frozen=True)
class Part:
    """Rows of films that play at the same time, each with the words above it."""

    title: str
    rows: tuple[tuple[str, list[Tile]], ...]

    @property
    def length(self) -> int:
        """Frames of the longest film; the last frame of shorter ones stays."""
        return max(len(tile.frames) for _, tiles in self.rows for tile in tiles)


def write_webp(path: Path, parts: Sequence[Part]) -> None:
    """Draw all parts one after the other; refuses a file that is too large for a front page."""
    frames = [frame for part in parts for frame in drawn(part)]
    durations = [time for part in parts for time in [*[round(1000 / FPS)] * (part.length - 1), PAUSE]]
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    options = {"save_all": True, "append_images": frames[1:], "duration": durations, "loop": 0}
    frames[0].save(temporary, format="WEBP", quality=QUALITY, method=4, minimize_size=True, **options)
    if temporary.stat().st_size > MOST_BYTES:
        size = temporary.stat().st_size
        temporary.unlink()
        raise SystemExit(f"{path}: {size} bytes, more than {MOST_BYTES}; lower QUALITY or TILE in {__file__}")
    temporary.replace(path)


def drawn(part: Part, tile: Size = TILE) -> Iterator[Image.Image]:
    """All frames of a part. Lines without words take no room."""
    columns = max(len(tiles) for _, tiles in part.rows)
    title, label = TITLE * bool(part.title), max(LABEL * bool(words) for words, _ in part.rows) or GAP
    down, right = label + tile[0] + STRIP, tile[1] + GAP
    for number in range(part.length):
        image = Image.new("RGB", (columns * right + GAP, title + len(part.rows) * down), BACKGROUND)
        draw = ImageDraw.Draw(image)
        draw.text((GAP + 4, title // 2), part.title, BRIGHT, font(18), anchor="lm")
        for row, (words, tiles) in enumerate(part.rows):
            top = title + row * down
            draw.text((GAP + 4, top + label // 2), words, DIM, font(15), anchor="lm")
            for column, one in enumerate(tiles):
                put(image, one, number, (GAP + column * right, top + label))
        yield image


def put(image: Image.Image, tile: Tile, number: int, corner: tuple[int, int]) -> None:
    """Draw one frame of a film, and its words below."""
    frame = tile.frames[min(number, len(tile.frames) - 1)]
    image.paste(Image.fromarray(frame), corner)
    middle = corner[1] + len(frame) + STRIP // 2
    ImageDraw.Draw(image).text((corner[0] + 4, middle), tile.words, BRIGHT, font(14), anchor="lm")


def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
