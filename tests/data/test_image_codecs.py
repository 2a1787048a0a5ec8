import subprocess
import sys
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import av
import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.data import image_codecs
from glam.data.image_codecs import VideoSpan, decode_span, encode_video, frames_of


@pytest.fixture
def frames(tiny):
    return tiny.images((32, 48), 12, seed=1)


@pytest.fixture
def film(frames, tmp_path):
    path = tmp_path / "film.mp4"
    path.write_bytes(encode_video(frames, 10))
    return path


def whole(path, count=12, fps=10):
    """A file as that of one episode."""
    return decode_span(VideoSpan(path, 0.0, count, ends_file=True), fps)


def rendered_like(frames, size=96):
    """Textured table, saturated boxes that move, soft edges: what a camera of ours sees."""
    y, x = np.mgrid[0 : size * 4, 0 : size * 4] / (size * 4)
    grain = 0.04 * np.sin(120 * x + 10 * np.sin(8 * y))[..., None]
    table = np.stack([0.55 + 0.15 * x - 0.1 * y, 0.45 + 0.1 * y, 0.35 + 0.05 * np.sin(40 * x)], -1) + grain
    film = []
    for t in range(frames):
        image = table.copy()
        for k, colour in enumerate([(0.85, 0.15, 0.1), (0.1, 0.6, 0.2), (0.15, 0.15, 0.17)]):
            u, v = x - 0.5 - 0.3 * np.sin(0.05 * t + 2 * k), y - 0.6 - 0.25 * np.cos(0.04 * t + 2 * k)
            image[np.maximum(abs(u + 0.3 * v), abs(v - 0.3 * u)) < 0.08] = colour
        film.append(image.reshape(size, 4, size, 4, 3).mean((1, 3)))
    return (255 * np.array(film)).clip(0, 255).round().astype(np.uint8)


def psnr(a, b):
    return 10 * np.log10(255**2 / ((a.astype(float) - b) ** 2).mean((1, 2, 3)))


