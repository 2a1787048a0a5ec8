"""Make sure that MuJoCo can render without a display, and record which library it should use.

The name, `egl` or `osmesa`, is written to the file `glam-gl` of the virtual environment, where `glam.sim.gl` reads it.
Standard library only: this runs before anything is installed.
"""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

from system_packages import SetUpError, apt_install

# The same as in glam.sim.gl, which cannot be imported before MuJoCo can be.
LIBRARIES = {"egl": ("libEGL.so.1",), "osmesa": ("libOSMesa.so.8", "libOSMesa.so.6")}
PACKAGES = {"egl": ("libegl1", "libegl-mesa0", "libgl1-mesa-dri"), "osmesa": ("libosmesa6",)}
NOTE = "glam-gl"
PROBE = "import mujoco; context = mujoco.GLContext(16, 16); context.make_current(); context.free()"


def ensure(python):
    """Return the backend that works for the interpreter `python` of a virtual environment; install one if none does."""
    if not sys.platform.startswith("linux"):
        return "the system's own"  # MuJoCo knows what to use there
    note = Path(python).parent.parent / NOTE
    noted = note.read_text().strip() if note.exists() else ""
    if is_loadable(noted):
        return noted
    backend = first_working(python) or install_one(python)
    note.write_text(backend + "\n")
    return backend


def is_loadable(backend):
    """Return whether the library of `backend` can be loaded; false for an unknown name."""
    for library in LIBRARIES.get(backend, ()):
        try:
            ctypes.CDLL(library)
        except OSError:
            continue
        return True
    return False


def first_working(python):
    """Return the first backend that gives a context, or an empty string."""
    return next((backend for backend in LIBRARIES if is_loadable(backend) and gives_context(python, backend)), "")


def gives_context(python, backend):
    """Return whether MuJoCo gets a GL context from `backend`; in a child process: a broken driver may crash it."""
    environment = {name: value for name, value in os.environ.items() if name != "PYOPENGL_PLATFORM"}
    environment["MUJOCO_GL"] = backend
    command = [str(python), "-c", PROBE]
    try:
        child = subprocess.run(command, env=environment, capture_output=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return False
    return child.returncode == 0


def install_one(python):
    """Install EGL, and OSMesa if that does not help; return the one that works."""
    for backend, packages in PACKAGES.items():
        apt_install(packages, "MuJoCo needs a software GL library")
        if gives_context(python, backend):
            return backend
    raise SetUpError("MuJoCo gets no GL context although EGL and OSMesa are installed: please check the GL drivers.")


if __name__ == "__main__":
    try:
        print(ensure(sys.executable))
    except SetUpError as error:
        sys.exit(str(error))
