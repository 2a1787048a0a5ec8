"""Ways to spoil copies of sound files so that they mean harm, with seals and digests made to fit."""

import gzip
import json
import os
import shutil
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from tests.data.spoiling import rewrite_rows, without_manifest

from glam.core import seals
from glam.data import layout, manifest, tables

Spoil = Callable[[Path], object]


def nothing(place: Path) -> None:
    """Leave all as it is: the harm is in the words of the command."""
    del place


def edited(name: str, change: Callable[[Any], Any]) -> Spoil:
    """Change a JSON file."""

    def spoil(place: Path) -> None:
        path = place / name
        value = json.loads(path.read_text())
        changed = change(value)
        path.write_text(json.dumps(value if changed is None else changed))

    return spoil


def replaced(name: str, content: Callable[[], bytes]) -> Spoil:
    """Put other bytes in the place of a file."""
    return lambda place: (place / name).write_bytes(content())


def listing(name: str) -> Spoil:
    """Let the manifest of a dataset, with its digest made to fit, list a file of another name."""

    def spoil(place: Path) -> None:
        found, _ = manifest.read(place / "target")
        found.files[name] = "0" * 64
        manifest.write(place / "target", found)

    return spoil


def sealed(folder: str, name: str, content: Callable[[], bytes]) -> Spoil:
    """Put other bytes in the place of a sealed file, under a seal that fits."""

    def spoil(place: Path) -> None:
        root = place / folder
        seals.write(root, {name: content()}, also=[other for other in seals.digests(root) if other != name])

    return spoil


def resealed(folder: str, name: str, change: Callable[[Any], Any]) -> Spoil:
    """Change a sealed JSON file, under a seal that fits."""

    def spoil(place: Path) -> None:
        value = json.loads((place / folder / name).read_text())
        changed = change(value)
        content = json.dumps(value if changed is None else changed).encode()
        sealed(folder, name, lambda: content)(place)

    return spoil


def link(name: str, to: str = "../outside/secret.txt") -> Spoil:
    """Put a link in the place of a file or folder."""

    def spoil(place: Path) -> None:
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        path.symlink_to((place / to).resolve())

    return spoil


def fifo(name: str) -> Spoil:
    """Put a pipe that nobody writes to in the place of a file."""

    def spoil(place: Path) -> None:
        (place / name).unlink(missing_ok=True)
        os.mkfifo(place / name)

    return spoil


def rows_of_nothing(name: str, columns: tuple[str, ...], rows: int) -> Spoil:
    """A small Parquet file that unpacks to a great many rows."""

    def spoil(place: Path) -> None:
        part = pa.table({column: pa.array(np.zeros(1_000_000, np.int64)) for column in columns})
        with pq.ParquetWriter(place / name, part.schema, compression="zstd") as writer:
            for _ in range(rows // 1_000_000):
                writer.write_table(part)

    return spoil


def values(key: str, number: float) -> Spoil:
    """A dataset of others in which one number is absurd."""

    def spoil(place: Path) -> None:
        root = without_manifest(place / "target")
        column = pq.read_table(root / layout.data_file(1), use_threads=False)[key].to_pylist()
        column[2][0] = number
        rewrite_rows(root, 1, **{key: pa.array(column, pa.list_(pa.float32()))})

    return spoil


def image_bomb(place: Path) -> None:
    """A mask of 20,000 x 20,000 pixels in a few bytes."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack("!I", len(content)) + kind + content + struct.pack("!I", zlib.crc32(kind + content))

    size = 20_000
    head = chunk(b"IHDR", struct.pack("!IIBBBBB", size, size, 8, 0, 0, 0, 0))
    body = chunk(b"IDAT", zlib.compress(bytes(size * (size + 1)), 1))
    content = b"\x89PNG\r\n\x1a\n" + head + body + chunk(b"IEND", b"")
    root = without_manifest(place / "target")
    cells = pq.read_table(root / layout.data_file(1), use_threads=False)["observation.masks.front"].to_pylist()
    cells[1] = {"bytes": content, "path": None}
    rewrite_rows(root, 1, **{"observation.masks.front": pa.array(cells, tables.IMAGE)})


class Trap:
    """What a pickle does when it is loaded."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return (os.system, ("echo caught > trapped.txt",))


def tensors(header: dict[str, Any], announced: int = 0) -> bytes:
    """A safetensors file of any header."""
    text = json.dumps(header).encode()
    return struct.pack("<Q", announced or len(text)) + text


def tensor(shape: list[int], offsets: list[int]) -> dict[str, Any]:
    """A tensor in the header of a safetensors file."""
    return {"dtype": "F32", "shape": shape, "data_offsets": offsets}


def slipping_archive(place: Path) -> None:
    """A recording whose members lead elsewhere."""
    with zipfile.ZipFile(place / "demo.zarr.zip", "w") as archive:
        archive.writestr(".zgroup", '{"zarr_format": 2}')
        archive.writestr("../outside/secret.txt", "changed")
        archive.writestr("data/../../outside/new.txt", "made")


def large_archive(place: Path) -> None:
    """An archive of a few bytes, whose first file is said to have terabytes."""
    member = tarfile.TarInfo("package/encoder.ort")
    member.size = 1 << 42
    (place / "weights.tgz").write_bytes(gzip.compress(member.tobuf(format=tarfile.GNU_FORMAT)))


def set_in(*path: str, to: object) -> Callable[[Any], None]:
    """A change of one value deep in a document."""

    def change(document: Any) -> None:
        for name in path[:-1]:
            document = document.setdefault(name, {})
        document[path[-1]] = to

    return change


ENTITIES = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9))
MODELS = {
    "entity bomb.urdf": f'<!DOCTYPE r [<!ENTITY a0 "aaaaaaaaaa">{ENTITIES}]><robot name="&a9;"/>',
    "outer entity.urdf": '<!DOCTYPE r [<!ENTITY x SYSTEM "../outside/secret.txt">]><robot name="&x;"/>',
    "deep.urdf": "<robot>" + "<link>" * 100_000,
    "none.urdf": "no model at all",
    "include.xml": '<mujoco><include file="../outside/secret.txt"/></mujoco>',
    "replicate.xml": '<mujoco><worldbody><replicate count="100000000"><geom/></replicate></worldbody></mujoco>',
    "asset.xml": '<mujoco><asset><mesh file="../outside/secret.txt"/></asset></mujoco>',
    "huge.xml": '<mujoco><size memory="900G"/><worldbody><geom size="1"/></worldbody></mujoco>',
}
