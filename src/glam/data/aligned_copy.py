"""A copy of a dataset whose poses are in the frame of a target: `glam data align`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from glam.core import files
from glam.core.errors import GlamError
from glam.core.geometry import rotation_from_six, rotation_from_vector, six_from_rotation
from glam.core.workers import Part, Progress, no_progress
from glam.data import layout, manifest, tables
from glam.data.carried_objects import CarryModel, HandPath, gravity_in_tool, grips, paths_of
from glam.data.copying import Copy, manifest_of, with_statistics
from glam.data.manifest import ALIGNED
from glam.data.masked_copy import share
from glam.data.reader import Dataset
from glam.data.schema import EE_POSE, GRIPPER

Array = NDArray[np.float64]

_LEAST_TILT = np.radians(3.0)
"""A tool that is turned by less counts as the target's."""
_LEAST_STROKE = 0.05
"""Least range of an opening that counts as measured."""
_SAME_UNITS = 0.03
"""Openings that differ by less need no other units."""


@dataclass(frozen=True)
class Alignment:
    """Result of an alignment."""

    episodes: int
    by_start: int
    """Episodes in which too little is carried: they are taken to start where the target's usually do."""
    sigma_mm: float
    """Standard deviation of a coordinate of the tool that one frame tells."""
    tilt_degrees: float
    """Turn of the tool that was taken out."""
    gripper: tuple[float, float]
    """Factor and summand of the opening."""


def aligned(target: Sequence[HandPath], paths: Sequence[HandPath]) -> tuple[list[NDArray[np.float32]], Alignment]:
    """Poses of episodes in the frame of the target's, (T, 10) each."""
    model = CarryModel.fit(target)
    if model is None:
        raise GlamError("the target carries hardly anything, so nothing tells where its hand is; use tracks instead")
    tilt = _tilt(target, paths)
    factor, summand = _gripper(target, paths)
    found, by_start = [], 0
    for path in paths:
        motion = model.motion(path)
        by_start += not motion.frames
        poses = motion.applied(path.poses)
        poses[:, 3:GRIPPER] = six_from_rotation(rotation_from_six(poses[:, 3:GRIPPER]) @ tilt)
        poses[:, GRIPPER] = factor * poses[:, GRIPPER] + summand
        found.append(poses.astype(np.float32))
    cosine = float(np.clip((np.trace(tilt) - 1.0) / 2.0, -1.0, 1.0))
    degrees = float(np.degrees(np.arccos(cosine)))
    return found, Alignment(len(paths), by_start, 1000.0 * model.sigma, degrees, (factor, summand))


def write_aligned(
    source: Dataset, target: Dataset, cameras: Sequence[str], out: Path, progress: Progress = no_progress
) -> Alignment:
    """Copy a dataset into the new folder `out`, with its poses in the frame of the target's."""
    counts = [len(dataset.episodes) for dataset in (target, source)]
    parts = Part(progress, 0, sum(counts)), Part(progress, counts[0], sum(counts))
    mine = paths_of(target, cameras, range(counts[0]), parts[0])
    poses, found = aligned(mine, paths_of(source, cameras, range(counts[1]), parts[1]))
    copy, digests = _AlignedCopy(source, np.concatenate(poses)), {}
    with files.replacing_folder(out.resolve()) as root:
        for name in copy.names():
            content, path = copy.content(name), files.contained(root, name)
            if content:
                files.write_bytes(path, content)
            else:
                share(files.contained(source.root, name), path)
            digests[name] = sha256(content).hexdigest() if content else files.sha256(path)
        notes = {"source": source.content_id, "target": target.content_id, **vars(found)}
        known = manifest_of(source)
        manifest.write(root, replace(known, description=known.description | {ALIGNED: notes}, files=digests))
    return found


@dataclass(frozen=True, eq=False)
class _AlignedCopy(Copy):
    poses: NDArray[np.float32]
    """(N, 10)."""

    def _features(self, known: dict[str, Any]) -> dict[str, Any]:
        return known

    def _statistics(self, known: dict[str, Any]) -> dict[str, Any]:
        return known | {EE_POSE: tables.row_statistics(self.poses)}

    def _rows(self, path: Path, rows: pa.Table) -> pa.Table:
        index = tables.matrix(rows["index"])
        if len(index) and not 0 <= index.min() <= index.max() < len(self.poses):
            raise GlamError(f"{path}: has rows that belong to no episode; see glam data check {self.source.root}")
        place = rows.column_names.index(EE_POSE)
        kind = rows.schema.field(EE_POSE).type
        column = pa.array(self.poses[index].tolist(), kind)
        return rows.set_column(place, EE_POSE, column)

    def _episodes(self, table: pa.Table) -> pa.Table:
        table = table.drop([name for name in table.column_names if name.startswith(f"stats/{EE_POSE}/")])
        records = [self.source.episodes[index] for index in tables.matrix(table["episode_index"]).tolist()]
        spans = [self.poses[record.first_row : record.first_row + record.length] for record in records]
        return with_statistics(table, EE_POSE, [tables.row_statistics(span) for span in spans], pa.float64())


def require_new(out: Path) -> None:
    """Refuse a folder that holds anything."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise GlamError(f"--out {out}: is not an empty folder; choose a new one")
    files.require_writable(out / layout.INFO)


def _tilt(target: Sequence[HandPath], paths: Sequence[HandPath]) -> Array:
    """Turn of the tool that makes the vertical lie in it as in the target's; none where tools point everywhere."""
    wanted, seen = gravity_in_tool(target), gravity_in_tool(paths)
    lengths = float(np.linalg.norm(wanted)), float(np.linalg.norm(seen))
    axis = np.cross(wanted, seen)
    sine = float(np.linalg.norm(axis)) / max(lengths[0] * lengths[1], 1e-9)
    angle = float(np.arctan2(sine, wanted @ seen / max(lengths[0] * lengths[1], 1e-9)))
    if min(lengths) < 0.9 or not _LEAST_TILT < angle < np.pi - _LEAST_TILT:
        return np.identity(3)
    return rotation_from_vector(axis / np.linalg.norm(axis) * angle)


def _gripper(target: Sequence[HandPath], paths: Sequence[HandPath]) -> tuple[float, float]:
    """Factor and summand by which openings become the target's, around carried objects and at the start alike."""
    wanted, seen = grips(target), grips(paths)
    if wanted is None or seen is None or abs(seen[1] - seen[0]) < _LEAST_STROKE:
        return 1.0, 0.0
    if max(abs(one - other) for one, other in zip(wanted, seen, strict=True)) < _SAME_UNITS:
        return 1.0, 0.0
    factor = (wanted[1] - wanted[0]) / (seen[1] - seen[0])
    return factor, wanted[0] - factor * seen[0]
