"""The GL library that MuJoCo renders with. MuJoCo reads `MUJOCO_GL` once, on import: choose before that."""

import ctypes
import os
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from glam.core.errors import GlamError

LIBRARIES = {"egl": ("libEGL.so.1",), "osmesa": ("libOSMesa.so.8", "libOSMesa.so.6")}
NOTE = Path(sys.prefix) / "glam-gl"
"""File in which set-up records the backend that worked."""


def choose_backend() -> None:
    """Set `MUJOCO_GL` to a library that renders without a display, unless the user has set it.

    Outside Linux MuJoCo's own choice needs no display, and is kept.
    """
    if "MUJOCO_GL" in os.environ or not sys.platform.startswith("linux"):
        return
    noted = NOTE.read_text(encoding="utf-8").strip() if NOTE.exists() else ""
    for backend in (noted, *LIBRARIES):
        if _is_loadable(backend):
            os.environ["MUJOCO_GL"] = backend
            return
    raise GlamError(
        "no GL library to render with: install libegl1, libegl-mesa0 and libgl1-mesa-dri (or libosmesa6), "
        "or set MUJOCO_GL to the one you have"
    )


def load_triton() -> None:
    """Load the library of triton, if it is installed, as with builds of torch for CUDA: before anything draws.

    It has an LLVM inside, and so has software OpenGL. If OpenGL's is the first, the process dies as soon as torch
    imports triton; if triton's is the first, both work.
    """
    found = find_spec("triton")
    for folder in (found and found.submodule_search_locations) or ():
        for library in Path(folder).glob("_C/libtriton*.so"):
            with suppress(OSError):  # torch will say so if it needs it
                ctypes.CDLL(str(library))


def _is_loadable(backend: str) -> bool:
    for library in LIBRARIES.get(backend, ()):
        try:
            ctypes.CDLL(library)
        except OSError:
            continue
        return True
    return False
