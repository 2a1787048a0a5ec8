import av
import numpy as np
import pytest
from tests.data import tiny
from tests.interop.imports.stores.arrays import IMAGES

from glam.core.errors import GlamError
from glam.data import image_codecs
from glam.interop.imports.stores.store import ArraySpec
from glam.interop.imports.stores.video_file import VideoStore


@pytest.fixture
def film(tmp_path):
    file = tmp_path / "front.mp4"
    file.write_bytes(image_codecs.encode_video(IMAGES, 20))
    return file


def test_a_film_gives_its_frames_in_any_order_of_asking(film):
    store = VideoStore(film)
    whole = tiny.film(film)
    assert store.arrays["frames"] == ArraySpec((5, 16, 16, 3), "uint8")
    assert store.read("times", 0, 5) == pytest.approx(np.arange(5) / 20)
    for start, stop in ((0, 2), (2, 3), (4, 5), (1, 3), (0, 5)):
        assert np.array_equal(store.read("frames", start, stop), whole[start:stop])


def test_a_film_that_is_to_be_turned_when_shown_is_refused(film):
    content = bytearray(film.read_bytes())
    matrix = content.index(b"tkhd") + 4 + 40  # 0, 1 / -1, 0: a quarter turn
    content[matrix : matrix + 20] = b"".join(part.to_bytes(4, "big") for part in (0, 0x10000, 0, 0xFFFF0000, 0))
    film.write_bytes(content)
    with pytest.raises(GlamError, match="turned by"):
        VideoStore(film).read("frames", 0, 1)


@pytest.mark.parametrize("content", [b"", b"nothing at all", bytes(1000)])
def test_what_is_no_film_is_refused(film, content):
    film.write_bytes(content)
    with pytest.raises(GlamError, match="not a sound video"):
        VideoStore(film)


@pytest.mark.parametrize(
    "play_list", ["#EXTM3U\n#EXTINF:1,\n{}\n#EXT-X-ENDLIST\n", "ffconcat version 1.0\nfile '{}'\n"]
)
def test_other_files_are_not_brought_in_through_a_film(film, play_list):
    lure = film.with_name("lure.mp4")
    lure.write_text(play_list.format(film.name))
    with pytest.raises(GlamError, match="not a sound video"):
        VideoStore(lure)


@pytest.mark.parametrize("ending", ["mkv", "avi", "mov", "webm"])
def test_films_in_other_containers_are_read(film, ending):
    other = film.with_suffix(f".{ending}")
    with av.open(film) as source, av.open(other, "w") as copy:
        codec = "libvpx-vp9" if ending == "webm" else "mpeg4" if ending == "avi" else "libx264"
        stream = copy.add_stream(codec, rate=20, width=16, height=16, pix_fmt="yuv420p")
        for frame in source.decode(video=0):
            copy.mux(stream.encode(frame))
        copy.mux(stream.encode())
    store = VideoStore(other)
    assert store.arrays["frames"].shape == (5, 16, 16, 3)
    assert store.read("times", 0, 5) == pytest.approx(np.arange(5) / 20, abs=2e-3)
    assert np.abs(store.read("frames", 0, 5).astype(int) - IMAGES).mean() < 12


def test_a_film_that_was_cut_is_refused(film):
    film.write_bytes(film.read_bytes()[:-100])
    with pytest.raises(GlamError):
        VideoStore(film).read("frames", 0, 5)