def write_film(path, frames, times, fps=10, codec="libx264", options=None):
    """A film with frames at given times, in multiples of a thousandth of a frame."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=fps, options=options or {})
        stream.height, stream.width, stream.pix_fmt = *frames.shape[1:3], "yuv420p"
        stream.codec_context.time_base = Fraction(1, 1000 * fps)
        for pixels, time in zip(frames, times, strict=True):
            frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
            frame.pts, frame.time_base = time, Fraction(1, 1000 * fps)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def test_frames_come_back_in_order_and_close_to_the_source(frames, film):
    back = whole(film)
    assert back.shape == frames.shape
    assert back.dtype == np.uint8
    assert psnr(frames, back).min() > 38
    distance = abs(frames[:, None].astype(float) - back[None]).mean((2, 3, 4))
    np.testing.assert_array_equal(distance.argmin(1), np.arange(len(frames)))


def test_rendered_images_keep_more_than_35_decibels(tmp_path):
    source = rendered_like(8)
    path = tmp_path / "film.mp4"
    path.write_bytes(encode_video(source, 10))
    assert path.stat().st_size < 8 * 6000
    assert psnr(source, whole(path, count=8)).min() > 35


def test_the_same_frames_give_the_same_bytes_in_another_process(tiny):
    program = (
        "import runpy, sys; from hashlib import sha256; from glam.data.image_codecs import encode_video; "
        "tiny = runpy.run_path(sys.argv[1]); "
        "print(sha256(encode_video(tiny['images']((32, 48), 12, 1), 10)).hexdigest())"
    )
    command = [sys.executable, "-c", program, str(Path(__file__).with_name("tiny.py"))]
    there = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    assert there == sha256(encode_video(tiny.images((32, 48), 12, 1), 10)).hexdigest()


@pytest.mark.parametrize("fps", [5, 10, 24, 30])
def test_frame_k_is_at_exactly_k_over_fps(frames, tmp_path, fps):
    path = tmp_path / "film.mp4"
    path.write_bytes(encode_video(frames, fps))
    with av.open(str(path)) as container:
        times = [frame.pts * frame.time_base for frame in container.decode(video=0)]
        stream = container.streams.video[0]
        assert stream.codec_context.name == image_codecs.CODEC
        assert stream.codec_context.pix_fmt == image_codecs.PIXEL_FORMAT
        assert stream.average_rate == fps
    assert times == [Fraction(k, fps) for k in range(len(frames))]


def test_every_second_frame_is_a_key_frame(film):
    with av.open(str(film)) as container:
        keys = [frame.key_frame for frame in container.decode(video=0)]
    assert keys[::2] == [True] * 6


@pytest.mark.parametrize(("first", "count"), [(0, 3), (3, 4), (4, 8), (11, 1)])
def test_a_span_holds_exactly_the_frames_of_its_episode(tiny, film, first, count):
    span = VideoSpan(film, first / 10, count, ends_file=first + count == 12)
    np.testing.assert_array_equal(decode_span(span, 10), tiny.film(film)[first : first + count])


def test_a_span_of_an_av1_film_with_distant_key_frames_is_found(tiny, frames, tmp_path):
    path = tmp_path / "film.mp4"
    large = np.repeat(np.repeat(frames, 4, 1), 4, 2)
    write_film(path, large, range(0, 12000, 1000), codec="libsvtav1", options={"g": "30", "preset": "12"})
    np.testing.assert_array_equal(decode_span(VideoSpan(path, 0.7, 4, ends_file=False), 10), tiny.film(path)[7:11])


def test_a_short_video_is_an_error_that_counts_its_frames(film):
    with pytest.raises(GlamError, match="ends after 12 of 13 frames"):
        whole(film, count=13)


def test_a_video_that_goes_on_after_its_last_episode_is_an_error(film):
    with pytest.raises(GlamError, match="goes on after frame 11"):
        whole(film, count=11)


def test_a_dropped_frame_is_reported_with_its_number(frames, tmp_path):
    path = tmp_path / "film.mp4"
    times = [1000 * k for k in range(12) if k != 5]
    write_film(path, frames[:11], times, options={"bf": "0"})
    with pytest.raises(GlamError, match=r"frame 5 of the episode is at 0\.6000 s instead of 0\.5000 s"):
        whole(path)


def test_a_film_of_another_rate_is_an_error(film):
    with pytest.raises(GlamError, match=r"frame 1 .* at 20 frames per second"):
        whole(film, fps=20)


def test_a_missing_an_empty_and_a_foreign_file_are_errors_that_name_the_file(tmp_path):
    missing, empty, foreign = tmp_path / "missing.mp4", tmp_path / "empty.mp4", tmp_path / "foreign.mp4"
    empty.write_bytes(b"")
    foreign.write_bytes(b"no film" * 1000)
    for path in (missing, empty, foreign):
        with pytest.raises(GlamError, match=path.name):
            whole(path)


PLAY_LISTS = {
    "hls": "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:1.2,\n{name}\n#EXT-X-ENDLIST\n",
    "concat": "ffconcat version 1.0\nfile {name}\n",
}


@pytest.mark.parametrize("kind", PLAY_LISTS)
def test_a_play_list_that_calls_itself_a_video_is_refused(film, kind):
    path = film.with_name("list.mp4")
    path.write_text(PLAY_LISTS[kind].format(name=film.name))
    with pytest.raises(GlamError, match=r"list\.mp4: the video cannot be read"):
        whole(path)


def test_frames_come_one_at_a_time(tiny, film):
    stream = frames_of(VideoSpan(film, 0.3, 5, ends_file=False), 10)
    first = next(stream)
    np.testing.assert_array_equal(first, tiny.film(film)[3])
    assert len(list(stream)) == 4


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.9])
def test_a_truncated_film_is_an_error(film, kept):
    film.write_bytes(film.read_bytes()[: int(kept * film.stat().st_size)])
    with pytest.raises(GlamError, match=r"film\.mp4"):
        whole(film)
