"""The formats that are read, and which one a path is in."""

import zipfile
from collections.abc import Callable
from pathlib import Path

from glam.core.errors import GlamError, UnknownNameError
from glam.interop.imports import robomimic, umi_zarr, video_folder
from glam.interop.imports.child import Child
from glam.interop.imports.recordings import Hints, Recording

FORMATS: dict[str, Callable[[Child, Path, Hints], Recording]] = {
    "robomimic": robomimic.read,
    "umi-zarr": umi_zarr.read,
    "video-folder": video_folder.read,
}
AUTO = "auto"
_HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_HDF5_ENDINGS = (".hdf5", ".h5")


def find_format(name: str, source: Path) -> str:
    """The format by its name, or by what lies at the path when the name is `AUTO`."""
    if not source.exists():
        raise GlamError(f"{source}: no such file or folder")
    if name not in (AUTO, *FORMATS):
        raise UnknownNameError("format", name, tuple(FORMATS))
    found = _guess(source) if name == AUTO else name
    if not found:
        raise GlamError(f"{source}: is in no known format; choose one with --from: {', '.join(FORMATS)}")
    wants_folder = {"robomimic": (False,), "umi-zarr": (False, True), "video-folder": (True,)}[found]
    if source.is_dir() not in wants_folder:
        raise GlamError(f"{source}: is a {'folder' if source.is_dir() else 'file'}, which {found} cannot be")
    return found


def _guess(source: Path) -> str:
    if source.is_dir():
        if any((source / name).exists() for name in (".zgroup", ".zmetadata", "zarr.json")):
            return "umi-zarr"
        return "video-folder" if any(map(_is_episode, video_folder.episode_folders(source))) else ""
    with source.open("rb") as file:
        is_hdf5 = file.read(len(_HDF5_SIGNATURE)) == _HDF5_SIGNATURE
    if is_hdf5 or source.suffix.lower() in _HDF5_ENDINGS:
        return "robomimic"
    return "umi-zarr" if zipfile.is_zipfile(source) or source.name.endswith((".zarr.zip", ".zarr")) else ""


def _is_episode(folder: Path) -> bool:
    return any(path.suffix.lower() in video_folder.VIDEOS for path in folder.iterdir())
