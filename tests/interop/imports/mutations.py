"""Damage of every kind to foreign recordings, and what came of reading them."""

import json
import random
import shutil
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from tests.interop.imports import foreign, references

from glam.core.errors import GlamError
from glam.data.schema import Episode
from glam.interop.imports.child import Child
from glam.interop.imports.conversion import plan
from glam.interop.imports.formats import FORMATS, find_format
from glam.interop.imports.recordings import Hints

HINTS = Hints(source_rate=foreign.RATE)
LENGTHS = (6, 5)
Mutate = Callable[[Path, random.Random], None]


@dataclass(frozen=True)
class Kind:
    """A format with everything that is done to its files."""

    name: str
    make: Callable[[Path], Path]
    structured: tuple[Mutate, ...]
    reference: Callable[[Path], list[references.Content]]


# Damage to bytes.


def _spoil(change: Callable[[bytearray, random.Random], bytes]) -> Mutate:
    def mutate(source: Path, rng: random.Random) -> None:
        files = sorted(path for path in source.rglob("*") if path.is_file()) if source.is_dir() else [source]
        file = rng.choice(files)
        file.write_bytes(bytes(change(bytearray(file.read_bytes()), rng)))

    mutate.__name__ = change.__name__
    return mutate


def _span(content: bytearray, rng: random.Random) -> slice:
    start = rng.randrange(len(content))
    return slice(start, min(len(content), start + rng.choice((4, 16, 64, 256))))


def flip(content, rng):
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    return content


def flip_many(content, rng):
    for _ in range(rng.randrange(2, 20)):
        flip(content, rng)
    return content


def flip_early(content, rng):
    content[rng.randrange(min(len(content), 2048))] ^= 1 << rng.randrange(8)
    return content


def scribble(content, rng):
    span = _span(content, rng)
    content[span] = rng.randbytes(len(content[span]))
    return content


def zero(content, rng):
    span = _span(content, rng)
    content[span] = bytes(len(content[span]))
    return content


def truncate(content, rng):
    return content[: rng.randrange(len(content))]


def duplicate(content, rng):
    span = _span(content, rng)
    return content[: span.stop] + content[span] + content[span.stop :]


def delete(content, rng):
    span = _span(content, rng)
    return content[: span.start] + content[span.stop :]


def largest(content, rng):
    start = rng.randrange(len(content))
    content[start : start + 8] = b"\xff" * len(content[start : start + 8])
    return content


def rubbish_after(content, rng):
    return content + rng.randbytes(rng.randrange(1, 300))


BYTES = tuple(
    _spoil(change)
    for change in (flip, flip_many, flip_early, scribble, zero, truncate, duplicate, delete, largest, rubbish_after)
)


# Files that are sound but lie.


def _hdf5(change: Callable[[Any, random.Random], None]) -> Mutate:
    def mutate(source: Path, rng: random.Random) -> None:
        with h5py.File(source, "r+") as file:
            change(file, rng)

    return mutate


def _replace(group: Any, key: str, **content: Any) -> None:
    del group[key]
    group.create_dataset(key, **content)


def _demo(file, rng):
    return file[f"data/demo_{rng.randrange(len(LENGTHS))}"]


_KEYS = ("robot0_eef_pos", "robot0_eef_quat", "robot0_gripper_qpos", "robot0_joint_pos", "agentview_image")


def hdf5_missing_key(file, rng):
    del _demo(file, rng)[rng.choice(("actions", "obs", *(f"obs/{key}" for key in _KEYS)))]


def hdf5_wrong_type(file, rng):
    obs = _demo(file, rng)["obs"]
    key = rng.choice(_KEYS)
    kind = rng.choice(("S8", "float64", "complex64", "uint16"))
    _replace(obs, key, data=np.zeros(obs[key].shape, kind))


