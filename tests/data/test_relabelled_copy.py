import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from glam.core.errors import GlamError
from glam.data import layout, tables
from glam.data.check import check_dataset
from glam.data.latents import LatentLabels, LatentsProvenance, write_relabelled_copy
from glam.data.reader import Dataset
from glam.data.recording import recording
from glam.data.tables import read_parquet

THEIRS = Path(__file__).parent / "fixtures" / "lerobot_written"
FEATURE = "action.latent"
NORMALISERS = {"observation.ee_pose": {"mean": [0.0], "std": [1.0]}}


def labels(dataset: Dataset, size: int = 3) -> LatentLabels:
    """Row numbers as latents; rows without a successor are zero, as `read_latents` gives them."""
    latents = np.arange(len(dataset) * size, dtype=np.float32).reshape(-1, size)
    for record in dataset.episodes:
        latents[record.first_row + record.length - 1] = 0.0
    return LatentLabels(latents, LatentsProvenance(dataset.content_id, "model digest", "glam-o"), NORMALISERS)


def labelled(source: Path, out: Path) -> Path:
    dataset = Dataset.open(source)
    write_relabelled_copy(dataset, labels(dataset), out)
    return out


def column(root: Path, name: str = FEATURE) -> np.ndarray:
    parts = [read_parquet(path) for path in sorted(root.glob("data/*/*.parquet"))]
    return np.array([value for table in parts for value in table[name].to_pylist()], np.float32)


def test_every_row_has_its_latent_and_the_last_of_an_episode_the_one_before(target_set, tmp_path):
    """The index law leaves the last frame without one, while LeRobot wants a value in every row."""
    dataset = Dataset.open(target_set)
    rows = column(labelled(target_set, tmp_path / "out"))
    expected = labels(dataset).latents
    for record in dataset.episodes:
        last = record.first_row + record.length - 1
        np.testing.assert_array_equal(rows[record.first_row : last], expected[record.first_row : last])
        np.testing.assert_array_equal(rows[last], expected[last - 1])


@pytest.mark.parametrize("name", ["target_set", "auxiliary_set"])
def test_all_else_is_that_of_the_source(name, request, tmp_path, tiny):
    source = request.getfixturevalue(name)
    before = tiny.content(source)
    out = labelled(source, tmp_path / "out")
    assert tiny.content(source) == before
    there, here = Dataset.open(source), Dataset.open(out)
    assert here.schema == there.schema
    assert [record.facts for record in here.episodes] == [record.facts for record in there.episodes]
    copied = tiny.content(out)
    assert {path: copied[path] for path in copied if path.startswith("videos/")} == {
        path: before[path] for path in before if path.startswith("videos/")
    }
    for path in sorted(source.glob("data/*/*.parquet")):
        assert read_parquet(out / path.relative_to(source)).drop([FEATURE]).equals(read_parquet(path))


@pytest.mark.parametrize("name", ["target_set", "auxiliary_set", "theirs"])
def test_a_check_finds_no_more_than_in_the_source(name, request, tmp_path):
    source = THEIRS if name == "theirs" else request.getfixturevalue(name)
    assert check_dataset(labelled(source, tmp_path / "out")) == check_dataset(source)


def test_the_feature_is_described_and_its_statistics_are_exact(target_set, tmp_path):
    out = labelled(target_set, tmp_path / "out")
    rows = column(out)
    info, stats = (json.loads((out / name).read_text()) for name in (layout.INFO, layout.STATS))
    assert info["features"][FEATURE] == {"dtype": "float32", "shape": [3], "names": ["z0", "z1", "z2"]}
    assert stats[FEATURE] == tables.row_statistics(rows)
    record = Dataset.open(out).episodes[1]
    own = rows[record.first_row : record.first_row + record.length]
    found = read_parquet(out / layout.EPISODES).to_pylist()[1]
    for statistic, values in tables.row_statistics(own).items():
        assert found[f"stats/{FEATURE}/{statistic}"] == values
    told = json.loads(pq.read_schema(out / layout.data_file(0)).metadata[b"huggingface"])["info"]["features"]
    assert told[FEATURE] == {"feature": {"dtype": "float32", "_type": "Value"}, "length": 3, "_type": "List"}


def test_the_manifest_says_what_the_labels_come_from(auxiliary_set, tmp_path):
    source = Dataset.open(auxiliary_set)
    copy = Dataset.open(labelled(auxiliary_set, tmp_path / "out"))
    assert copy.provenance["description"] == source.provenance["description"] | {
        "latents": {
            "dataset": source.content_id,
            "model": "model digest",
            "method": "glam-o",
            "features": [FEATURE],
            "normalizers": NORMALISERS,
        }
    }
    assert copy.content_id != source.content_id


def test_a_set_of_other_software_keeps_its_row_groups_and_gets_a_manifest(tmp_path):
    out = labelled(THEIRS, tmp_path / "out")
    (path,) = THEIRS.glob("data/*/*.parquet")
    assert _groups(out / path.relative_to(THEIRS)) == _groups(path)
    assert len(_groups(path)) == 2
    copy = Dataset.open(out)
    assert copy.provenance["role"] == "target"
    assert len(column(out)) == len(copy)


def test_features_that_only_others_have_are_kept_and_no_fault(tmp_path):
    """Such as the state in a set without actions, which is auxiliary to us."""
    theirs = shutil.copytree(THEIRS, tmp_path / "theirs")
    for name in (layout.INFO, layout.STATS):
        content = json.loads((theirs / name).read_text())
        del content.get("features", content)["action"]
        (theirs / name).write_text(json.dumps(content))
    for path in (*theirs.glob("data/*/*.parquet"), theirs / layout.EPISODES):
        table = read_parquet(path)
        dropped = [key for key in table.column_names if key == "action" or key.startswith("stats/action/")]
        pq.write_table(table.drop(dropped), path)
    out = labelled(theirs, tmp_path / "out")
    assert Dataset.open(out).schema.role == "auxiliary"
    np.testing.assert_array_equal(column(out, "observation.state"), column(theirs, "observation.state"))
    assert check_dataset(out) == check_dataset(theirs)


def _groups(path: Path) -> list[int]:
    metadata = pq.ParquetFile(path).metadata
    return [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]


def test_a_labelled_set_is_neither_labelled_again_nor_recorded_further(target_set, tmp_path, tiny):
    out = labelled(target_set, tmp_path / "out")
    with pytest.raises(GlamError, match=r"has action\.latent already"):
        labelled(out, tmp_path / "again")
    with pytest.raises(GlamError, match="choose a new or empty folder"), recording(out, tiny.TARGET, tiny.DESCRIPTION):
        pass


def test_a_damaged_source_is_refused_by_the_name_of_the_file(target_set, tmp_path):
    dataset = Dataset.open(target_set)
    path = next(target_set.glob("videos/*/*/*.mp4"))
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(GlamError, match=path.name):
        write_relabelled_copy(dataset, labels(dataset), tmp_path / "out")


def test_an_episode_of_one_frame_has_nothing_to_be_labelled_with(target_set, tmp_path):
    dataset = Dataset.open(target_set)
    short = replace(dataset, episodes=(replace(dataset.episodes[0], length=1),))
    with pytest.raises(GlamError, match="episode 0 has 1 frame"):
        write_relabelled_copy(short, labels(dataset), tmp_path / "out")
    assert not (tmp_path / "out").exists()
