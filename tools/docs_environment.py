"""Make `.docs-venv` ready: what the documentation site is built with, the extra [docs], and nothing else of GLAM.

It is a folder of its own because the site needs neither torch nor MuJoCo: the reference is read from the source without
importing it. Costs nothing when nothing changed. Standard library only.
"""

import os
import subprocess
import sys
from pathlib import Path

from set_up import OLDEST, runs
from system_packages import SetUpError, apt_install

VENV = Path(".docs-venv")
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "ready"
LOG = VENV / "install.log"
CONSTRAINTS = "constraints.txt"


def main():
    """Bring the environment up to date."""
    os.chdir(str(Path(__file__).resolve().parent.parent))
    if sys.version_info < OLDEST:
        raise SetUpError("GLAM needs Python 3.11 or newer: please name one, as in `make PYTHON=python3.11 docs`.")
    packages = wanted()
    stamp = "\n".join([*packages, Path(CONSTRAINTS).read_text()])
    if STAMP.exists() and STAMP.read_text() == stamp and runs(PYTHON):
        return
    make_environment()
    install(packages)
    STAMP.write_text(stamp)


def wanted():
    """The packages of the extra."""
    import tomllib  # noqa: PLC0415  an older Python gets its sentence first

    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project["optional-dependencies"]["docs"]


def make_environment():
    """Create the folder unless a working one is there."""
    if runs(PYTHON):
        return
    try:
        from ensurepip import version  # noqa: F401, PLC0415  Debian ships it in a package of its own
    except ImportError:
        apt_install(["python3-venv"], "Python lacks its venv module")
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    if subprocess.run(command, check=False).returncode != 0:
        raise SetUpError(f"{' '.join(command)} failed: please see the message above.")


def install(packages):
    """Install the pinned packages; pip's output goes to a log."""
    print(f"Installing what builds the documentation into {VENV} (once, a minute)", flush=True)
    command = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    command += ["--constraint", CONSTRAINTS, *packages]
    with LOG.open("w") as log:
        code = subprocess.run(command, stdout=log, stderr=log, check=False).returncode
    if code != 0:
        raise SetUpError(f"Installing the packages failed: please see {LOG}, then try again.")


if __name__ == "__main__":
    try:
        main()
    except SetUpError as error:
        sys.exit(str(error))
