"""Versions of installed software, for records."""

from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version

DISTRIBUTION = "glam-robot"
"""Name by which pip knows this package; it is imported as `glam`."""


def installed(packages: Iterable[str]) -> dict[str, str]:
    """Version of each package, from the metadata of the installation, so that nothing is imported."""
    return {package: _version(package) for package in packages}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
