import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.data import tiny

from glam.core.errors import GlamError
from glam.core.files import write_json
from glam.data import image_codecs, layout
from glam.data.check import check_dataset
from glam.data.check.finding import KINDS
from glam.data.reader import Dataset

EPISODES = layout.EPISODES
FIXTURE = Path(__file__).parent.parent / "fixtures" / "lerobot_written"


def as_other_software_writes(root: Path) -> None:
    """Many episodes to a file, an unnamed index in the table of tasks, no manifest."""
    rows = pq.read_table(root / EPISODES, partitioning=None).to_pylist()
    data = [pq.read_table(root / layout.data_file(row["episode_index"]), partitioning=None) for row in rows]
    shutil.rmtree(root / "data")
    (root / layout.data_file(0)).parent.mkdir(parents=True)
    pq.write_table(pa.concat_tables(data), root / layout.data_file(0))
    for key in ("observation.images.front", "observation.images.overhead"):
        paths = [root / layout.video_file(key, row["episode_index"]) for row in rows]
        frames = [tiny.film(path) for path in paths]
        for path in paths[1:]:
            path.unlink()
        paths[0].write_bytes(image_codecs.encode_video(np.concatenate(frames), 10))
        for row in rows:
            start = row["dataset_from_index"] / 10
            row |= {f"videos/{key}/file_index": 0, f"videos/{key}/from_timestamp": start}
            row |= {f"videos/{key}/to_timestamp": start + row["length"] / 10, "data/file_index": 0}
    pq.write_table(pa.Table.from_pylist(rows), root / EPISODES)
    tasks = pq.read_table(root / layout.TASKS, partitioning=None)
    pq.write_table(tasks.rename_columns(["task_index", "__index_level_0__"]), root / layout.TASKS)
    for file in (layout.MANIFEST, layout.RECORDING, layout.LOCK):
        (root / file).unlink()


@pytest.mark.parametrize("role", ["target", "auxiliary", "bimanual"])
def test_a_healthy_set_gives_no_finding(patient_of, role):
    assert patient_of(role).findings() == ()


@pytest.mark.parametrize("role", ["target", "auxiliary", "bimanual"])
def test_a_healthy_set_of_other_software_gives_no_finding(patient_of, role):
    patient = patient_of(role)
    as_other_software_writes(patient.root)
    assert patient.findings() == ()


def test_the_files_of_a_set_that_lerobot_wrote_give_no_finding(tmp_path):
    root = shutil.copytree(FIXTURE, tmp_path / "written")
    about_values = {"rotation", "gripper-range", "teleport"}  # its poses are random numbers
    assert {finding.code for finding in check_dataset(root)} <= about_values


def test_a_missing_folder_is_a_clear_error(tmp_path):
    with pytest.raises(GlamError, match="no such folder"):
        check_dataset(tmp_path / "nowhere")


def test_progress_counts_every_data_and_video_file(patient):
    calls = []
    check_dataset(patient.root, lambda done, total: calls.append((done, total)))
    assert calls == [(done, 9) for done in range(10)]


def test_a_planted_fault_is_named_beside_the_checksum(patient):
    patient.edit_vector(1, "observation.ee_pose", lambda pose: np.where(np.arange(15)[:, None] == 4, np.nan, pose))
    assert patient.codes() == {"checksum", "not-finite"}


def test_errors_come_before_warnings(patient):
    (patient.root / "meta/.info.json.12.tmp").touch()
    (patient.root / layout.data_file(2)).unlink()
    severities = [finding.severity for finding in patient.findings()]
    assert severities == ["error", "warning"]


