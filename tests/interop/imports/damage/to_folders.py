"""Folders of videos and tables that are readable but lie."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.interop.imports import foreign
from tests.interop.imports.damage.mutate import Mutate


def _table(change: Callable[[list[dict[str, Any]], random.Random], Any]) -> Mutate:
    def mutate(source: Path, rng: random.Random) -> None:
        file = rng.choice(sorted(source.glob("episode_*"))) / "poses.csv"
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
    pixels = foreign.images(rng.choice(((16, 16), (32, 16), (8, 8))), rng.choice((1, 60)), 1)
    (source / "episode_1/front.mp4").write_bytes(foreign.image_codecs.encode_video(pixels, rng.choice((20, 7))))


def folder_stray_folder(source: Path, rng: random.Random) -> None:
    (source / "notes").mkdir()


_TABLES = (table_missing_column, table_bad_cell, table_strange_column, table_bad_times, table_short)
FOLDERS = (
    *map(_table, _TABLES),
    *(folder_missing_file, folder_swapped_files, folder_json_bomb, folder_foreign_video, folder_stray_folder),
)
