"""Damage of every kind to foreign recordings, and what came of reading them."""

import random
import shutil
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.interop.imports import foreign, references
from tests.interop.imports.damage.mutate import Mutate
from tests.interop.imports.damage.to_bytes import BYTES
from tests.interop.imports.damage.to_folders import FOLDERS
from tests.interop.imports.damage.to_hdf5 import HDF5
from tests.interop.imports.damage.to_zarr import ZARR

from glam.core.errors import GlamError
from glam.data.schema import Episode
from glam.interop.imports.conversion import plan
from glam.interop.imports.formats import find_importer
from glam.interop.imports.reader_client import ReaderClient
from glam.interop.imports.recordings import Hints

HINTS = Hints(source_rate=foreign.RATE)
LENGTHS = (6, 5)


@dataclass(frozen=True)
class Kind:
    """A format with everything that is done to its files."""

    name: str
    make: Callable[[Path], Path]
    structured: tuple[Mutate, ...]
    reference: Callable[[Path], list[references.Content]]


KINDS = {
    "robomimic": Kind(
        "robomimic",
        lambda folder: foreign.robomimic(folder / "demo.hdf5", LENGTHS),
        HDF5,
        references.robomimic,
    ),
    "umi-zarr": Kind(
        "umi-zarr",
        lambda folder: foreign.replay_buffer(folder / "demo.zarr.zip", foreign.umi_arrays(LENGTHS), LENGTHS),
        ZARR,
        references.umi,
    ),
    "video-folder": Kind(
        "video-folder",
        lambda folder: foreign.video_folder(folder / "demo", LENGTHS),
        FOLDERS,
        references.video_folder,
    ),
}


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


def read_all(reader: ReaderClient, source: Path, name: str) -> list[Episode]:
    """All episodes as they would be saved."""
    made = plan(find_importer(name, source)[1].read(reader, source, HINTS), None, None)
    return [made.episode(index) for index in range(len(made.times))]


def outcome(reader: ReaderClient, kind: Kind, source: Path, sound: list[Episode]) -> Outcome:
    """Read a damaged source and judge what came out."""
    try:
        episodes = read_all(reader, source, kind.name)
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
