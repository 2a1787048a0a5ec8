"""Which GL library MuJoCo renders with. It reads `MUJOCO_GL` once, while it is being imported: choose before that."""

import ctypes
import os
import sys
from pathlib import Path

from glam.core.errors import GlamError

LIBRARIES = {"egl": ("libEGL.so.1",), "osmesa": ("libOSMesa.so.8", "libOSMesa.so.6")}
NOTE = Path(sys.prefix) / "glam-gl"
"""Where set-up notes the backend it has seen working."""


def choose_backend() -> None:
    """Set `MUJOCO_GL` to a library that renders without a display, unless the user has set it.

    Elsewhere than on Linux MuJoCo's own choice needs no display, and is left alone.
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


def _is_loadable(backend: str) -> bool:
    for library in LIBRARIES.get(backend, ()):
        try:
            ctypes.CDLL(library)
        except OSError:
            continue
        return True
    return False
