"""Registry of the formats that `glam data convert` reads: one line for each importer.

An importer is one module with a constant `IMPORTER`; `docs/add_an_importer.md` shows how to write one. Modules are
imported when they are needed, so that names and summaries are at hand quickly for `--help`.
"""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from glam.core.errors import GlamError, UnknownNameError
from glam.core.files import open_plain

if TYPE_CHECKING:
    from glam.interop.imports.recordings import Importer


@dataclass(frozen=True)
class ImportFormat:
    """Entry of the registry."""

    module: str
    """Module with the constant `IMPORTER`."""
    summary: str
    """What SRC is in this format, in a few words for `--help`."""

    def importer(self) -> "Importer":
        """Import the module."""
        return import_module(self.module).IMPORTER


FORMATS = {
    "robomimic": ImportFormat("glam.interop.imports.robomimic", "HDF5 file of robomimic"),
    "umi-zarr": ImportFormat("glam.interop.imports.umi_zarr", "zarr store of UMI or diffusion policy (.zarr.zip)"),
    "video-folder": ImportFormat("glam.interop.imports.video_folder", "folder of videos and pose tables"),
}
AUTO = "auto"
_LEROBOT = "meta/info.json"


def find_importer(name: str, source: Path) -> "tuple[str, Importer]":
    """Format and importer by the name of the format; with `AUTO`, the first importer that recognizes the source."""
    if not source.exists():
        raise GlamError(f"{source}: no such file or folder")
    if not source.is_dir():
        open_plain(source).close()  # refuses a pipe or a device, before an importer looks inside
    if (source / _LEROBOT).exists():
        raise GlamError(f"{source}: is a LeRobot dataset; use glam data adopt {source} --out DIR instead of convert")
    if name not in (AUTO, *FORMATS):
        raise UnknownNameError("format", name, tuple(FORMATS))
    found = _recognized(source) if name == AUTO else name
    importer, kind = FORMATS[found].importer(), "folder" if source.is_dir() else "file"
    if kind not in importer.takes:
        raise GlamError(f"{source}: is a {kind}; --format {found} takes a {' or a '.join(importer.takes)}")
    return found, importer


def _recognized(source: Path) -> str:
    for name, entry in FORMATS.items():
        if entry.importer().recognizes(source):
            return name
    raise GlamError(f"{source}: no known format; name it with --format, one of {', '.join(FORMATS)}")
