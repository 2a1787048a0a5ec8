"""Joint paths kept beside the decoded frames: inverse kinematics is done once for a dataset and a robot."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from glam.core import files
from glam.data.cache import default_folder

_FORMAT = "1"


@dataclass(frozen=True, eq=False)
class JointPaths:
    """One row for each frame of a dataset."""

    reached: NDArray[np.float32]
    """(N, n_a): what the robot's joints and grippers would read at the recorded poses."""
    misses: NDArray[np.float32]
    """(N, 2): distance (m) and angle (rad) by which the poses are missed."""


@dataclass(frozen=True)
class JointPathsProvenance:
    """Everything that joint paths depend on."""

    dataset: str
    """Content id of the dataset."""
    robot: str
    """Name of the robot."""
    geometry: str
    """Fingerprint of its arms and of the solver."""


def stored(provenance: JointPathsProvenance, make: Callable[[], JointPaths]) -> JointPaths:
    """The joint paths of a dataset, made now if they are not in the cache; a damaged file is made again."""
    name = f"{provenance.dataset[:32]}-{provenance.robot}-{provenance.geometry[:16]}-joints-v{_FORMAT}.parquet"
    path = default_folder() / name
    try:
        return _read(path, provenance)
    except (OSError, KeyError, pa.ArrowException):
        paths = make()
        _write(path, paths, provenance)
        return paths


def _write(path: Path, paths: JointPaths, provenance: JointPathsProvenance) -> None:
    columns = {name: _column(values) for name, values in vars(paths).items()}
    with files.replacing(path) as temporary:
        table = pa.table(columns).replace_schema_metadata(vars(provenance))
        pq.write_table(table, temporary, write_page_checksum=True)


def _read(path: Path, provenance: JointPathsProvenance) -> JointPaths:
    table = pq.read_table(path, page_checksum_verification=True)
    notes = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
    if notes != vars(provenance):
        raise KeyError(path)  # names hold only the beginnings of digests
    return JointPaths(*(_array(table[name].combine_chunks()) for name in ("reached", "misses")))


def _column(values: NDArray[np.float32]) -> pa.Array:
    return pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), values.shape[1])


def _array(column: pa.Array) -> NDArray[np.float32]:
    values: NDArray[np.float32] = column.values.to_numpy().reshape(-1, column.type.list_size)
    return values
