"""What all copies share; what each adds is tested with the labelled and the masked set."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest

from glam.core.errors import GlamError
from glam.data import layout, manifest, tables
from glam.data.copying import Copy, manifest_of, with_statistics
from glam.data.reader import Dataset

THEIRS = Path(__file__).with_name("fixtures") / "lerobot_written"


@dataclass(frozen=True, eq=False)
class Plain(Copy):
    """A copy that changes nothing."""

    def _features(self, known):
        return known

    def _statistics(self, known):
        return known

    def _rows(self, path, rows):
        del path
        return rows

    def _episodes(self, table):
        return table


def test_the_files_of_a_copy_end_with_the_one_that_says_all_are_there(target_set):
    names = Plain(Dataset.open(target_set)).names()
    assert names[-1] == layout.INFO
    assert names[:-1] == sorted(names[:-1])
    assert set(names) == manifest.read(target_set)[0].files.keys() - {layout.RECORDING}


def test_of_a_set_that_others_made_all_files_are_copied_but_rubbish(tmp_path):
    source = Path(shutil.copytree(THEIRS, tmp_path / "theirs"))
    before = Plain(Dataset.open(source)).names()
    (source / "data/.file-000.parquet.17.glam.tmp").write_bytes(b"half")
    assert Plain(Dataset.open(source)).names() == before
    assert {name.split("/")[0] for name in before} == {"meta", "data", "videos"}


def test_a_damaged_file_is_not_copied(target_set):
    copy = Plain(Dataset.open(target_set))
    (target_set / layout.data_file(0)).write_bytes(b"rubbish")
    with pytest.raises(GlamError, match=r"file-000\.parquet: damaged"):
        copy.content(layout.data_file(0))


def test_videos_are_the_sources_and_all_else_is_written_anew(target_set):
    copy = Plain(Dataset.open(target_set))
    assert copy.content(layout.video_file("observation.images.front", 0)) == b""
    assert all(copy.content(name) for name in (layout.INFO, layout.STATS, layout.EPISODES, layout.data_file(0)))


def test_a_manifest_is_the_sources_or_says_what_is_known(target_set):
    assert manifest_of(Dataset.open(target_set)) == manifest.read(target_set)[0]
    dataset = Dataset.open(THEIRS)
    found = manifest_of(dataset)
    assert (found.role, found.arms) == (dataset.schema.role, list(dataset.schema.arms))
    assert len(found.facts) == len(dataset.episodes)
    assert found.files == {}


def test_every_statistic_of_a_feature_is_a_column():
    rows = [tables.row_statistics(pa.array(values).to_numpy()) for values in ([1.0, 2.0], [3.0])]
    table = with_statistics(pa.table({"episode_index": [0, 1]}), "speed", rows, pa.float64())
    assert table.column_names[1:] == [f"stats/speed/{name}" for name in tables.STATISTIC_NAMES]
    assert table["stats/speed/mean"].to_pylist() == [[1.5], [3.0]]
    assert table["stats/speed/count"].to_pylist() == [[2], [1]]
