"""A copy of a dataset in which every row also has a latent action: for trainers that know nothing of world models.

All else is the source's: videos byte for byte, every column of every row, further features that we do not know.

No frame follows the last one of an episode, so it has no latent action, while LeRobot wants a value in every row. It
repeats the one before it, as LeRobot itself does with a chunk that runs past the end; nothing else is made up. Whoever
wants true labels alone leaves out the last row of each episode.
"""

import json
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from glam.core import files
from glam.core.configs import to_json
from glam.core.errors import GlamError
from glam.core.progress import Progress, unseen
from glam.data import feature_statistics, layout, manifest, tables
from glam.data.info import read_info
from glam.data.latents import FEATURE, Provenance
from glam.data.manifest import LATENTS, Manifest
from glam.data.reader import Dataset
from glam.data.windows import EpisodeTable

Latents = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Labels:
    """Latent actions of a dataset and what they come from."""

    latents: Latents
    """(N, d), one row per frame as `read_latents` gives them."""
    provenance: Provenance
    normalisers: dict[str, Any]
    """Statistics with which the world model scales what it sees, as plain JSON."""


def write_labelled_set(dataset: Dataset, labels: Labels, root: Path, progress: Progress = unseen) -> None:
    """Write the labelled copy into the new folder `root`; `progress` counts files."""
    known = read_info(dataset.root).features
    if FEATURE in known:
        raise GlamError(f"{dataset.root}: has {FEATURE} already; label the dataset that it was made from")
    copy = _Copy(dataset, _in_every_row(dataset, labels.latents))
    names, digests = _names(dataset), {}
    for done, name in enumerate(names, start=1):
        content = copy.content(name)
        files.write_bytes(root / name, content)
        digests[name] = sha256(content).hexdigest()
        progress(done, len(names))
    strangers = [key for key in known if key not in tables.features(dataset.schema)]
    notes = to_json(labels.provenance) | {"features": [FEATURE, *strangers], "normalisers": labels.normalisers}
    source = _manifest(dataset)
    manifest.write(root, replace(source, description=source.description | {LATENTS: notes}, files=digests))


def _in_every_row(dataset: Dataset, latents: Latents) -> Latents:
    """Latents in which the last row of each episode repeats the one before it. (N, d)."""
    table = EpisodeTable.of_lengths([record.length for record in dataset.episodes])
    for short in np.flatnonzero(table.lengths < 2):
        raise GlamError(f"{dataset.root}: episode {short} has 1 frame and so no latent action; leave it out")
    values = latents.copy()
    values[table.ends - 1] = latents[table.ends - 2]
    return values


def _names(dataset: Dataset) -> list[str]:
    """Files that make the dataset: those of its manifest, or else all that lie where LeRobot looks.

    Notes of the recorder stay behind: a labelled set cannot be recorded further.
    """
    if dataset.provenance:
        return sorted(dataset.provenance["files"].keys() - {layout.RECORDING})
    paths = (path for folder in ("meta", "data", "videos") for path in (dataset.root / folder).rglob("*"))
    names = (path.relative_to(dataset.root).as_posix() for path in paths if path.is_file())
    return sorted(name for name in names if not name.endswith(files.TEMPORARY_SUFFIX))


def _manifest(dataset: Dataset) -> Manifest:
    """The source's; of a set that others made, what can be said of it."""
    if dataset.provenance:
        return manifest.read(dataset.root)[0]
    schema, facts = dataset.schema, [record.facts for record in dataset.episodes]
    return Manifest(schema.role, list(schema.arms), list(schema.objects), {}, facts, histograms={}, files={})


@dataclass(frozen=True, eq=False)
class _Copy:
    """The files of a dataset as they are in its labelled copy."""

    dataset: Dataset
    latents: Latents
    """(N, d)."""

    def content(self, name: str) -> bytes:
        """Bytes of one file."""
        path = self.dataset.root / name
        if self.dataset.provenance:
            manifest.require_intact(self.dataset.root, name, self.dataset.provenance["files"][name])
        if name == layout.INFO:
            return self._info(files.read_json(path))
        if name == layout.STATS:
            return _json(files.read_json(path) | {FEATURE: feature_statistics.of_rows(self.latents)})
        if name.startswith("data/") and path.suffix == ".parquet":
            return self._rows(path)
        if name.startswith(f"{layout.EPISODES_FOLDER}/") and path.suffix == ".parquet":
            return self._episodes(path)
        return path.read_bytes()

    def _info(self, info: dict[str, Any]) -> bytes:
        size = self.latents.shape[1]
        feature = {"dtype": "float32", "shape": [size], "names": [f"z{entry}" for entry in range(size)]}
        return _json(info | {"features": info["features"] | {FEATURE: feature}})

    def _rows(self, path: Path) -> bytes:
        """Row groups stay as they are: whoever divided the file had readers in mind."""
        with tables.open_parquet(path) as file:
            columns = tables.column_names(path, file)
            groups = [tables.read_groups(path, file, [group], columns) for group in range(file.num_row_groups)]
        return tables.parquet_bytes(*(tables.with_vector(group, FEATURE, self._of(path, group)) for group in groups))

    def _of(self, path: Path, rows: pa.Table) -> Latents:
        index = tables.matrix(rows["index"])
        if len(index) and not 0 <= index.min() <= index.max() < len(self.latents):
            raise GlamError(f"{path}: has rows that belong to no episode; see glam data check {self.dataset.root}")
        chosen: Latents = self.latents[index]
        return chosen

    def _episodes(self, path: Path) -> bytes:
        table = tables.read_parquet(path)
        records = [self.dataset.episodes[index] for index in tables.matrix(table["episode_index"]).tolist()]
        spans = [self.latents[record.first_row : record.first_row + record.length] for record in records]
        statistics = [feature_statistics.of_rows(span) for span in spans]
        for name in feature_statistics.NAMES:
            kind = pa.list_(pa.int64() if name == "count" else pa.float64())
            column = pa.array([values[name] for values in statistics], kind)
            table = table.append_column(f"stats/{FEATURE}/{name}", column)
        return tables.parquet_bytes(table)


def _json(value: Any) -> bytes:
    """Keys keep their order, which is that of the cameras; what is not a number stays what others wrote."""
    return (json.dumps(value, indent=1) + "\n").encode()
