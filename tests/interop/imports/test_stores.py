"""What the reading process makes of files: every array exactly, or a sentence."""

import json
import sys
import zipfile

import av
import h5py
import imagecodecs.numcodecs
import numcodecs
import numpy as np
import pytest
from tests.data import tiny
from tests.interop.imports import foreign

from glam.core.errors import GlamError
from glam.data import video
from glam.interop.imports.stores import codecs
from glam.interop.imports.stores.archive import open_archive
from glam.interop.imports.stores.film import FilmStore
from glam.interop.imports.stores.hdf5 import Hdf5Store
from glam.interop.imports.stores.store import ArrayKind, array_kind
from glam.interop.imports.stores.zarr_v2 import ZarrStore

NUMBERS = np.arange(60, dtype="<f4").reshape(20, 3)
PICTURES = tiny.pictures((16, 16), 5, 0)
CODECS = {
    "blosc": numcodecs.Blosc("lz4", shuffle=numcodecs.Blosc.SHUFFLE),
    "blosc zstd": numcodecs.Blosc("zstd", shuffle=numcodecs.Blosc.BITSHUFFLE),
    "bz2": numcodecs.BZ2(),
    "gzip": numcodecs.GZip(),
    "lz4": numcodecs.LZ4(),
    "none": None,
    "zlib": numcodecs.Zlib(),
    "zstd": numcodecs.Zstd(),
}


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("name", ["store.zarr.zip", "store.zarr"])
def test_numbers_of_every_codec_of_zarr_are_read(tmp_path, codec, name):
    arrays = {"a": NUMBERS, "counts": np.arange(20, dtype="<i8")}
    store = ZarrStore(foreign.replay_buffer(tmp_path / name, arrays, codec=CODECS[codec]))
    assert store.arrays["data/a"] == ArrayKind((20, 3), "float32")
    for start, stop in ((0, 20), (3, 4), (7, 13), (5, 5)):
        assert np.array_equal(store.read("data/a", start, stop), NUMBERS[start:stop])
    assert store.read("meta/episode_ends", 0, 3).tolist() == np.cumsum(foreign.LENGTHS).tolist()


@pytest.mark.parametrize(
    "codec",
    [
        imagecodecs.numcodecs.Jpegxl(lossless=True),
        imagecodecs.numcodecs.Jpeg2k(reversible=True),
        imagecodecs.numcodecs.Png(),
        numcodecs.Blosc(),
    ],
    ids=lambda codec: codec.codec_id,
)
def test_pictures_are_read_exactly_from_lossless_codecs(tmp_path, codec):
    store = ZarrStore(foreign.replay_buffer(tmp_path / "s.zip", {"camera0_rgb": PICTURES}, picture_codec=codec))
    assert np.array_equal(store.read("data/camera0_rgb", 1, 4), PICTURES[1:4])


def test_pictures_of_umi_are_read_as_its_own_codec_reads_them(tmp_path):
    lossy = imagecodecs.numcodecs.Jpegxl(level=99, numthreads=1)
    store = ZarrStore(foreign.replay_buffer(tmp_path / "s.zip", {"camera0_rgb": PICTURES}, picture_codec=lossy))
    found = store.read("data/camera0_rgb", 0, 5)
    assert np.array_equal(found[2], lossy.decode(lossy.encode(PICTURES[2:3])).reshape(16, 16, 3))
    assert np.abs(found.astype(int) - PICTURES).mean() < 3


def spoilt(tmp_path, change, arrays=None):
    """A store whose members were changed by hand."""
    file = foreign.replay_buffer(tmp_path / "s.zarr.zip", arrays or {"a": NUMBERS}, codec=None)
    with zipfile.ZipFile(file) as old:
        members = {name: old.read(name) for name in old.namelist()}
    change(members)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in members.items():
            new.writestr(name, content)
    return file


def described(**change):
    def apply(members):
        members["data/a/.zarray"] = json.dumps(json.loads(members["data/a/.zarray"]) | change).encode()

    return apply


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda members: members.pop("data/a/2.0"), r"data/a/2\.0 is missing"),
        (lambda members: members.pop("data/a/.zarray"), r"belongs to no array; data/a/\.zarray is missing"),
        (lambda members: members.update({"data/a/1.0": bytes(47)}), r"data/a/1\.0 holds 47 bytes instead of 48"),
        (lambda members: members.update({"data/a/1.0": bytes(10**8)}), "is longer than 4192 bytes"),
        (lambda members: members.update({"zarr.json": b"{}"}), "zarr format 3"),
        (described(dtype="|O"), "no type of numbers"),
        (described(shape=[20, 3, 1]), "has shape"),
        (described(chunks=[10**9, 3]), "more than 256 MB"),
        (described(filters=[{"id": "delta"}]), "filters"),
        (described(order="K"), "order"),
        (described(compressor={"id": "lzma"}), "packed with 'lzma'"),
        (described(compressor={"id": "blosc"}), "claims to hold"),
        (described(compressor={"id": "zlib"}), "is damaged"),
        (described(compressor={"id": "imagecodecs_png"}), "is damaged"),
    ],
)
def test_what_is_wrong_with_a_zarr_store_is_named(tmp_path, change, message):
    with pytest.raises(GlamError, match=message):
        ZarrStore(spoilt(tmp_path, change)).read("data/a", 0, 20)


