import json

import h5py
import numpy as np
import pytest
from tests.data import tiny
from tests.interop.imports import foreign
from tests.interop.imports.stores.arrays import NUMBERS

from glam.core.errors import GlamError
from glam.interop.imports.stores.hdf5 import Hdf5Store
from glam.interop.imports.stores.store import ArraySpec


def test_hdf5_is_listed_in_the_order_of_its_numbers(tmp_path):
    store = Hdf5Store(foreign.robomimic(tmp_path / "demo.hdf5", (3,) * 11))
    assert store.notes["demos"][-2:] == ["demo_9", "demo_10"]
    assert store.notes["samples"]["demo_10"] == 3
    assert json.loads(store.notes["env_args"])["env_name"] == "Lift"
    assert store.arrays["demo_1/obs/agentview_image"] == ArraySpec((3, 16, 16, 3), "uint8")
    assert np.array_equal(store.read("demo_1/obs/agentview_image", 1, 3), tiny.images((16, 16), 3, 2)[1:])


def test_other_files_are_not_brought_in_through_hdf5(tmp_path):
    secret = tmp_path / "secret.hdf5"
    with h5py.File(secret, "w") as other:
        other["x"] = NUMBERS
    file = foreign.robomimic(tmp_path / "demo.hdf5", (20,))
    with h5py.File(file, "r+") as content:
        obs = content["data/demo_0/obs"]
        obs["external"] = h5py.ExternalLink(str(secret), "/x")
        obs["soft"] = h5py.SoftLink("/data/demo_0/actions")
        layout = h5py.VirtualLayout((20, 3), "f4")
        layout[:] = h5py.VirtualSource(str(secret), "x", (20, 3))
        obs.create_virtual_dataset("virtual", layout)
        obs.create_dataset("outside", shape=(20, 3), dtype="f4", external=[(str(tmp_path / "raw"), 0, 240)])
    store = Hdf5Store(file)
    for name in ("external", "soft", "virtual", "outside"):
        assert f"demo_0/obs/{name}" not in store.arrays
        assert "elsewhere" in store.notes["unusable"][f"demo_0/obs/{name}"] or name in ("virtual", "outside")
        assert f"/data/demo_0/obs/{name} " in store.notes["unusable"][f"demo_0/obs/{name}"]


@pytest.mark.parametrize("chunks", [None, (4, 3)])
def test_hdf5_arrays_that_were_never_written_are_refused(tmp_path, chunks):
    file = foreign.robomimic(tmp_path / "demo.hdf5", (8,))
    with h5py.File(file, "r+") as content:
        content["data/demo_0/obs"].create_dataset("empty", shape=(8, 3), dtype="f4", chunks=chunks)
        if chunks:
            content["data/demo_0/obs/empty"][:4] = 1.0
    with pytest.raises(GlamError, match="empty is not written completely"):
        Hdf5Store(file).read("demo_0/obs/empty", 0, 4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda file: file.pop("data"), "has no /data"),
        (lambda file: file["data/demo_0"].pop("obs"), "has no /data/demo_0/obs"),
        (lambda file: (file.pop("data"), file.create_dataset("data", data=[1])), "/data is not a group"),
    ],
)
def test_what_is_missing_in_hdf5_is_named(tmp_path, change, message):
    file = foreign.robomimic(tmp_path / "demo.hdf5", (5,))
    with h5py.File(file, "r+") as content:
        change(content)
    with pytest.raises(GlamError, match=message):
        Hdf5Store(file)


def test_what_is_no_hdf5_is_refused(tmp_path):
    (tmp_path / "a.hdf5").write_bytes(b"nothing")
    with pytest.raises(GlamError, match="not a sound HDF5 file"):
        Hdf5Store(tmp_path / "a.hdf5")
