import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.data.spoiling import rewrite_rows, without_manifest

from glam.core.errors import GlamError
from glam.data import image_codecs, layout, manifest, tables
from glam.data.image_codecs import encode_image
from glam.data.reader import Dataset
from glam.data.schema import EE_POSE

WRITTEN_BY_LEROBOT = Path(__file__).with_name("fixtures") / "lerobot_written"
FRONT, OVERHEAD = "observation.images.front", "observation.images.overhead"


@pytest.fixture
def foreign(tiny, target_set, tmp_path):
    """Our episodes as others might store them: one file for all, images as PNG, other types and no names."""
    root = tmp_path / "foreign"
    parts = []
    for index in range(5):
        table = pq.read_table(target_set / layout.data_file(index), use_threads=False)
        images = [{"bytes": encode_image(image), "path": None} for image in tiny.episode(index).images[FRONT]]
        table = table.append_column(FRONT, pa.array(images, tables.IMAGE))
        table = table.set_column(0, EE_POSE, table[EE_POSE].cast(pa.list_(pa.float64())))
        parts.append(table.drop_columns(["observation.masks.front", "observation.masks.overhead"]))
    path = root / "data/chunk-000/file-000.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(pa.concat_tables(parts), path, row_group_size=7)

    info = json.loads((target_set / layout.INFO).read_text())
    features = info["features"]
    features |= {FRONT: features[FRONT] | {"dtype": "image"}}
    features |= {EE_POSE: features[EE_POSE] | {"dtype": "float64", "names": None}}
    gone = {OVERHEAD, "observation.masks.front", "observation.masks.overhead"}
    info |= {"features": {key: value for key, value in features.items() if key not in gone}, "video_path": None}
    (root / "meta").mkdir()
    (root / layout.INFO).write_text(json.dumps(info))
    tasks = tables.tasks_table([tiny.episode(0).task, tiny.episode(1).task])
    pq.write_table(tasks.rename_columns(["task_index", "__index_level_0__"]), root / layout.TASKS)
    episodes = pq.read_table(target_set / layout.EPISODES, use_threads=False)
    episodes = episodes.select([name for name in episodes.column_names if not name.startswith(("videos/", "stats/"))])
    column = episodes.column_names.index("data/file_index")
    episodes = episodes.set_column(column, "data/file_index", pa.array([0] * 5))
    (root / layout.EPISODES).parent.mkdir(parents=True)
    pq.write_table(episodes, root / layout.EPISODES)
    return root


def test_a_set_that_others_store_in_their_way_is_read(tiny, foreign):
    dataset = Dataset.open(foreign)
    assert dataset.schema == replace(tiny.TARGET, cameras=("front",), objects=())
    assert dataset.provenance == {}
    for index in range(5):
        source, read = tiny.episode(index), dataset.episode(index)
        for key in source.vectors:
            np.testing.assert_array_equal(read.vectors[key], source.vectors[key])
            assert read.vectors[key].dtype == np.float32
        np.testing.assert_array_equal(read.images[FRONT], source.images[FRONT])
        assert read.masks == {}


def test_a_pose_of_another_name_is_not_there(foreign):
    info = json.loads((foreign / layout.INFO).read_text())
    info["features"]["observation.ee"] = info["features"].pop(EE_POSE)
    (foreign / layout.INFO).write_text(json.dumps(info))
    dataset = Dataset.open(foreign)
    assert not dataset.schema.has_pose
    assert set(dataset.vectors(0)) == {"observation.state", "action"}


def test_a_set_written_by_the_real_library_is_read(tiny):
    dataset = Dataset.open(WRITTEN_BY_LEROBOT)
    schema = replace(tiny.TARGET, image_size=(64, 64), objects=("object0", "object1", "object2"))
    assert dataset.schema == schema
    assert [record.length for record in dataset.episodes] == [4, 5]
    assert dataset.episodes[1].videos[FRONT].start == pytest.approx(0.4)
    for index in range(2):
        source, read = tiny.episode(index, schema), dataset.episode(index)
        assert read.task == source.task
        for key in source.vectors:
            np.testing.assert_array_equal(read.vectors[key], source.vectors[key])
        for key in source.masks:
            np.testing.assert_array_equal(read.masks[key], source.masks[key])
        for key in source.images:
            distance = np.abs(source.images[key][:, None].astype(int) - read.images[key][None]).mean((2, 3, 4))
            assert distance.diagonal().max() < 3
            np.testing.assert_array_equal(distance.argmin(1), np.arange(len(source)))


def test_episodes_that_share_a_video_get_their_own_frames(tiny, target_set):
    without_manifest(target_set)
    film = np.concatenate([tiny.episode(index).images[FRONT] for index in range(5)])
    (target_set / layout.video_file(FRONT, 0)).write_bytes(image_codecs.encode_video(film, 10))
    table = pq.read_table(target_set / layout.EPISODES, use_threads=False)
    rows = table.to_pylist()
    for row in rows:
        start = row["dataset_from_index"] / 10
        row |= {f"videos/{FRONT}/file_index": 0, f"videos/{FRONT}/from_timestamp": start}
        row |= {f"videos/{FRONT}/to_timestamp": start + row["length"] / 10}
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), target_set / layout.EPISODES)
    dataset = Dataset.open(target_set)
    whole = tiny.film(target_set / layout.video_file(FRONT, 0))
    for record in dataset.episodes:
        np.testing.assert_array_equal(
            dataset.images(record.index, FRONT), whole[record.first_row : record.first_row + record.length]
        )


def test_the_length_of_a_set_is_its_number_of_frames(target_set):
    assert len(Dataset.open(target_set)) == 24


def test_provenance_holds_what_the_recorder_said(tiny, target_set):
    provenance = Dataset.open(target_set).provenance
    assert provenance["description"] == json.loads(json.dumps(vars(tiny.DESCRIPTION)))
    assert provenance["facts"][2] == {"seed": 102}
    assert provenance["role"] == "target"


def test_content_ids_are_equal_for_equal_content_only(target_set, auxiliary_set, foreign, tmp_path):
    here, copy = target_set, shutil.copytree(target_set, tmp_path / "copy")
    assert Dataset.open(here).content_id == Dataset.open(copy).content_id
    ids = [
        Dataset.open(here).content_id,
        Dataset.open(auxiliary_set).content_id,
        Dataset.open(foreign).content_id,
        Dataset.open(without_manifest(copy)).content_id,
    ]
    assert len(set(ids)) == 4
    rewrite_rows(copy, 0, action=pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(12, np.float32)), 3))
    assert Dataset.open(copy).content_id != ids[3]


def test_an_unknown_camera_is_named_with_the_known_ones(target_set):
    dataset = Dataset.open(target_set)
    with pytest.raises(GlamError, match=r"no camera 'wrist'; choose one of observation\.images\.front"):
        dataset.images(0, "wrist")
    with pytest.raises(GlamError, match="no mask 'wrist'"):
        dataset.masks(0, "wrist")


def test_a_set_declared_auxiliary_with_the_features_of_a_target_is_refused(target_set):
    content, _ = manifest.read(target_set)
    manifest.write(target_set, replace(content, role="auxiliary"))
    with pytest.raises(GlamError, match=r"the set is declared auxiliary, but .* has the features of a target set"):
        Dataset.open(target_set)
