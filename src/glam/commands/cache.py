"""`glam cache`."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from glam.commands.console import bar, say
from glam.commands.engines import EngineName, pool_of
from glam.core.errors import GlamError


@dataclass(frozen=True)
class CacheList:
    """List decoded datasets and other cached files, the least recently used first."""

    def run(self) -> int:
        """Print one line for each entry, and the sum."""
        from glam.data.cache import default_folder
        from glam.data.cache_upkeep import entries, limit_bytes

        found = entries(default_folder())
        for entry in found:
            state = "in use" if entry.is_in_use else f"last used {entry.age_days:.1f} days ago"
            say(f"{entry.bytes / 1e6:10.1f} MB  {state:24s} {entry.path.name}")
        total = sum(entry.bytes for entry in found) / 1e9
        say(f"{len(found)} entries, {total:.2f} GB of at most {limit_bytes() / 1e9:g} GB (GLAM_CACHE_LIMIT_GB)")
        say(str(default_folder()))
        return 0


@dataclass(frozen=True)
class CachePrune:
    """Remove cached files by age or size, the least recently used first. They are made again when needed."""

    older_than_days: float | None = None
    """Remove entries that were not used for this many days."""
    keep_gb: float | None = None
    """Remove the least recently used entries until at most this many gigabytes are left; 0 removes all that are
    not in use."""

    def run(self) -> int:
        """Remove, and print what is gone."""
        from glam.data.cache import default_folder
        from glam.data.cache_upkeep import entries, removable, remove

        if self.older_than_days is None and self.keep_gb is None:
            raise GlamError("glam cache prune: give --older-than-days or --keep-gb; --keep-gb 0 removes all not in use")
        days, keep = (math.inf if value is None else value for value in (self.older_than_days, self.keep_gb))
        if days < 0 or keep < 0:
            raise GlamError("glam cache prune: --older-than-days and --keep-gb must be at least 0")
        chosen = removable(entries(default_folder()), keep * 1e9, days)
        gone = [entry for entry in chosen if remove(entry)]
        for entry in gone:
            say(f"removed {entry.path.name}")
        say(f"{len(gone)} entries removed, {sum(entry.bytes for entry in gone) / 1e9:.2f} GB")
        return 0


@dataclass(frozen=True)
class CacheDecode:
    """Decode datasets now; trainings do it by themselves, on one machine. What is in the cache already stays."""

    data: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="DIR...")]
    """Datasets to decode."""
    size: int = 64
    """Height and width of the images in pixels, as the training asks for them: 64 for most."""
    workers: int = 2
    """Processes on this machine."""
    engine: EngineName = "local"
    """local: on this machine; ray: on a Ray cluster that is running already (extra [cluster]), whose machines see all
    folders under the same paths, that of the cache too (GLAM_CACHE)."""

    def run(self) -> int:
        """Decode, and say where it went."""
        from glam.data.cache import decoded, default_folder
        from glam.data.reader import Dataset

        pool = pool_of(self.engine)
        for root in self.data:
            with bar(f"decoding {root}") as progress:
                decoded(Dataset.open(root), self.size, workers=self.workers, progress=progress, pool=pool)
        say(str(default_folder()))
        return 0


@dataclass(frozen=True)
class Cache:
    """Decode datasets, list or remove what is decoded. Commands keep the cache below GLAM_CACHE_LIMIT_GB (20)."""

    action: (
        Annotated[CacheList, tyro.conf.subcommand("list")]
        | Annotated[CachePrune, tyro.conf.subcommand("prune")]
        | Annotated[CacheDecode, tyro.conf.subcommand("decode")]
    )

    def run(self) -> int:
        """Do what was asked for."""
        return self.action.run()
