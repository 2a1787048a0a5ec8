"""A small file that claims, or unpacks to, absurdly much is refused in one sentence before memory is taken."""

import json
import os
import struct
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import av
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.data.spoiling import rewrite_rows, without_manifest
from tests.interop.lerobot import foreign

from glam.core.errors import GlamError
from glam.data import image_codecs, layout, tables
from glam.data.check import check_dataset
from glam.data.image_codecs import VideoSpan, decode_image, decode_span
from glam.data.reader import Dataset
from glam.interop.lerobot.source import LeRobotSource

MOST_MEMORY = 20 << 20
"""Bytes that Python and numpy may take to refuse a bomb."""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    return foreign.arm(tmp_path / "arm")


def refused(work: Callable[[], object]) -> str:
    """The sentence with which some work is refused, without taking memory."""
    tracemalloc.start()
    try:
        with pytest.raises(GlamError) as error:
            work()
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()
    assert "\n" not in str(error.value)
    return str(error.value)


def opened(root: Path) -> str:
    return refused(lambda: LeRobotSource.open(root).episodes([]))


def rows_of_nothing(path: Path, rows: int, **columns: object) -> None:
    """A Parquet file of some kilobytes with many rows of the same values."""
    table = pa.table({name: pa.array([value]) for name, value in columns.items()})
    many = table.take(pa.array(np.zeros(1_000_000, np.int64)))
    with pq.ParquetWriter(path, many.schema, compression="zstd") as writer:
        for _ in range(rows // 1_000_000):
            writer.write_table(many)


def test_tasks_of_a_hundred_million_rows_are_refused(arm: Path) -> None:
    rows_of_nothing(arm / layout.TASKS, 20_000_000, task_index=0)
    assert (arm / layout.TASKS).stat().st_size < 1_000_000
    assert "20000000 rows of 20000000 values are to be read at once, more than 2000000 rows" in opened(arm)
    assert "20000000 rows" in next(one.text for one in check_dataset(arm) if one.file == layout.TASKS)


def test_a_short_row_with_a_list_of_many_values_is_refused(arm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MOST_VALUES", 100_000)
    path = arm / "list.parquet"
    pq.write_table(pa.table({"a": pa.array([[0] * 200_000]), "b": pa.array([1])}), path)
    assert "1 rows of 200001 values" in refused(lambda: tables.read_parquet(path))
    with tables.open_parquet(path) as file:  # what is not read does not count
        assert tables.read_groups(path, file, [0], ["b"])["b"].to_pylist() == [1]


def test_a_feature_counts_with_all_its_leaves_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "names.parquet"
    pq.write_table(pa.table({"a.b": pa.array([[0] * 50]), "a": pa.array([1]), "a.bc": pa.array([[0] * 90])}), path)
    monkeypatch.setattr(tables, "MOST_VALUES", 60)
    assert tables.read_groups(path, tables.open_parquet(path), [0], ["a.b"]).num_rows == 1
    with pytest.raises(GlamError, match="1 rows of 90 values"):
        tables.read_groups(path, tables.open_parquet(path), [0], ["a.bc"])


def described(root: Path, change: dict[str, object]) -> None:
    path = root / layout.INFO
    path.write_text(json.dumps(json.loads(path.read_text()) | change))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"total_episodes": 10**12}, "3 episodes that are not numbered 0 to 999999999999"),
        ({"fps": 10**300}, "it must be from 1 to 100000"),
        ({"data_path": "{chunk_index:1500000000d}{file_index}"}, "is not a path template"),
        ({"features": {"action": {"dtype": "float32", "shape": [10**12]}}}, "a shape of whole numbers up to 1000000"),
    ],
)
def test_a_description_that_claims_too_much_is_refused(arm: Path, change: dict[str, object], sentence: str) -> None:
    described(arm, change)
    assert sentence in opened(arm)
    assert any(one.severity == "error" for one in check_dataset(arm))


@pytest.mark.parametrize(
    ("shapes", "sentence"),
    [
        ({"action": [20_000]}, "action has 20000 entries; at most 10000 are read"),
        ({"observation.images.front": [20_000, 20_000, 3]}, "an image of 20000 x 20000 pixels"),
    ],
)
def test_features_that_no_network_could_read_are_refused(target_set: Path, shapes, sentence: str) -> None:
    without_manifest(target_set)
    info = json.loads((target_set / layout.INFO).read_text())
    for key, shape in shapes.items():
        info["features"][key] |= {"shape": shape, "names": None}
    described(target_set, info)
    assert sentence in refused(lambda: Dataset.open(target_set))


@pytest.mark.parametrize("device", ["pipe", "/dev/zero"])
def test_a_description_that_never_ends_is_refused(arm: Path, device: str) -> None:
    (arm / layout.INFO).unlink()
    if device == "pipe":
        os.mkfifo(arm / layout.INFO)
    else:
        (arm / layout.INFO).symlink_to(device)
    assert "is no plain file" in (said := opened(arm)) or "is a link" in said


def png(width: int, height: int) -> bytes:
    """A black image in a few bytes; of a large one, its beginning."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack("!I", len(content)) + kind + content + struct.pack("!I", zlib.crc32(kind + content))

    head = chunk(b"IHDR", struct.pack("!IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")


@pytest.mark.parametrize("side", [8_100, 9_800, 20_000])
@pytest.mark.filterwarnings("error")
def test_an_image_that_claims_many_pixels_is_refused_before_it_is_unpacked(side: int) -> None:
    """Pillow itself says nothing of the first, warns of the second and raises an error of its own over the third."""
    assert "pixels" in refused(lambda: decode_image(png(side, side)))


def test_a_mask_that_claims_many_pixels_is_named(target_set: Path) -> None:
    key = "observation.masks.front"
    rows = pq.read_table(target_set / layout.data_file(1), use_threads=False)[key].to_pylist()
    rows[1] = {"bytes": png(20_000, 20_000), "path": None}
    rewrite_rows(without_manifest(target_set), 1, **{key: pa.array(rows, tables.IMAGE)})
    dataset = Dataset.open(target_set)
    assert f"episode 1, frame 1: {key}: the image cannot be read" in refused(lambda: dataset.masks(1, key))


def film(path: Path, height: int, width: int, frames: int = 4) -> VideoSpan:
    path.write_bytes(image_codecs.encode_video(np.zeros((frames, height, width, 3), np.uint8), 10))
    return VideoSpan(path, 0.0, frames, ends_file=True)


def test_a_film_of_too_many_pixels_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    span = film(tmp_path / "film.mp4", 64, 96)
    assert decode_span(span, 10).shape == (4, 64, 96, 3)
    monkeypatch.setattr(image_codecs, "MOST_PIXELS", 64 * 96 - 1)
    assert "film.mp4: an image of 96 x 64 pixels" in refused(lambda: decode_span(span, 10))
    with av.open(span.path) as container:  # it was the header that told
        assert container.streams.video[0].codec_context.width == 96


def test_a_film_that_unpacks_to_too_many_bytes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    span = film(tmp_path / "film.mp4", 64, 96)
    monkeypatch.setattr(image_codecs, "MOST_BYTES", 3 * 64 * 96 * 3)
    assert "film.mp4: 4 frames of 18432 bytes in one episode" in refused(lambda: decode_span(span, 10))
