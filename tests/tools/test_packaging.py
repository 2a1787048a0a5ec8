"""What is declared and what is shipped."""

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

import pytest

import pin_hashes

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "glam"
CLIENT = ROOT / "packages" / "glam_client"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CLIENT_PYPROJECT = tomllib.loads((CLIENT / "pyproject.toml").read_text(encoding="utf-8"))
PINS = dict(
    line.split("==")
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
)


HASHES = {
    line.split(" ")[0]: re.findall(r"--hash=sha256:([0-9a-f]{64})\b", line)
    for line in (ROOT / "hashes.txt").read_text(encoding="utf-8").replace("\\\n", "").splitlines()
}
FIXED = {
    "h11": (0, 16),  # CVE-2025-43859
    "jinja2": (3, 1, 6),  # CVE-2025-27516
    "pillow": (11, 3),  # CVE-2025-48379
    "pyarrow": (14, 0, 1),  # CVE-2023-47248
    "requests": (2, 32, 4),  # CVE-2024-47081
    "setuptools": (78, 1, 1),  # CVE-2025-47273
    "torch": (2, 10),  # CVE-2025-32434, CVE-2026-24747
    "urllib3": (2, 5),  # CVE-2025-50181
}
"""First versions without a weakness through which a file or a server might harm us."""


def normal(name: str) -> str:
    """A distribution's name as pip compares it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[<>=!~;\[ ]", name)[0]).lower()


def imported_packages(package: Path) -> set[str]:
    names = set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            if isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module.partition(".")[0])
    return names - set(sys.stdlib_module_names) - {"glam", "glam_client"}


def test_everything_the_package_imports_is_declared():
    project = PYPROJECT["project"]
    extras = chain(*(names for key, names in project["optional-dependencies"].items() if key != "dev"))
    declared = {normal(name) for name in [*project["dependencies"], *extras]}
    distributions = packages_distributions()
    imported = {
        package: {normal(name) for name in distributions.get(package, [package])}
        for package in imported_packages(PACKAGE)
    }
    assert {package for package, names in imported.items() if not names & declared} == set()


def test_every_dependency_has_a_lower_bound_and_no_cap():
    project = PYPROJECT["project"]
    declared = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    assert [name for name in declared if not re.fullmatch(r"[a-z0-9-]+>=[0-9.]+", name)] == []


def test_everything_that_is_installed_is_pinned():
    project = PYPROJECT["project"]
    pinned = {normal(name) for name in PINS}
    wanted = {normal(name) for name in [*project["dependencies"], *project["optional-dependencies"]["dev"]]}
    wanted |= {normal(name) for name in CLIENT_PYPROJECT["project"]["dependencies"]}
    assert wanted - pinned == {"glam-robot-client"}  # ours, installed from packages/


def test_all_that_is_installed_but_torch_has_hashes():
    pinned = {normal(name): version for name, version in PINS.items()}
    hashed = dict(name.split("==") for name in HASHES)
    assert all(HASHES.values())
    assert {name: pinned[normal(name)] for name in hashed} == hashed
    needed = {normal(name) for name in pin_hashes.needed("glam-robot", frozenset({"dev"}), set())}
    assert needed - {normal(name) for name in hashed} == pin_hashes.LEFT_OUT


def test_no_pin_is_older_than_the_fix_of_a_weakness_that_could_harm_us():
    pinned = {normal(name): version for name, version in PINS.items()}
    older = [name for name, fixed in FIXED.items() if tuple(map(int, re.findall(r"\d+", pinned[name]))) < fixed]
    assert older == []


def test_the_client_needs_what_it_imports_and_nothing_else():
    declared = {normal(name) for name in CLIENT_PYPROJECT["project"]["dependencies"]}
    assert declared == {"msgpack", "numpy", "websockets"}
    assert imported_packages(CLIENT / "src") == declared


def test_the_client_and_glam_are_released_together():
    version = PYPROJECT["project"]["version"]
    assert CLIENT_PYPROJECT["project"]["version"] == version
    assert f"glam-robot-client>={version}" in PYPROJECT["project"]["dependencies"]
    assert f"version: {version}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_torch_is_pinned_by_its_public_version():
    assert PINS["torch"] == "2.13.0"
    assert not any("+" in version for version in PINS.values())


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt", "hashes.txt", "Makefile", "tools/set_up.py"])
def test_no_package_host_is_named(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert not re.search(r"index-url|find-links|https?://|file://", text)


@pytest.mark.parametrize(("project", "package"), [(ROOT, PACKAGE), (CLIENT, CLIENT / "src" / "glam_client")])
def test_the_wheel_holds_every_file_of_the_package(project, package, tmp_path):
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    shipped = set(zipfile.ZipFile(wheel).namelist())
    files = {path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert {str(path.relative_to(package.parent)) for path in files} - shipped == set()