def test_several_faults_are_all_found_at_once(patient):
    (patient.root / layout.INFO).write_text("{ not json")
    (patient.root / layout.TASKS).write_bytes(b"PAR1 rubbish PAR1")
    (patient.root / layout.data_file(0)).write_bytes(b"")
    (patient.root / layout.video_file("observation.images.front", 1)).write_bytes(b"no film")
    patient.edit_vector(2, "observation.ee_pose", lambda pose: pose * 1000)
    found = {(finding.code, finding.file) for finding in patient.findings()}
    assert {
        ("unreadable", layout.INFO),
        ("unreadable", layout.TASKS),
        ("unreadable", layout.data_file(0)),
        ("unreadable", layout.video_file("observation.images.front", 1)),
        ("units-length", layout.data_file(2)),
    } <= found


def test_a_lost_table_of_episodes_does_not_hide_faults_of_the_data(patient):
    (patient.root / EPISODES).write_bytes(b"")
    patient.edit_vector(1, "observation.ee_pose", lambda pose: pose * 1000)
    (patient.root / layout.video_file("observation.images.front", 1)).write_bytes(b"no film")
    found = {(finding.code, finding.file) for finding in patient.findings()}
    assert ("units-length", layout.data_file(1)) in found
    assert ("unreadable", layout.video_file("observation.images.front", 1)) in found


def test_an_episode_that_its_file_does_not_hold_is_found(patient):
    as_other_software_writes(patient.root)
    patient.edit_table(layout.data_file(0), lambda table: table.slice(0, 30))
    found = {(finding.code, finding.episode) for finding in patient.findings()}
    assert ("episode-missing", 2) in found


@pytest.mark.parametrize("seed", range(14))
def test_random_damage_to_any_file_is_found_and_never_raises(patient, seed):
    random = np.random.default_rng(seed)
    files = sorted(path for path in patient.root.rglob("*") if path.is_file() and path.name != ".lock")
    path = files[seed % len(files)]
    content = bytearray(path.read_bytes())
    place = int(random.integers(len(content)))
    match seed // len(files) % 3:
        case 0:
            content[place] ^= 1 << int(random.integers(8))
        case 1:
            content[place:] = b""
        case _:
            content[place : place + 64] = random.bytes(64)
    path.write_bytes(bytes(content))
    findings = patient.findings()
    assert any(finding.file == path.relative_to(patient.root).as_posix() for finding in findings)
    assert {finding.code for finding in findings} <= KINDS.keys()


@pytest.mark.parametrize("seed", range(26))
def test_random_damage_without_a_manifest_is_found_wherever_the_reader_would_stumble(patient, seed):
    random = np.random.default_rng(1000 + seed)
    (patient.root / layout.MANIFEST).unlink()
    files = sorted(path for path in patient.root.rglob("*") if path.is_file() and path.name != ".lock")
    path = files[seed % len(files)]
    content = bytearray(path.read_bytes())
    for place in random.integers(len(content), size=8):
        content[place] = int(random.integers(256))
    path.write_bytes(bytes(content))
    findings = patient.findings()
    assert {finding.code for finding in findings} <= KINDS.keys()
    assert findings or is_readable(patient.root)


def is_readable(root):
    """Whether the reader takes every episode: what it refuses, the check must explain."""
    try:
        dataset = Dataset.open(root)
        return all(len(dataset.episode(record.index)) for record in dataset.episodes)
    except GlamError:
        return False


@pytest.mark.parametrize("value", [None, [], {"fps": {}, "features": {"action": 7}}])
@pytest.mark.parametrize("file", [layout.INFO, layout.STATS, layout.MANIFEST, layout.RECORDING])
def test_json_of_any_other_shape_is_a_finding(patient, file, value):
    write_json(patient.root / file, value)
    assert any(finding.file == file for finding in patient.findings())


def test_an_empty_or_plain_folder_is_no_dataset(tmp_path):
    with pytest.raises(GlamError, match="not a LeRobot dataset"):
        check_dataset(tmp_path)
    (tmp_path / "notes.txt").write_text("no data here")
    with pytest.raises(GlamError, match=r"not a LeRobot dataset: it has no meta/info\.json"):
        check_dataset(tmp_path)
