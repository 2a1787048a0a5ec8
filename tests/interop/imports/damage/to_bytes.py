"""Damage to the bytes of any file."""

import random
from collections.abc import Callable
from pathlib import Path

from tests.interop.imports.damage.mutate import Mutate


def _spoil(change: Callable[[bytearray, random.Random], bytes]) -> Mutate:
    def mutate(source: Path, rng: random.Random) -> None:
        inside = source.rglob("*") if source.is_dir() else (source,)
        files = sorted(path for path in inside if path.is_file() and path.stat().st_size)
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
