"""HDF5 in the layout of robomimic: `data/demo_<i>/actions` and `data/demo_<i>/obs/<key>`.

A file may point to other files: by links, external storage or virtual datasets. None of these is followed, so that a
file from elsewhere cannot bring the user's other files into a dataset.
"""

import re
from math import ceil, prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.interop.imports.stores.store import ArraySpec, array_spec, lacking

_DEMO = re.compile(r"demo_(\d{1,9})")
_MOST_ARRAYS = 1_000_000
_LONGEST_NOTE = 1 << 20


class Hdf5Store:
    """An open robomimic file; its arrays are called `demo_0/actions` and `demo_0/obs/agentview_image`."""

    def __init__(self, path: Path) -> None:
        try:
            import h5py  # noqa: PLC0415  an optional dependency
        except ImportError:
            raise lacking("h5py", "HDF5") from None
        self._h5py = h5py
        try:
            self._file = h5py.File(path, "r", locking="best-effort")
        except OSError as error:
            raise GlamError(f"not a sound HDF5 file ({str(error).splitlines()[0]})") from None
        self.arrays: dict[str, ArraySpec] = {}
        self.notes: dict[str, Any] = {"unusable": {}}
        data = self._member(self._file, "data", h5py.Group)
        demos = sorted((name for name in data if _DEMO.fullmatch(name)), key=lambda name: int(name[5:]))
        self.notes |= {"demos": demos, "total": self._note(data, "total"), "env_args": self._note(data, "env_args")}
        self.notes["samples"] = {demo: self._list(demo, self._member(data, demo, h5py.Group)) for demo in demos}

    def read(self, name: str, start: int, stop: int) -> NDArray[Any]:
        """Part of an array that was listed."""
        group: Any = self._file["data"]
        *folders, last = name.split("/")
        for folder in folders:
            group = self._member(group, folder, self._h5py.Group)
        dataset = self._member(group, last, self._h5py.Dataset)
        _require_written(dataset)
        return np.asarray(dataset[start:stop])

    def _list(self, demo: str, group: Any) -> Any:
        """Note the arrays of a demonstration; returns how many samples it claims to have."""
        if "actions" in group:
            self._add(f"{demo}/actions", group, "actions")
        observations = self._member(group, "obs", self._h5py.Group)
        for name in observations:
            self._add(f"{demo}/obs/{name}", observations, name)
        if len(self.arrays) > _MOST_ARRAYS:
            raise GlamError(f"holds more than {_MOST_ARRAYS} arrays")
        return self._note(group, "num_samples")

    def _add(self, name: str, group: Any, key: str) -> None:
        try:
            dataset = self._member(group, key, self._h5py.Dataset)
            if dataset.is_virtual or dataset.external:
                raise GlamError(f"{dataset.name} keeps its content in another file")
            self.arrays[name] = array_spec(dataset.name, dataset.shape or (), dataset.dtype)
        except GlamError as error:
            self.notes["unusable"][name] = str(error)

    def _member(self, group: Any, name: str, kind: type) -> Any:
        link = group.get(name, getlink=True)
        where = f"{group.name.rstrip('/')}/{name}"
        if link is None:
            raise GlamError(f"has no {where}")
        if not isinstance(link, self._h5py.HardLink):
            raise GlamError(f"{where} is a link to elsewhere, which is not followed")
        member = group[name]
        if not isinstance(member, kind):
            raise GlamError(f"{where} is not a {kind.__name__.lower()}")
        return member

    def _note(self, group: Any, name: str) -> Any:
        """An attribute that is a text or a whole number; absent when it is neither."""
        if name not in group.attrs or group.attrs.get_id(name).get_storage_size() > _LONGEST_NOTE:
            return None
        value = group.attrs[name]
        if isinstance(value, bytes):
            return value.decode("utf-8", "replace")
        if isinstance(value, str):
            return value
        return int(value) if np.ndim(value) == 0 and np.asarray(value).dtype.kind in "iu" else None


def _require_written(dataset: Any) -> None:
    """HDF5 gives zeros for what was never written, or for what a damaged index no longer finds."""
    if not dataset.size:
        return
    if dataset.chunks is None:
        is_whole = dataset.id.get_storage_size() >= dataset.size * dataset.dtype.itemsize
    else:
        wanted = prod(ceil(side / chunk) for side, chunk in zip(dataset.shape, dataset.chunks, strict=True))
        is_whole = dataset.id.get_num_chunks() == wanted
    if not is_whole:
        raise GlamError(f"{dataset.name} is not written completely")
