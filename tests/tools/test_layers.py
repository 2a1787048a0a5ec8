"""The import contracts of `pyproject.toml` hold what they promise, tried on a package made for the purpose."""

import subprocess
import sys
from pathlib import Path

import pytest

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
LINT = "from importlinter.cli import lint_imports_command as lint; lint()"
PACKAGES = ("core", "data", "nn", "training", "sim", "reports", "interop", "stages")


def is_accepted(folder: Path, modules: dict[str, str]) -> bool:
    """Whether the contracts accept these modules, given as name and source, beside empty packages."""
    for package in ("", *PACKAGES):
        (folder / "glam" / package).mkdir(exist_ok=True)
        (folder / "glam" / package / "__init__.py").touch()
    for name, source in modules.items():
        (folder / "glam" / name).parent.mkdir(exist_ok=True)
        (folder / "glam" / name).write_text(source + "\n")
    command = [sys.executable, "-c", LINT, "--config", str(PYPROJECT), "--no-cache"]
    child = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert "Contracts: " in child.stdout, child.stdout + child.stderr
    return child.returncode == 0


def test_imports_downwards_are_accepted(tmp_path):
    modules = {
        "stages/collect.py": "from glam.sim import scene\nfrom glam.training import fit",
        "sim/scene.py": "import mujoco\nimport mink\nfrom glam.data import schema",
        "training/fit.py": "import torch",
        "data/schema.py": "from glam.core import errors",
        "core/errors.py": "import numpy",
    }
    assert is_accepted(tmp_path, modules)


@pytest.mark.parametrize(
    "modules",
    [
        pytest.param({"core/x.py": "import glam.data.y", "data/y.py": ""}, id="upwards"),
        pytest.param({"reports/x.py": "import glam.interop.y", "interop/y.py": ""}, id="sideways"),
        pytest.param({"data/x.py": "import torch"}, id="torch in data"),
        pytest.param({"sim/x.py": "import glam.training.y", "training/y.py": "import torch"}, id="torch by a detour"),
        pytest.param({"reports/x.py": "import mujoco"}, id="mujoco outside sim"),
        pytest.param({"nn/x.py": "import torchvision"}, id="a framework"),
        pytest.param({"utils/__init__.py": ""}, id="a package outside the layers"),
    ],
)
def test_other_imports_are_not(tmp_path, modules):
    assert not is_accepted(tmp_path, modules)
