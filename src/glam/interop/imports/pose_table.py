"""Tables of poses as CSV or JSON: a row for each moment, with columns known by their names.

| columns                            | meaning                                                                        |
|------------------------------------|--------------------------------------------------------------------------------|
| `timestamp`                        | seconds since the first frame of the videos                                    |
| `x`, `y`, `z`                      | position of the tool in metres                                                 |
| `qx`, `qy`, `qz`, `qw`             | its rotation, as a unit quaternion                                             |
| or `rx`, `ry`, `rz`                | as a rotation vector: axis times angle, in rad                                 |
| or `r11` `r21` `r31` `r12` `r22` `r32` | as the first two columns of the matrix                                     |
| `gripper`                          | its opening: 0 closed, 1 open                                                  |
| `state.<name>`, `action.<name>`    | of a robot; a table without actions makes an auxiliary set                     |

With several arms each name of a pose begins with that of the arm: `left.x`, `right.gripper`.
"""

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from glam.core.errors import GlamError
from glam.interop.imports.recordings import ONE_ARM, Array, Motion
from glam_client.orientations import quaternions_from_six, quaternions_from_vectors, unit_quaternions
from glam_client.pose_conversion import ArmRecipe, PoseRecipe, RotationCode, checked_positions

NAMES = ("poses.csv", "poses.json")
_TIME = "timestamp"
_POSITION = ("x", "y", "z")
_ROTATIONS: dict[tuple[str, ...], Callable[[Array, str], Array]] = {
    ("qx", "qy", "qz", "qw"): unit_quaternions,
    ("rx", "ry", "rz"): quaternions_from_vectors,
    ("r11", "r21", "r31", "r12", "r22", "r32"): quaternions_from_six,
}
_CODES: dict[tuple[str, ...], RotationCode] = {
    ("qx", "qy", "qz", "qw"): "quaternion-xyzw",
    ("rx", "ry", "rz"): "rotation-vector",
    ("r11", "r21", "r31", "r12", "r22", "r32"): "six",
}
_GRIPPER = "gripper"
_LABELS = ("state.", "action.")
_MOST_BYTES = 1 << 28


@dataclass(frozen=True, eq=False)
class PoseTable:
    """Columns of numbers, all finite and of one length."""

    path: Path
    columns: Mapping[str, Array]

    @property
    def recipe(self) -> PoseRecipe:
        """Recipe that makes poses of the columns; each arm is a feature `pose`, or `pose.<arm>`."""
        features, arms = {}, []
        for arm in self.arms:
            prefix, feature = (f"{arm}.", f"pose.{arm}") if arm else ("", "pose")
            rotation = self._rotation(prefix)
            features[feature] = (*_POSITION, *rotation, _GRIPPER)
            entries = [(feature, number) for number in range(len(features[feature]))]
            arms.append(ArmRecipe(arm or ONE_ARM, tuple(entries[:-1]), _CODES[rotation], gripper=(entries[-1],)))
        return PoseRecipe(features, tuple(arms))

    @property
    def arms(self) -> tuple[str, ...]:
        """Names of the arms in the order of their columns; the only one may have none."""
        found = [name.rpartition(".")[0] for name in self.columns if not name.startswith((*_LABELS, _TIME))]
        return tuple(dict.fromkeys(found))

    def named(self, label: str) -> tuple[str, ...]:
        """Names of the columns that begin with a label such as `action.`, without the label."""
        return tuple(name.removeprefix(label) for name in self.columns if name.startswith(label))

    def motion(self) -> Motion:
        """Motion with raw gripper readings."""
        arms = self.arms or ("",)
        state, action = (self._block([label + name for name in self.named(label)]) for label in _LABELS)
        known = {_TIME, *(label + name for label in _LABELS for name in self.named(label))}
        positions, quaternions, readings = [], [], []
        for arm in arms:
            prefix = f"{arm}." if arm else ""
            rotation = self._rotation(prefix)
            names = [prefix + name for name in (*_POSITION, *rotation, _GRIPPER)]
            known |= set(names)
            block = self._block(names)
            positions.append(checked_positions(block[:, :3], str(self.path)))
            quaternions.append(_ROTATIONS[rotation](block[:, 3:-1], str(self.path)))
            readings.append(block[:, -1])
        for name in self.columns:
            if name not in known:
                raise GlamError(f"{self.path}: the column {name!r} is unknown; known are {', '.join(sorted(known))}")
        return Motion(
            *(self._block([_TIME])[:, 0], np.stack(positions, axis=1), np.stack(quaternions, axis=1)),
            *(np.stack(readings, axis=1), state, action),
        )

    def _rotation(self, prefix: str) -> tuple[str, ...]:
        given = [names for names in _ROTATIONS if any(prefix + name in self.columns for name in names)]
        if len(given) != 1:
            choices = " or ".join(", ".join(prefix + name for name in names) for names in _ROTATIONS)
            raise GlamError(f"{self.path}: needs columns for one rotation: {choices}")
        return given[0]

    def _block(self, names: list[str]) -> Array:
        """Columns side by side, (T, n)."""
        missing = [name for name in names if name not in self.columns]
        if missing:
            problem = f"has no column {', '.join(missing)}"
            raise GlamError(f"{self.path}: {problem}; it has {', '.join(self.columns) or 'none'}")
        rows = len(next(iter(self.columns.values()), ()))
        return np.stack([self.columns[name] for name in names], axis=1) if names else np.empty((rows, 0))


def read_table(path: Path) -> PoseTable:
    """Read a table; the suffix of the file decides how."""
    if path.stat().st_size > _MOST_BYTES:
        raise GlamError(f"{path}: larger than {_MOST_BYTES >> 20} MB, which is no table of poses")
    try:
        text = path.read_bytes().decode("utf-8-sig")
        rows = _json_rows(text) if path.suffix == ".json" else _csv_rows(text)
    except (UnicodeDecodeError, csv.Error, RecursionError, ValueError) as error:
        raise GlamError(f"{path}: is not a sound table ({error})") from None
    if not rows:
        raise GlamError(f"{path}: has no rows")
    names = list(rows[0])
    for number, row in enumerate(rows, start=1):
        if list(row) != names:
            raise GlamError(f"{path}: row {number} has other columns than the first")
    return PoseTable(path, {name: _column(path, name, [row[name] for row in rows]) for name in names})


def _csv_rows(text: str) -> list[dict[str, Any]]:
    lines = [line for line in csv.reader(io.StringIO(text), strict=True) if line]
    if not lines:
        return []
    names = [name.strip() for name in lines[0]]
    if len(set(names)) < len(names):
        raise ValueError("two columns have the same name")
    for number, line in enumerate(lines[1:], start=1):
        if len(line) != len(names):
            raise ValueError(f"row {number} has {len(line)} cells instead of {len(names)}")
    return [dict(zip(names, line, strict=True)) for line in lines[1:]]


def _json_rows(text: str) -> list[dict[str, Any]]:
    rows = json.loads(text)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("it must be a list of objects, one for each row")
    return rows


def _column(path: Path, name: str, cells: list[Any]) -> Array:
    values = np.empty(len(cells))
    for number, cell in enumerate(cells):
        try:
            values[number] = float("nan" if isinstance(cell, bool) else cell)
        except (TypeError, ValueError, OverflowError):
            values[number] = np.nan
        if not abs(values[number]) < np.finfo(np.float32).max:
            raise GlamError(f"{path}: row {number + 1}: {name} is {str(cell)[:40]!r}; it must be a finite number")
    return values
