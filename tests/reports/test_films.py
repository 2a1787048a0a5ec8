import io

import av
import numpy as np
import pytest
from PIL import Image

from glam.core.errors import GlamError
from glam.reports.films import encode_film, enlarged, halved, outlined, png, read_film, reduced, tiled

FRAMES = np.tile(np.linspace(0, 255, 32).astype(np.uint8)[None, None, :, None], (10, 32, 1, 3))


def test_a_film_decodes_to_what_went_in():
    made = encode_film(FRAMES, 10)
    with av.open(io.BytesIO(made.mp4)) as container:
        stream = container.streams.video[0]
        assert (stream.codec_context.name, stream.pix_fmt, stream.average_rate) == ("h264", "yuv420p", 10)
        decoded = np.stack([frame.to_ndarray(format="rgb24") for frame in container.decode(stream)])
    assert decoded.shape == FRAMES.shape
    assert np.abs(decoded.astype(int) - FRAMES).mean() < 4


def test_equal_frames_give_equal_bytes():
    steps = np.random.default_rng(0).normal(0, 12, (8, 388, 390, 3))
    frames = np.clip(steps.cumsum(axis=1) + 128, 0, 255).astype(np.uint8)
    films, between = set(), []
    for size in range(12):
        between.append(np.full(100_003 * size, size, np.uint8))  # memory that was used differs from film to film
        films.add(encode_film(frames, 10).mp4)
    assert len(films) == 1


def test_the_poster_is_the_first_frame():
    made = encode_film(FRAMES, 10)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(made.poster))), FRAMES[0])
    assert (made.width, made.height) == (32, 32)


def test_enlarging_repeats_every_pixel():
    large = enlarged(FRAMES, 3)
    assert large.shape == (10, 96, 96, 3)
    assert np.array_equal(large[:, 1::3, 1::3], FRAMES)


def test_tiles_lie_side_by_side_with_a_gap():
    sheet = tiled([[FRAMES, 255 - FRAMES], [FRAMES, FRAMES]], gap=2)
    assert sheet.shape == (10, 66, 66, 3)
    assert np.array_equal(sheet[:, :32, 34:], 255 - FRAMES)
    assert (sheet[:, 32:34] == 24).all()


def test_an_outline_follows_the_mask_and_leaves_the_rest_alone():
    masks = np.zeros((10, 32, 32, 1), np.uint8)
    masks[:, 10:20, 10:20] = 255
    drawn = outlined(FRAMES, masks, [(1, 2, 3)])
    assert (drawn[:, 10, 10:20] == (1, 2, 3)).all()
    assert (drawn[:, 9, 10:20] == 255).all()
    assert np.array_equal(drawn[:, 12:18, 12:18], FRAMES[:, 12:18, 12:18])
    assert np.array_equal(drawn[:, :8], FRAMES[:, :8])


def test_a_mask_that_fills_the_image_has_no_outline():
    masks = np.full((10, 32, 32, 1), 255, np.uint8)
    assert np.array_equal(outlined(FRAMES, masks, [(1, 2, 3)]), FRAMES)


def test_a_image_is_lossless():
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(png(FRAMES[0])))), FRAMES[0])


def test_reducing_takes_the_mean_of_every_square():
    small = reduced(np.array([[0, 1], [2, 255]], np.uint8)[None, :, :, None].repeat(3, axis=3), 2)
    assert small.shape == (1, 1, 1, 3)
    assert (small == 65).all()  # 64.5, rounded up
    assert np.array_equal(reduced(enlarged(FRAMES, 2), 2), FRAMES)


def test_a_film_read_from_its_file_shows_how_it_ended(tmp_path):
    frames = FRAMES.copy()
    frames[-1] = 200
    (tmp_path / "film.mp4").write_bytes(encode_film(frames, 10).mp4)
    film = read_film(tmp_path / "film.mp4")
    assert film.mp4 == (tmp_path / "film.mp4").read_bytes()
    assert (film.width, film.height) == (32, 32)
    assert np.abs(np.asarray(Image.open(io.BytesIO(film.poster))).astype(int) - 200).mean() < 4


def test_a_halved_film_is_half_as_large_and_lasts_as_long():
    whole = encode_film(np.random.default_rng(0).integers(0, 255, (10, 66, 70, 3), np.uint8), 10)
    half = halved(whole)
    assert (half.width, half.height) == (34, 32)
    assert len(half.mp4) < len(whole.mp4) / 2
    with av.open(io.BytesIO(half.mp4)) as container:
        stream = container.streams.video[0]
        assert (stream.average_rate, sum(1 for _ in container.decode(stream))) == (10, 10)


@pytest.mark.parametrize("content", [b"", b"no film", encode_film(FRAMES, 10).mp4[:200]])
def test_what_is_no_film_is_named(tmp_path, content):
    (tmp_path / "film.mp4").write_bytes(content)
    with pytest.raises(GlamError, match=r"film\.mp4: .* make it again"):
        read_film(tmp_path / "film.mp4")