def hdf5_wrong_shape(file, rng):
    obs = _demo(file, rng)["obs"]
    key, shift = rng.choice(_KEYS), rng.choice((1, -1))
    shape = obs[key].shape
    new = rng.choice(((shape[0] + shift, *shape[1:]), (*shape[:-1], shape[-1] + 1), (), (0, *shape[1:]), (*shape, 2)))
    _replace(obs, key, data=np.zeros(new, obs[key].dtype))


def hdf5_absurd_shape(file, rng):
    obs = _demo(file, rng)["obs"]
    key = rng.choice(_KEYS)
    shape = list(obs[key].shape)
    shape[rng.randrange(len(shape))] = rng.choice((10**7, 10**12))
    _replace(obs, key, shape=shape, dtype=obs[key].dtype, chunks=tuple(min(side, 64) for side in shape))


def hdf5_bomb(file, rng):
    """Zeros that take a thousand times their room once they are unpacked."""
    demo = _demo(file, rng)
    frames = demo["actions"].shape[0]
    shape = (frames, 4000, 4000, 3)
    _replace(demo["obs"], "agentview_image", shape=shape, dtype="u1", chunks=shape, compression="gzip")
    content = demo["obs/agentview_image"]
    content.id.write_direct_chunk((0, 0, 0, 0), b"\x78\x9c" + rng.randbytes(200))


def hdf5_bad_values(file, rng):
    obs = _demo(file, rng)["obs"]
    key = rng.choice(_KEYS[:3])
    obs[key][rng.randrange(5)] = rng.choice((np.nan, np.inf, 1e30, -1e30, 1e5))


def hdf5_link_elsewhere(file, rng):
    obs = _demo(file, rng)["obs"]
    key = rng.choice(_KEYS)
    del obs[key]
    obs[key] = rng.choice((h5py.ExternalLink("/etc/passwd", "/x"), h5py.SoftLink("/data"), h5py.SoftLink("/none")))


def hdf5_external_storage(file, rng):
    obs = _demo(file, rng)["obs"]
    shape = obs["agentview_image"].shape
    size = int(np.prod(shape))
    _replace(obs, "agentview_image", shape=shape, dtype="u1", external=[("/etc/passwd", 0, size)])


def hdf5_loop(file, rng):
    demo = _demo(file, rng)
    demo["obs/loop"] = demo
    del demo["obs/robot0_eef_pos"]
    demo["obs/robot0_eef_pos"] = demo["obs"]


def hdf5_bad_notes(file, rng):
    note = rng.choice(("[]", "{", '{"env_kwargs": 3}', "x" * 70000, '{"env_kwargs": {"control_freq": -3}}'))
    file["data"].attrs["env_args"] = note
    _demo(file, rng).attrs["num_samples"] = rng.choice((-1, 10**9))


def _zip(change: Callable[[dict[str, bytes], random.Random], None], method: int = zipfile.ZIP_STORED) -> Mutate:
    def mutate(source: Path, rng: random.Random) -> None:
        with zipfile.ZipFile(source) as old:
            members = {name: old.read(name) for name in old.namelist()}
        change(members, rng)
        with zipfile.ZipFile(source, "w", method) as new:
            for name, content in members.items():
                new.writestr(name, content)

    return mutate


_ARRAYS = ("camera0_rgb", "robot0_eef_pos", "robot0_eef_rot_axis_angle", "robot0_gripper_width")


def _described(members, rng, change: dict[str, Any]) -> None:
    name = f"data/{rng.choice(_ARRAYS)}/.zarray"
    members[name] = json.dumps(json.loads(members[name]) | change).encode()


def zarr_missing_member(members, rng):
    del members[rng.choice([name for name in members if not name.endswith((".zgroup", ".zattrs", "pose/.zarray"))])]


def zarr_wrong_type(members, rng):
    _described(members, rng, {"dtype": rng.choice(("<f8", "|O", "|S4", "<M8[ns]", ">f4", "nonsense", 3, None))})


def zarr_absurd_shape(members, rng):
    shape = rng.choice(([10**12, 3], [0, 3], [-4, 3], [11], [], [11, 3, 10**6, 10**6], "abc", [11, 10**9]))
    _described(members, rng, {"shape": shape})


