"""Small healthy datasets, made by the real recorder, and the tools to spoil them."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.data import tiny

from glam.core.files import sha256, write_json
from glam.core.geometry import rotation_z, six_from_rotation
from glam.data import image_codecs, layout, manifest
from glam.data.check import Finding, check_dataset
from glam.data.recording import DatasetDescription, publish, recording, save_episode
from glam.data.schema import ACTION, EE_POSE, STATE, Episode, Schema

FPS, SIZE, LENGTH, EPISODES = 10, (32, 32), 15, 3
JOINTS = tuple(f"joint{number}" for number in range(1, 8))
DESCRIPTION = DatasetDescription(task="lift", embodiment="kinova", seed=0, config={}, versions={"glam": "0.1.0"})


def schema_of(role: str) -> Schema:
    arms = ("left", "right") if role == "bimanual" else ("arm",)
    entries = () if role == "auxiliary" else tuple(f"{arm}.{name}" for arm in arms for name in (*JOINTS, "gripper"))
    return Schema(FPS, SIZE, ("front", "overhead"), ("cube", "bowl"), arms, entries, entries)


def episode_of(schema: Schema, seed: int) -> Episode:
    """A hand that swings, turns and grips; a bright square that moves over a striped table."""
    time = np.arange(LENGTH) / FPS + 0.05 * seed
    poses = [_pose(time + 0.3 * arm) for arm in range(len(schema.arms))]
    vectors = {EE_POSE: np.concatenate(poses, axis=1)}
    if schema.role == "target":
        angles = np.stack([np.sin(time + number) for number in range(len(schema.state_names))], axis=1)
        opening = [index for index, name in enumerate(schema.state_names) if name.endswith("gripper")]
        angles[:, opening] = vectors[EE_POSE][:, 9::10]
        vectors |= {STATE: angles, ACTION: angles + 0.01}
    images, masks = {}, {}
    for number, camera in enumerate(schema.cameras):
        frames, areas = _film(seed + 3 * number)
        images[f"observation.images.{camera}"], masks[f"observation.masks.{camera}"] = frames, areas
    return Episode({key: rows.astype(np.float32) for key, rows in vectors.items()}, images, masks, "Lift the cube.")


def _pose(time: np.ndarray) -> np.ndarray:
    position = np.stack([0.4 + 0.1 * np.sin(time), 0.1 * np.cos(time), 0.2 + 0.05 * time], axis=1)
    rotation = six_from_rotation(np.stack([rotation_z(0.3 * moment) for moment in time]))
    return np.concatenate([position, rotation, 0.5 + 0.4 * np.sin(time)[:, None]], axis=1)


def _film(seed: int) -> tuple[np.ndarray, np.ndarray]:
    frames = np.tile(np.linspace(60, 120, SIZE[1]).astype(np.uint8)[:, None], (LENGTH, SIZE[0], 1, 3))
    masks = np.zeros((LENGTH, *SIZE, 2), np.uint8)
    for t in range(LENGTH):
        left = (seed + t) % (SIZE[1] - 8)
        masks[t, 8:16, left : left + 8, 0] = 255
        masks[t, 20:28, 4:12, 1] = 255
    frames[masks[..., 0] > 0], frames[masks[..., 1] > 0] = (220, 40, 40), (40, 90, 230)
    return frames, masks


Spoiling = Callable[[int, Episode], Episode]


def record(root: Path, schema: Schema, spoil: Spoiling = lambda index, episode: episode) -> None:
    with recording(root, schema, DESCRIPTION):
        for index in range(EPISODES):
            save_episode(root, schema, index, spoil(index, episode_of(schema, index)), {"seed": index})
        publish(root, schema, DESCRIPTION, episodes=EPISODES)


@dataclass(frozen=True)
class Patient:
    """A dataset to spoil. What is planted also breaks the checksums, until they are made anew with `seal`."""

    root: Path

    def edit_json(self, file: str, change: Callable[[Any], None]) -> None:
        content = json.loads((self.root / file).read_text())
        change(content)
        write_json(self.root / file, content)

    def edit_table(self, file: str, change: Callable[[pa.Table], pa.Table]) -> None:
        pq.write_table(change(pq.read_table(self.root / file, partitioning=None)), self.root / file)

    def edit_vector(self, index: int, key: str, change: Callable[[np.ndarray], np.ndarray]) -> None:
        """Replace the (T, n) values of a vector in one episode."""

        def changed(table: pa.Table) -> pa.Table:
            values = np.stack(table[key].to_numpy()).astype(np.float32)
            return with_column(table, key, vector_column(change(values.copy())))

        self.edit_table(layout.data_file(index), changed)

    def edit_video(self, camera: str, index: int, change: Callable[[np.ndarray], np.ndarray], fps: int = FPS) -> None:
        path = self.root / layout.video_file(f"observation.images.{camera}", index)
        path.write_bytes(image_codecs.encode_video(change(tiny.film(path)), fps))

    def edit_masks(self, camera: str, index: int, images: list[bytes]) -> None:
        column = pa.array([{"bytes": content, "path": None} for content in images])
        key = f"observation.masks.{camera}"
        self.edit_table(layout.data_file(index), lambda table: with_column(table, key, column))

    def seal(self, **changes: Any) -> None:
        """Make the checksums fit what is there now."""
        recorded, _ = manifest.read(self.root)
        present = {file: sha256(self.root / file) for file in recorded.files if (self.root / file).is_file()}
        manifest.write(self.root, manifest.Manifest(**{**vars(recorded), "files": present, **changes}))

    def findings(self) -> tuple[Finding, ...]:
        return check_dataset(self.root)

    def codes(self) -> set[str]:
        return {finding.code for finding in self.findings()}

    def only(self, code: str) -> Finding:
        """The one finding there is, which must be of this kind."""
        (finding,) = self.findings()
        assert finding.code == code, finding.text
        return finding


def with_column(table: pa.Table, key: str, column: pa.Array) -> pa.Table:
    if key not in table.column_names:
        return table.append_column(key, column)
    return table.set_column(table.column_names.index(key), key, column)


def vector_column(values: np.ndarray) -> pa.Array:
    return pa.FixedSizeListArray.from_arrays(pa.array(values.astype(np.float32).reshape(-1)), values.shape[1])


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Each kind of set is recorded once for all tests."""
    made: dict[str, Path] = {}

    def get(role: str) -> Path:
        if role not in made:
            made[role] = tmp_path_factory.mktemp(role) / "set"
            record(made[role], schema_of(role))
        return made[role]

    return get


@pytest.fixture
def patient_of(recorded: Callable[[str], Path], tmp_path: Path) -> Callable[[str], Patient]:
    def get(role: str) -> Patient:
        shutil.copytree(recorded(role), tmp_path / role)
        return Patient(tmp_path / role)

    return get


@pytest.fixture
def spoilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Spoiling], Patient]:
    """A target set whose episodes were wrong already when they were recorded: everything else agrees with them."""

    def get(spoil: Spoiling) -> Patient:
        monkeypatch.setattr("glam.data.recording.require_valid", lambda *_: None)
        monkeypatch.setattr("os.fsync", lambda _: None)  # nothing here must outlive a power failure
        record(tmp_path / "spoilt", schema_of("target"), spoil)
        return Patient(tmp_path / "spoilt")

    return get


@pytest.fixture
def new_episode() -> tuple[Schema, DatasetDescription, Episode]:
    """One more episode for a target set."""
    return schema_of("target"), DESCRIPTION, episode_of(schema_of("target"), EPISODES)


@pytest.fixture
def patient(patient_of: Callable[[str], Patient]) -> Patient:
    """A target set of three episodes with fifteen frames each."""
    return patient_of("target")
