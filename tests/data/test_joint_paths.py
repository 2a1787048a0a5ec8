from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from glam.data.cache import JointPaths, JointPathsProvenance, stored

PROVENANCE = JointPathsProvenance("d" * 64, "kinova", "g" * 64)


class Maker:
    """Counts how often it is asked."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> JointPaths:
        self.calls += 1
        rng = np.random.default_rng(self.calls)
        return JointPaths(rng.normal(size=(5, 8)).astype(np.float32), rng.normal(size=(5, 2)).astype(np.float32))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLAM_CACHE", str(tmp_path))
    return tmp_path


def test_joint_paths_are_made_once() -> None:
    make = Maker()
    first, second = stored(PROVENANCE, make), stored(PROVENANCE, make)
    assert make.calls == 1
    np.testing.assert_array_equal(first.reached, second.reached)
    np.testing.assert_array_equal(first.misses, second.misses)


@pytest.mark.parametrize(
    "other",
    [
        replace(PROVENANCE, dataset="e" * 64),
        replace(PROVENANCE, dataset="d" * 63 + "e"),  # equal in name, for names hold only the beginning
        replace(PROVENANCE, robot="kinova-lab"),
        replace(PROVENANCE, geometry="h" * 64),
    ],
)
def test_joint_paths_of_something_else_are_not_taken(other: JointPathsProvenance) -> None:
    make = Maker()
    stored(PROVENANCE, make)
    stored(other, make)
    assert make.calls == 2


def test_a_damaged_file_is_made_again(cache: Path) -> None:
    make = Maker()
    stored(PROVENANCE, make)
    (file,) = cache.glob("*.parquet")
    content = bytearray(file.read_bytes())
    content[len(content) // 4] ^= 0xFF
    file.write_bytes(content)
    stored(PROVENANCE, make)
    assert make.calls == 2
    file.write_bytes(b"")
    stored(PROVENANCE, make)
    assert make.calls == 3