def zarr_absurd_chunks(members, rng):
    chunks = rng.choice(([0, 3], [10**9, 3], [4], [-1, 3], [10**6, 10**6], [1, 1]))
    _described(members, rng, {"chunks": chunks})


def zarr_wrong_codec(members, rng):
    codec = rng.choice(({"id": "blosc"}, {"id": "zlib"}, {"id": "lzma"}, None, {"id": "imagecodecs_jpegxl"}, 5, {}))
    _described(members, rng, {"compressor": codec})


def zarr_bad_ends(members, rng):
    members["meta/episode_ends/.zarray"] = json.dumps(
        json.loads(members["meta/episode_ends/.zarray"]) | {"compressor": None}
    ).encode()
    ends = rng.choice(([0, 11], [11, 6], [-3, 11], [6, 10**15], [6, 6], [6, 10]))
    members["meta/episode_ends/0"] = np.array(ends, "<i8").tobytes()


def zarr_bad_values(members, rng):
    name = rng.choice(_ARRAYS[1:])
    described = json.loads(members[f"data/{name}/.zarray"])
    members[f"data/{name}/.zarray"] = json.dumps(described | {"compressor": None}).encode()
    chunks = [member for member in members if member.startswith(f"data/{name}/") and "/." not in member]
    for chunk in chunks:
        wrong = rng.choice((np.nan, np.inf, 1e20, 1e3))
        members[chunk] = np.full(described["chunks"], wrong, "<f4").tobytes()


def zarr_bomb(members, rng):
    """A member, or a picture, of a size that only unpacking shows."""
    name = rng.choice([name for name in members if name.startswith("data/camera0_rgb/0")])
    members[name] = bytes(50_000_000)


def zarr_bad_json(members, rng):
    text = rng.choice((b"", b"[" * 100000, b"{}", b"null", b"\xff\xfe", b'{"zarr_format": 3}'))
    members[rng.choice([name for name in members if name.endswith("/.zarray")])] = text


def zarr_swapped_chunks(members, rng):
    """Pictures in the place of numbers, and numbers in the place of pictures."""
    picture, number = "data/camera0_rgb/0.0.0.0", "data/robot0_eef_pos/0.0"
    members[picture], members[number] = members[number], members[picture]


def _table(change: Callable[[list[dict[str, Any]], random.Random], Any]) -> Mutate:
    def mutate(source: Path, rng: random.Random) -> None:
        file = source / f"episode_{rng.randrange(len(LENGTHS))}" / "poses.csv"
        with file.open() as text:
            names = text.readline().strip().split(",")
            rows = [dict(zip(names, line.strip().split(","), strict=True)) for line in text]
        change(rows, rng)
        if rows:
            foreign.write_table(file, rows)

    return mutate


def table_missing_column(rows, rng):
    name = rng.choice(list(rows[0]))
    for row in rows:
        del row[name]


def table_bad_cell(rows, rng):
    rng.choice(rows)[rng.choice(list(rows[0]))] = rng.choice(("", "nan", "inf", "1e999", "x", "0x10", "1,5", "1e30"))


def table_strange_column(rows, rng):
    name = rng.choice(("confidence", "actionn.j0", "state.j0"))
    for row in rows:
        row[name] = "1.0"


def table_bad_times(rows, rng):
    for number, row in enumerate(rows):
        row["timestamp"] = str(rng.choice((0.0, -number, number * 3.0, 5.0 - number)))


def table_short(rows, rng):
    del rows[1:]


def folder_missing_file(source: Path, rng: random.Random) -> None:
    rng.choice([path for path in source.rglob("*") if path.is_file() and path.name != "task.txt"]).unlink()


def folder_swapped_files(source: Path, rng: random.Random) -> None:
    shutil.copy(source / "episode_0/poses.csv", source / "episode_1/wrist.mp4")


def folder_json_bomb(source: Path, rng: random.Random) -> None:
    (source / "episode_0/poses.csv").unlink()
    (source / "episode_0/poses.json").write_text(rng.choice(("[" * 200_000, "{}", "[1]", "[{}]", "nul")))


