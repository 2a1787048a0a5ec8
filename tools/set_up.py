"""Set up `.venv`: the pinned packages, GLAM and its client as editable, and a GL library that needs no display.

Does nothing when nothing changed. Runs under the system's Python with the standard library only, and keeps to a syntax
that old versions parse, so that they get an error message rather than a syntax error.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from ensure_gl import ensure
from system_packages import SetUpError, apt_install

OLDEST = (3, 11)
VENV = Path(".venv")
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "glam-ready"
LOG = VENV / "glam-install.log"
CLIENT = "packages/glam_client"
HASHES = "hashes.txt"
INPUTS = ("pyproject.toml", "constraints.txt", HASHES, CLIENT + "/pyproject.toml")


def main():
    """Bring the virtual environment of the project up to date."""
    os.chdir(str(Path(__file__).resolve().parent.parent))
    with open(INPUTS[0]) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two `make` at once would break each other's installation
        if not is_ready():
            make_environment()
            install()
        ensure(PYTHON)


def is_ready():
    """Return whether the installation was made from these inputs at this place."""
    return STAMP.exists() and STAMP.read_text() == wanted() and runs(PYTHON)


def wanted():
    """Content of the stamp of a finished installation, with the folder: an editable installation points to it."""
    content = b"".join(Path(name).read_bytes() for name in INPUTS)
    return f"{hashlib.sha256(content).hexdigest()} {Path.cwd()}\n"


def runs(python):
    """Return whether `python` exists, starts and has pip: an interrupted creation leaves it without."""
    if not python.exists():
        return False
    return subprocess.run([str(python), "-c", "import pip"], stderr=subprocess.DEVNULL, check=False).returncode == 0


def make_environment():
    """Create `.venv` unless a working one is there."""
    if runs(PYTHON):
        return
    if sys.version_info < OLDEST:
        found = ".".join(str(part) for part in sys.version_info[:3])
        raise SetUpError(
            f"GLAM needs Python 3.11 or newer but {sys.executable} is {found}: "
            "please install a newer one and name it, as in `make PYTHON=python3.11 test`."
        )
    try:
        from ensurepip import version  # noqa: F401, PLC0415  Debian ships it in a package of its own
    except ImportError:
        apt_install(["python3-venv"], "Python lacks its venv module")
    print("Creating .venv", flush=True)
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    if subprocess.run(command, check=False).returncode != 0:
        raise SetUpError(f"{' '.join(command)} failed: please see the message above.")


def install():
    """Install the pinned packages, whose files must be those that we tested; then torch, GLAM and its client.

    Builds of torch differ between machines, so that it is pinned by its version alone. `HASHES=no` is for sources that
    build packages themselves.
    """
    print("Installing the pinned packages into .venv (the first time takes a few minutes)", flush=True)
    LOG.write_text("")
    if os.environ.get("HASHES") == "no":
        pip("hatchling")  # first, so that pip fetches no other build backend
    else:
        pip("--require-hashes", "--no-deps", "--requirement", HASHES)
    pip("--no-build-isolation", "--editable", CLIENT, "--editable", ".[dev]")
    STAMP.write_text(wanted())


def pip(*arguments):
    """Run `pip install` with our constraints; its output goes to a log, its progress to one line of the terminal."""
    command = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    command += ["--constraint", "constraints.txt", *arguments]
    with LOG.open("a") as log, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as process:
        for line in process.stdout:
            log.write(line)
            show(line.strip())
    show("")
    if process.returncode != 0:
        errors = [line for line in LOG.read_text().splitlines() if line.startswith("ERROR")]
        raise SetUpError("\n".join([*errors, f"Installing the packages failed: please see {LOG}, then try again."]))


def show(line):
    """Overwrite the current line of a terminal; does nothing without a terminal."""
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns - 1
        print("\r" + line[:width].ljust(width) + "\r", end="", flush=True)


if __name__ == "__main__":
    try:
        main()
    except SetUpError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("Interrupted; the same command resumes.")
