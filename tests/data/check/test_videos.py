import io

import av
import numpy as np
import pytest
from tests.data import tiny

from glam.data import layout

FRONT, OVERHEAD = "observation.images.front", "observation.images.overhead"
FILE = layout.video_file(FRONT, 1)


@pytest.mark.parametrize("part", [0.3, 0.6, 0.95])
def test_a_truncated_video_is_found(patient, part):
    content = (patient.root / FILE).read_bytes()
    (patient.root / FILE).write_bytes(content[: int(part * len(content))])
    patient.seal()
    assert patient.only("unreadable").file == FILE


def test_a_truncated_video_whose_index_comes_first_is_found(patient):
    content = index_first(patient.root / FILE, tiny.film(patient.root / FILE))
    patient.seal()
    assert patient.findings() == ()
    (patient.root / FILE).write_bytes(content[: int(0.7 * len(content))])
    patient.seal()
    findings = patient.findings()
    assert {finding.code for finding in findings} == {"unreadable", "video-frames"}
    assert {finding.file for finding in findings} == {FILE}


def index_first(path, frames):
    """An mp4 as streaming services like it: it opens even when its end is missing."""
    with av.open(str(path), "w", format="mp4", options={"movflags": "faststart"}) as container:
        stream = container.add_stream("libx264", rate=10, options={"g": "2", "bf": "0"})
        stream.height, stream.width, stream.pix_fmt = *frames.shape[1:3], "yuv420p"
        for frame in frames:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
        container.mux(stream.encode())
    return path.read_bytes()


def test_a_video_one_frame_short_is_found(patient):
    patient.edit_video("front", 1, lambda frames: frames[:-1])
    patient.seal()
    finding = patient.only("video-frames")
    assert (finding.file, finding.episode, finding.frame) == (FILE, 1, 14)


def test_a_video_one_frame_long_is_found(patient):
    patient.edit_video("front", 1, lambda frames: np.concatenate([frames, frames[-1:]]))
    patient.seal()
    finding = patient.only("video-frames")
    assert (finding.file, finding.episode, finding.frame) == (FILE, 1, 15)


def test_a_frame_dropped_in_the_middle_is_found(patient):
    target = io.BytesIO()
    frames = tiny.film(patient.root / FILE)
    with av.open(target, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=10, options={"bf": "0"})
        stream.height, stream.width, stream.pix_fmt = 32, 32, "yuv420p"
        for k in (*range(6), *range(7, 15)):
            frame = av.VideoFrame.from_ndarray(frames[k], format="rgb24")
            frame.pts = k
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    (patient.root / FILE).write_bytes(target.getvalue())
    patient.seal()
    found = {finding.code: finding for finding in patient.findings()}
    assert found.keys() == {"video-frames", "video-times"}
    assert (found["video-times"].episode, found["video-times"].frame) == (1, 6)


def test_cameras_whose_sizes_are_swapped_are_found(patient):
    def declare(info):
        info["features"][FRONT]["shape"] = [48, 32, 3]
        info["features"][OVERHEAD]["shape"] = [32, 48, 3]

    patient.edit_json(layout.INFO, declare)
    for index in range(3):
        patient.edit_video("front", index, lambda frames: np.pad(frames, ((0, 0), (0, 0), (0, 16), (0, 0))))
        patient.edit_video("overhead", index, lambda frames: np.pad(frames, ((0, 0), (0, 16), (0, 0), (0, 0))))
    patient.seal()
    findings = [finding for finding in patient.findings() if finding.code == "image-size"]
    assert len(findings) == 6
    assert all("may be swapped" in finding.problem for finding in findings)


def test_a_video_of_another_size_than_declared_is_found(patient):
    patient.edit_video("front", 1, lambda frames: frames[:, :16])
    patient.seal()
    finding = patient.only("image-size")
    assert finding.file == FILE
    assert "32 x 16 pixels, but meta/info.json says 32 x 32" in finding.problem


def test_a_file_that_is_no_video_is_found(patient):
    (patient.root / FILE).write_bytes(b"\0" * 500)
    patient.seal()
    assert patient.only("unreadable").file == FILE


def test_a_span_that_is_not_as_long_as_its_frames_is_found(patient):
    def stretched(table):
        name = f"videos/{FRONT}/to_timestamp"
        column = np.array([1.5, 1.53, 1.5])
        return table.set_column(table.column_names.index(name), name, [column])

    patient.edit_table(layout.EPISODES, stretched)
    patient.seal()
    finding = patient.only("episodes-table")
    assert (finding.file, finding.episode) == (layout.EPISODES, 1)


def test_a_play_list_that_calls_itself_a_video_is_unreadable(patient):
    name = (patient.root / FILE).with_name("film.mp4")
    (patient.root / FILE).rename(name)
    (patient.root / FILE).write_text(f"ffconcat version 1.0\nfile {name.name}\n")
    patient.seal()
    assert "unreadable" in {finding.code for finding in patient.findings() if finding.file == FILE}
