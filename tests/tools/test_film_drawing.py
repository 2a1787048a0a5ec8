"""Films in rows and columns, as one animated file."""

import numpy as np
import pytest
from PIL import Image

import film_drawing
from film_drawing import FPS, PAUSE, TILE, Part, Tile, drawn, write_webp


def film(length, colour):
    """A film of one colour whose last frame is white."""
    frames = [np.full((*TILE, 3), colour, np.uint8) for _ in range(length - 1)]
    return [*frames, np.full((*TILE, 3), 255, np.uint8)]


@pytest.fixture
def part():
    above = [Tile(film(3, 60), "short"), Tile(film(5, 60), "long")]
    below = [Tile(film(4, 120), ""), Tile(film(4, 120), "")]
    return Part("A title", (("above", above), ("below", below)))


def test_a_part_is_as_long_as_its_longest_film_and_shorter_ones_keep_their_last_frame(part):
    frames = [np.asarray(image) for image in drawn(part)]
    assert len(frames) == part.length == 5
    left, right = TILE[1] // 2, TILE[1] + TILE[1] // 2
    row = film_drawing.TITLE + film_drawing.LABEL + TILE[0] // 2
    assert [int(frame[row, left, 0]) for frame in frames] == [60, 60, 255, 255, 255]
    assert [int(frame[row, right, 0]) for frame in frames] == [60, 60, 60, 60, 255]


def test_the_file_plays_all_parts_for_ever_and_stops_at_their_ends(part, tmp_path):
    write_webp(tmp_path / "images" / "film.webp", [part, part])
    with Image.open(tmp_path / "images" / "film.webp") as played:
        assert played.info["loop"] == 0
        times = []
        for number in range(played.n_frames):
            played.seek(number)
            played.load()
            times.append(played.info["duration"])
    assert sum(times) == 2 * (4 * round(1000 / FPS) + PAUSE)
    assert [path.name for path in (tmp_path / "images").iterdir()] == ["film.webp"]


def test_a_file_that_is_too_large_is_refused_and_the_old_one_stays(part, tmp_path, monkeypatch):
    (tmp_path / "film.webp").write_bytes(b"old")
    monkeypatch.setattr(film_drawing, "MOST_BYTES", 10)
    with pytest.raises(SystemExit, match="more than 10"):
        write_webp(tmp_path / "film.webp", [part])
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]