def folder_foreign_video(source: Path, rng: random.Random) -> None:
    """Another length or size than the rest."""
    pixels = foreign.pictures(rng.choice(((16, 16), (32, 16), (8, 8))), rng.choice((1, 60)), 1)
    (source / "episode_1/front.mp4").write_bytes(foreign.video.encode(pixels, rng.choice((20, 7))))


def folder_stray_folder(source: Path, rng: random.Random) -> None:
    (source / "notes").mkdir()


_HDF5 = (
    *(hdf5_missing_key, hdf5_wrong_type, hdf5_wrong_shape, hdf5_absurd_shape, hdf5_bomb, hdf5_bad_values),
    *(hdf5_link_elsewhere, hdf5_external_storage, hdf5_loop, hdf5_bad_notes),
)
_ZARR = (
    *(zarr_missing_member, zarr_wrong_type, zarr_absurd_shape, zarr_absurd_chunks, zarr_wrong_codec, zarr_bad_ends),
    *(zarr_bad_values, zarr_bad_json, zarr_swapped_chunks),
)
_TABLE = (table_missing_column, table_bad_cell, table_strange_column, table_bad_times, table_short)
_FOLDER = (*(folder_missing_file, folder_swapped_files, folder_json_bomb, folder_foreign_video, folder_stray_folder),)
KINDS = {
    "robomimic": Kind(
        "robomimic",
        lambda folder: foreign.robomimic(folder / "demo.hdf5", LENGTHS),
        tuple(map(_hdf5, _HDF5)),
        references.robomimic,
    ),
    "umi-zarr": Kind(
        "umi-zarr",
        lambda folder: foreign.replay_buffer(folder / "demo.zarr.zip", foreign.umi_arrays(LENGTHS), LENGTHS),
        (*map(_zip, _ZARR), _zip(zarr_bomb, zipfile.ZIP_DEFLATED)),
        references.umi,
    ),
    "video-folder": Kind(
        "video-folder",
        lambda folder: foreign.video_folder(folder / "demo", LENGTHS),
        (*map(_table, _TABLE), *_FOLDER),
        references.video_folder,
    ),
}


# What came of it.


@dataclass(frozen=True)
class Outcome:
    """How a reading ended."""

    verdict: str
    """error, same, faithful (what the file now says), or else WRONG."""
    detail: str = ""


def mutated(kind: Kind, sound: Path, folder: Path, number: int) -> Path:
    """A copy of a sound source with damage number `number`: three of five to its bytes, the rest to its meaning."""
    rng = random.Random(number)
    target = folder / sound.name
    shutil.copytree(sound, target) if sound.is_dir() else shutil.copy(sound, target)
    choices = BYTES if number % 5 < 3 else kind.structured
    choices[number // 5 % len(choices)](target, rng)
    return target


def read_all(child: Child, source: Path, name: str) -> list[Episode]:
    """All episodes as they would be saved."""
    made = plan(FORMATS[find_format(name, source)](child, source, HINTS), None, None)
    return [made.episode(index) for index in range(len(made.times))]


def outcome(child: Child, kind: Kind, source: Path, sound: list[Episode]) -> Outcome:
    """Read a damaged source and judge what came out."""
    try:
        episodes = read_all(child, source, kind.name)
    except GlamError as error:
        text = str(error)
        return Outcome("error" if text.startswith(str(source)) and "\n" not in text else "WRONG", text)
    contents = [references.of_episode(episode) for episode in episodes]
    if references.equal(contents, [references.of_episode(episode) for episode in sound], 0.0):
        return Outcome("same")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the libraries warn of what they find
        try:
            wanted = kind.reference(source)
        except Exception as error:
            return Outcome("WRONG", f"read, but the format's own library refuses it: {error!r}")
    if references.equal(contents, wanted, 1e-5):
        return Outcome("faithful")
    return Outcome("WRONG", "read, but not as the format's own library reads it")
