import sys

import numpy as np
import pytest
from tests.interop.imports import foreign
from tests.interop.imports.stores.arrays import NUMBERS

from glam.core.errors import GlamError
from glam.interop.imports.stores.hdf5 import Hdf5Store
from glam.interop.imports.stores.store import ArraySpec, array_spec
from glam.interop.imports.stores.zarr_v2 import ZarrStore


def test_only_lists_of_numbers_are_arrays():
    assert array_spec("a", (3, 2), np.dtype(">f8")) == ArraySpec((3, 2), "float64")
    for shape, dtype in (((), "f4"), ((3,), "O"), ((3,), "S4"), ((3,), "complex64")):
        with pytest.raises(GlamError, match=r"a is .* not a list of numbers"):
            array_spec("a", shape, np.dtype(dtype))


@pytest.mark.parametrize(("library", "store"), [("h5py", Hdf5Store), ("imagecodecs", ZarrStore)])
def test_a_library_that_is_not_installed_is_named_with_its_extra(tmp_path, monkeypatch, library, store):
    make = {"h5py": foreign.robomimic, "imagecodecs": lambda file: foreign.replay_buffer(file, {"a": NUMBERS})}
    file = make[library](tmp_path / "s.zip")
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(GlamError, match=rf"needs {library}; install it with pip install 'glam-robot\[import\]'"):
        store(file).read("data/a", 0, 1)
