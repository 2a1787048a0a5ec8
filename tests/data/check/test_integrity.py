import pytest

from glam.data import layout
from glam.data.recording import recording, save_episode

FILES = [
    layout.INFO,
    layout.STATS,
    layout.TASKS,
    layout.EPISODES,
    layout.RECORDING,
    layout.data_file(1),
    layout.video_file("observation.images.front", 2),
]


def flip(path, place, bit=2):
    content = bytearray(path.read_bytes())
    content[place] ^= 1 << bit
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("part", [0.3, 0.9])
def test_a_flipped_bit_is_found_in_every_file(patient, file, part):
    flip(patient.root / file, int(part * (patient.root / file).stat().st_size))
    assert ("checksum", file) in {(finding.code, finding.file) for finding in patient.findings()}


@pytest.mark.parametrize("part", [0.02, 0.4, 0.98])
def test_a_flipped_bit_is_found_in_the_manifest_itself(patient, part):
    flip(patient.root / layout.MANIFEST, int(part * (patient.root / layout.MANIFEST).stat().st_size))
    assert patient.only("manifest").file == layout.MANIFEST


def test_a_missing_file_is_told_once(patient):
    (patient.root / layout.STATS).unlink()
    assert patient.only("stats").file == layout.STATS


def test_a_file_that_only_the_manifest_knows_is_missed(patient):
    (patient.root / layout.RECORDING).unlink()
    assert patient.only("file-missing").file == layout.RECORDING


def test_a_manifest_that_points_outside_the_folder_is_not_followed(patient):
    secret = patient.root.parent / "secret"
    secret.write_text("untouched")
    patient.seal()
    patient.seal(files={"../secret": "0" * 64})
    assert "path-outside" in patient.codes()
    assert "checksum" not in patient.codes()


def test_a_recording_that_was_cut_short_is_told_as_such(patient):
    (patient.root / layout.INFO).unlink()
    assert patient.codes() == {"unfinished"}


def test_episodes_that_wait_in_the_journal_are_an_unfinished_recording(patient, new_episode):
    schema, description, episode = new_episode
    with recording(patient.root, schema, description):
        save_episode(patient.root, schema, 3, episode, {})
    assert "1 recorded episodes" in patient.only("unfinished").problem


def test_what_a_crash_left_behind_is_told(patient):
    (patient.root / "data/chunk-000/.file-009.parquet.77.tmp").write_bytes(b"half")
    assert patient.only("leftover").severity == "warning"


@pytest.mark.parametrize(
    "file", ["data/chunk-000/file-007.parquet", "videos/x/chunk-000/file-000.mp4", "meta/old.json"]
)
def test_a_file_that_nothing_refers_to_is_told(patient, file):
    (patient.root / file).parent.mkdir(parents=True, exist_ok=True)
    (patient.root / file).write_bytes(b"?")
    assert patient.only("file-unknown").file == file


def test_files_beside_the_dataset_are_the_owners_business(patient):
    (patient.root / "README.md").write_text("notes")
    assert patient.findings() == ()
