"""A robot's model file, compiled for its links and joints alone.

A file of a few lines can unroll to a hundred million parts, or end the process that reads it. So it is read in a
process of its own first, with little memory and time: `python model_file.py FILE TOOL`.
"""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import mujoco

from glam.core.errors import GlamError
from glam.core.files import read_bytes
from glam.core.workers import restrict

MOST_MEMORY = 256 << 20
"""Bytes that reading a model may take; without meshes a humanoid takes a few percent of it."""
MOST_SECONDS = 3
"""Of a processor, for what takes milliseconds."""
_PATIENCE = 120.0
"""Seconds on a busy machine."""
_LEAST_MASS = 1e-3
"""MuJoCo requires a mass of every moving link; the kinematics does not depend on it."""


def compiled(path: Path, tool: str) -> mujoco.MjModel:
    """The model in a URDF or MJCF, with a site called `tool` on the link of that name."""
    if not path.is_file():
        raise GlamError(f"{path}: no such file; --kinematics takes a URDF or MJCF")
    _require_harmless(path, tool)
    return _compiled(path, tool)


_harmless: set[bytes] = set()
"""Digests of files that were tried, and that name no other file."""


def _require_harmless(path: Path, tool: str) -> None:
    content = read_bytes(path)
    digest, names_others = sha256(content).digest(), any(word in content for word in (b"<include", b"<model"))
    if names_others or digest not in _harmless:
        _try(path, tool)
        _harmless.add(digest)


def _try(path: Path, tool: str) -> None:
    # -P: no code from the current folder, in which files from elsewhere may lie. A path after it is no option.
    words = (sys.executable, "-B", "-P", __file__, str(path.absolute()), tool)
    try:
        code = subprocess.run(words, check=False, capture_output=True, timeout=_PATIENCE).returncode
    except subprocess.TimeoutExpired:
        code = 1
    if code:
        limits = f"{MOST_MEMORY >> 20} MB of memory and {MOST_SECONDS} s"
        raise GlamError(f"{path}: ends the process that reads it, or needs more than {limits}; give a plain model")


def _compiled(path: Path, tool: str) -> mujoco.MjModel:
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        _strip(spec)
        link = spec.body(tool)
        if spec.site(tool) is None and link is not None:
            link.add_site(name=tool)
        return spec.compile()
    except (ValueError, mujoco.FatalError) as error:
        reason = " ".join(str(error).split())[:200]
        raise GlamError(f"{path}: not a URDF or MJCF that MuJoCo reads ({reason})") from None


def _strip(spec: mujoco.MjSpec) -> None:
    """Keep links, sites and joints alone; also links that are fixed to others, since one of them may be the tool."""
    for part in (*spec.sensors, *spec.actuators, *spec.tendons, *spec.equalities, *spec.pairs, *spec.excludes):
        spec.delete(part)
    for part in (*spec.keys, *spec.geoms, *spec.skins, *spec.flexes, *spec.meshes, *spec.hfields):
        spec.delete(part)
    for part in (*spec.materials, *spec.textures):
        spec.delete(part)
    for number, joint in enumerate(spec.joints):
        joint.name = joint.name or f"joint {number}"
    spec.compiler.fusestatic = False
    spec.compiler.boundmass, spec.compiler.boundinertia = _LEAST_MASS, _LEAST_MASS


def _try_out() -> None:
    """Read the file of the command line; what is merely no model will be said by whoever reads it next."""
    restrict(MOST_MEMORY, MOST_SECONDS)
    try:
        mujoco.MjData(_compiled(Path(sys.argv[1]), sys.argv[2]))
    except GlamError:
        return


if __name__ == "__main__":
    _try_out()