def test_columns_first_order_and_nested_chunk_names_are_read(tmp_path):
    def reorder(members):
        described(order="F", dimension_separator="/")(members)
        for row in range(5):
            values = np.frombuffer(members.pop(f"data/a/{row}.0"), "<f4").reshape(4, 3)
            members[f"data/a/{row}/0"] = values.tobytes("F")

    assert np.array_equal(ZarrStore(spoilt(tmp_path, reorder)).read("data/a", 0, 20), NUMBERS)


@pytest.mark.parametrize("codec", ["bz2", "gzip", "zlib", "zstd", "lz4", "blosc"])
def test_a_bomb_is_not_unpacked_beyond_what_it_should_hold(codec):
    bomb = CODECS[codec].encode(bytes(10**7))
    with pytest.raises((GlamError, RuntimeError)):  # zstd says so itself
        codecs.decode(codec, bytes(bomb), (10,), np.dtype("u1"))


def test_a_picture_of_another_size_is_refused():
    png = imagecodecs.png_encode(PICTURES[0])
    with pytest.raises(GlamError, match="is a picture of shape"):
        codecs.decode("imagecodecs_png", png, (1, 8, 8, 3), np.dtype("u1"))


@pytest.mark.parametrize(("library", "store"), [("h5py", Hdf5Store), ("imagecodecs", ZarrStore)])
def test_a_library_that_is_not_installed_is_named_with_its_extra(tmp_path, monkeypatch, library, store):
    make = {"h5py": foreign.robomimic, "imagecodecs": lambda file: foreign.replay_buffer(file, {"a": NUMBERS})}
    file = make[library](tmp_path / "s.zip")
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(GlamError, match=rf"needs {library}; install it with pip install 'glam\[import\]'"):
        store(file).read("data/a", 0, 1)


def test_zip_checksums_are_verified_and_absent_members_named(tmp_path):
    file = foreign.replay_buffer(tmp_path / "s.zarr.zip", {"a": NUMBERS}, codec=None)
    content = bytearray(file.read_bytes())
    content[content.index(NUMBERS[4:8].tobytes()) + 5] ^= 1
    file.write_bytes(content)
    archive = open_archive(file)
    with pytest.raises(GlamError, match=r"data/a/1\.0 is damaged \(Bad CRC"):
        archive.read("data/a/1.0", 1000)
    with pytest.raises(GlamError, match="has no data/b"):
        archive.read("data/b", 1000)


def test_files_of_a_folder_are_bounded_too(tmp_path):
    (tmp_path / "a").write_bytes(bytes(10))
    archive = open_archive(tmp_path)
    assert archive.read("a", 10) == bytes(10)
    with pytest.raises(GlamError, match="longer than 9 bytes"):
        archive.read("a", 9)
    with pytest.raises(GlamError, match="has no b"):
        archive.read("b", 9)


def test_links_in_a_folder_are_not_followed(tmp_path):
    (tmp_path / "secret").write_bytes(bytes(10))
    (tmp_path / "store").mkdir()
    (tmp_path / "store/a").symlink_to(tmp_path / "secret")
    with pytest.raises(GlamError, match="has no a"):
        open_archive(tmp_path / "store").read("a", 10)


def test_hdf5_is_listed_in_the_order_of_its_numbers(tmp_path):
    store = Hdf5Store(foreign.robomimic(tmp_path / "demo.hdf5", (3,) * 11))
    assert store.notes["demos"][-2:] == ["demo_9", "demo_10"]
    assert store.notes["samples"]["demo_10"] == 3
    assert json.loads(store.notes["env_args"])["env_name"] == "Lift"
    assert store.arrays["demo_1/obs/agentview_image"] == ArrayKind((3, 16, 16, 3), "uint8")
    assert np.array_equal(store.read("demo_1/obs/agentview_image", 1, 3), tiny.pictures((16, 16), 3, 2)[1:])


def test_other_files_are_not_brought_in_through_hdf5(tmp_path):
    secret = tmp_path / "secret.hdf5"
    with h5py.File(secret, "w") as other:
        other["x"] = NUMBERS
    file = foreign.robomimic(tmp_path / "demo.hdf5", (20,))
    with h5py.File(file, "r+") as content:
        obs = content["data/demo_0/obs"]
        obs["external"] = h5py.ExternalLink(str(secret), "/x")
        obs["soft"] = h5py.SoftLink("/data/demo_0/actions")
        layout = h5py.VirtualLayout((20, 3), "f4")
        layout[:] = h5py.VirtualSource(str(secret), "x", (20, 3))
        obs.create_virtual_dataset("virtual", layout)
        obs.create_dataset("outside", shape=(20, 3), dtype="f4", external=[(str(tmp_path / "raw"), 0, 240)])
    store = Hdf5Store(file)
    for name in ("external", "soft", "virtual", "outside"):
        assert f"demo_0/obs/{name}" not in store.arrays
        assert "elsewhere" in store.notes["unusable"][f"demo_0/obs/{name}"] or name in ("virtual", "outside")
        assert f"/data/demo_0/obs/{name} " in store.notes["unusable"][f"demo_0/obs/{name}"]


