"""What the LeRobot plugin declares and ships; what it does is tested with the real library, tests/lerobot_contract."""

import ast
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "packages/lerobot_policy_glam"
SOURCE = PLUGIN / "src/lerobot_policy_glam"


def imported(path: Path) -> set[str]:
    """Modules that are imported when a file is, not only when a function of it is called."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def test_the_wheel_has_the_name_by_which_lerobot_finds_plugins_and_holds_every_file(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=PLUGIN, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    archive = zipfile.ZipFile(wheel)
    (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
    assert message_from_bytes(archive.read(metadata))["Name"] == "lerobot_policy_glam"
    files = {str(path.relative_to(SOURCE.parent)) for path in SOURCE.rglob("*") if "__pycache__" not in path.parts}
    assert files - {SOURCE.name} - set(archive.namelist()) == set()


def test_plugin_and_glam_are_released_together() -> None:
    versions = {
        tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
        for folder in (ROOT, PLUGIN)
    }
    assert len(versions) == 1


def test_a_policy_is_loaded_without_the_simulation() -> None:
    modules = {path.stem: imported(path) for path in SOURCE.glob("*.py") if path.stem != "guarded_env"}
    for name, found in modules.items():
        assert not {module for module in found if module.startswith(("glam.sim", "glam.stages"))}, name
        assert "lerobot_policy_glam.guarded_env" not in found, name


def test_the_plugin_compares_a_policy_with_its_seal_before_it_loads_the_weights() -> None:
    tree = ast.parse((SOURCE / "modeling_glam.py").read_text(encoding="utf-8"))
    (load,) = (node for node in ast.walk(tree) if getattr(node, "name", "") == "_load_as_safetensor")
    calls = [ast.unparse(node.func) for node in ast.walk(load) if isinstance(node, ast.Call)]
    assert "require_intact" in calls
