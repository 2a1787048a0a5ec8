"""Zarr stores that are sound archives but lie."""

import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tests.interop.imports.damage.mutate import Mutate


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
    """A member, or an image, of a size that only unpacking shows."""
    name = rng.choice([name for name in members if name.startswith("data/camera0_rgb/0")])
    members[name] = bytes(50_000_000)


def zarr_bad_json(members, rng):
    text = rng.choice((b"", b"[" * 100000, b"{}", b"null", b"\xff\xfe", b'{"zarr_format": 3}'))
    members[rng.choice([name for name in members if name.endswith("/.zarray")])] = text


def zarr_swapped_chunks(members, rng):
    """Images in the place of numbers, and numbers in the place of images."""
    image, number = "data/camera0_rgb/0.0.0.0", "data/robot0_eef_pos/0.0"
    members[image], members[number] = members[number], members[image]


_PLAIN = (
    *(zarr_missing_member, zarr_wrong_type, zarr_absurd_shape, zarr_absurd_chunks, zarr_wrong_codec, zarr_bad_ends),
    *(zarr_bad_values, zarr_bad_json, zarr_swapped_chunks),
)
ZARR = (*map(_zip, _PLAIN), _zip(zarr_bomb, zipfile.ZIP_DEFLATED))