@pytest.mark.parametrize("chunks", [None, (4, 3)])
def test_hdf5_arrays_that_were_never_written_are_refused(tmp_path, chunks):
    file = foreign.robomimic(tmp_path / "demo.hdf5", (8,))
    with h5py.File(file, "r+") as content:
        content["data/demo_0/obs"].create_dataset("empty", shape=(8, 3), dtype="f4", chunks=chunks)
        if chunks:
            content["data/demo_0/obs/empty"][:4] = 1.0
    with pytest.raises(GlamError, match="empty is not written completely"):
        Hdf5Store(file).read("demo_0/obs/empty", 0, 4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda file: file.pop("data"), "has no /data"),
        (lambda file: file["data/demo_0"].pop("obs"), "has no /data/demo_0/obs"),
        (lambda file: (file.pop("data"), file.create_dataset("data", data=[1])), "/data is not a group"),
    ],
)
def test_what_is_missing_in_hdf5_is_named(tmp_path, change, message):
    file = foreign.robomimic(tmp_path / "demo.hdf5", (5,))
    with h5py.File(file, "r+") as content:
        change(content)
    with pytest.raises(GlamError, match=message):
        Hdf5Store(file)


def test_what_is_no_hdf5_is_refused(tmp_path):
    (tmp_path / "a.hdf5").write_bytes(b"nothing")
    with pytest.raises(GlamError, match="not a sound HDF5 file"):
        Hdf5Store(tmp_path / "a.hdf5")


def test_only_lists_of_numbers_are_arrays():
    assert array_kind("a", (3, 2), np.dtype(">f8")) == ArrayKind((3, 2), "float64")
    for shape, dtype in (((), "f4"), ((3,), "O"), ((3,), "S4"), ((3,), "complex64")):
        with pytest.raises(GlamError, match=r"a is .* not a list of numbers"):
            array_kind("a", shape, np.dtype(dtype))


@pytest.fixture
def film(tmp_path):
    file = tmp_path / "front.mp4"
    file.write_bytes(video.encode(PICTURES, 20))
    return file


def test_a_film_gives_its_frames_in_any_order_of_asking(film):
    store = FilmStore(film)
    whole = tiny.film(film)
    assert store.arrays["frames"] == ArrayKind((5, 16, 16, 3), "uint8")
    assert store.read("times", 0, 5) == pytest.approx(np.arange(5) / 20)
    for start, stop in ((0, 2), (2, 3), (4, 5), (1, 3), (0, 5)):
        assert np.array_equal(store.read("frames", start, stop), whole[start:stop])


def test_a_film_that_is_to_be_turned_when_shown_is_refused(film):
    content = bytearray(film.read_bytes())
    matrix = content.index(b"tkhd") + 4 + 40  # 0, 1 / -1, 0: a quarter turn
    content[matrix : matrix + 20] = b"".join(part.to_bytes(4, "big") for part in (0, 0x10000, 0, 0xFFFF0000, 0))
    film.write_bytes(content)
    with pytest.raises(GlamError, match="turned by"):
        FilmStore(film).read("frames", 0, 1)


@pytest.mark.parametrize("content", [b"", b"nothing at all", bytes(1000)])
def test_what_is_no_film_is_refused(film, content):
    film.write_bytes(content)
    with pytest.raises(GlamError, match="not a sound video"):
        FilmStore(film)


@pytest.mark.parametrize(
    "play_list", ["#EXTM3U\n#EXTINF:1,\n{}\n#EXT-X-ENDLIST\n", "ffconcat version 1.0\nfile '{}'\n"]
)
def test_other_files_are_not_brought_in_through_a_film(film, play_list):
    lure = film.with_name("lure.mp4")
    lure.write_text(play_list.format(film.name))
    with pytest.raises(GlamError, match="not a sound video"):
        FilmStore(lure)


@pytest.mark.parametrize("ending", ["mkv", "avi", "mov", "webm"])
def test_films_in_other_containers_are_read(film, ending):
    other = film.with_suffix(f".{ending}")
    with av.open(film) as source, av.open(other, "w") as copy:
        codec = "libvpx-vp9" if ending == "webm" else "mpeg4" if ending == "avi" else "libx264"
        stream = copy.add_stream(codec, rate=20, width=16, height=16, pix_fmt="yuv420p")
        for frame in source.decode(video=0):
            copy.mux(stream.encode(frame))
        copy.mux(stream.encode())
    store = FilmStore(other)
    assert store.arrays["frames"].shape == (5, 16, 16, 3)
    assert store.read("times", 0, 5) == pytest.approx(np.arange(5) / 20, abs=2e-3)
    assert np.abs(store.read("frames", 0, 5).astype(int) - PICTURES).mean() < 12


def test_a_film_that_was_cut_is_refused(film):
    film.write_bytes(film.read_bytes()[:-100])
    with pytest.raises(GlamError):
        FilmStore(film).read("frames", 0, 5)
