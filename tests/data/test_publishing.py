import json
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

from glam.core.errors import GlamError
from glam.data import layout
from glam.data.check import check_dataset
from glam.data.journal import acknowledged
from glam.data.reader import Dataset
from glam.data.recording import publish, recording, save_episode
from glam.data.tables import histogram, of_histogram, row_statistics


def read(root, name):
    return json.loads((root / name).read_text())


def test_the_order_of_saving_does_not_matter(tiny, target_set, tmp_path):
    tiny.record(tmp_path / "other", 5, order=[4, 2, 0, 3, 1])
    assert tiny.content(tmp_path / "other") == tiny.content(target_set)


def test_a_set_extended_twice_is_the_same_bytes_as_one_recorded_in_one_go(tiny, target_set, tmp_path):
    root = tmp_path / "extended"
    for episodes in (1, 3, 5):
        tiny.record(root, episodes)
        assert len(Dataset.open(root).episodes) == episodes
    assert tiny.content(root) == tiny.content(target_set)


def test_publishing_again_changes_nothing(tiny, target_set):
    before = tiny.content(target_set)
    tiny.record(target_set, 5)
    assert tiny.content(target_set) == before


def test_nothing_but_the_dataset_is_left(target_set):
    names = {path.relative_to(target_set).as_posix() for path in target_set.rglob("*") if path.is_file()}
    expected = {
        layout.INFO,
        layout.STATS,
        layout.TASKS,
        layout.EPISODES,
        layout.MANIFEST,
        layout.RECORDING,
        layout.LOCK,
    }
    expected |= {layout.data_file(index) for index in range(5)}
    expected |= {layout.video_file(f"observation.images.{c}", i) for c in ("front", "overhead") for i in range(5)}
    assert names == expected
    assert not (target_set / layout.JOURNAL).exists()


def test_a_missing_episode_is_named_and_nothing_is_published(tiny, tmp_path):
    root = tmp_path / "set"
    with recording(root, tiny.TARGET, tiny.DESCRIPTION):
        for index in (0, 2):
            save_episode(root, tiny.TARGET, index, tiny.episode(index), {})
        with pytest.raises(GlamError, match=r"episode 1 is not recorded yet \(2 of 4 are missing\)"):
            publish(root, tiny.TARGET, tiny.DESCRIPTION, 4)
    assert not (root / layout.INFO).exists()
    assert acknowledged(root) == {0, 2}


def test_a_set_does_not_shrink(tiny, target_set):
    before = tiny.content(target_set)
    with pytest.raises(GlamError, match="episode 4 is recorded already; ask for at least 5 episodes"):
        publish(target_set, tiny.TARGET, tiny.DESCRIPTION, 3)
    assert tiny.content(target_set) == before


def test_other_settings_are_refused(tiny, target_set):
    with pytest.raises(GlamError, match=r"description\.seed = 7, now 1"):
        publish(target_set, tiny.TARGET, replace(tiny.DESCRIPTION, seed=1), 5)


def test_a_folder_without_a_recording_is_refused(tiny, tmp_path):
    with pytest.raises(GlamError, match="no recording was begun here"):
        publish(tmp_path, tiny.TARGET, tiny.DESCRIPTION, 1)


@pytest.mark.parametrize("name", [layout.journal_rows(0), layout.video_file("observation.images.front", 0)])
@pytest.mark.parametrize("is_missing", [True, False])
def test_a_damaged_waiting_episode_is_not_published_and_can_be_recorded_again(tiny, tmp_path, name, is_missing):
    root = tmp_path / "set"
    with recording(root, tiny.TARGET, tiny.DESCRIPTION):
        save_episode(root, tiny.TARGET, 0, tiny.episode(0), {"seed": 100})
        content = (root / name).read_bytes()
        if is_missing:
            (root / name).unlink()
        else:
            (root / name).write_bytes(content[:-100] + bytes([content[-100] ^ 1]) + content[-99:])
        with pytest.raises(GlamError, match=r"delete .*episode-000000\.json and record the episode again"):
            publish(root, tiny.TARGET, tiny.DESCRIPTION, 1)
    (root / layout.journal_record(0)).unlink()
    tiny.record(root, 1)
    tiny.record(tmp_path / "undisturbed", 1)
    assert tiny.content(root) == tiny.content(tmp_path / "undisturbed")


def test_a_published_set_stays_readable_when_its_extension_is_damaged(tiny, target_set):
    with recording(target_set, tiny.TARGET, tiny.DESCRIPTION):
        save_episode(target_set, tiny.TARGET, 5, tiny.episode(5), {})
        (target_set / layout.journal_rows(5)).write_bytes(b"")
        with pytest.raises(GlamError, match="damaged"):
            publish(target_set, tiny.TARGET, tiny.DESCRIPTION, 6)
    assert len(Dataset.open(target_set).episodes) == 5


def test_an_auxiliary_set_has_no_word_of_action_or_state_anywhere(tiny, auxiliary_set):
    for name, content in tiny.content(auxiliary_set).items():
        assert b"action" not in content, name
        assert b"observation.state" not in content, name
        assert b"joint" not in content, name
        if name.endswith(".parquet"):
            assert not [column for column in pq.read_schema(auxiliary_set / name).names if "state" in column]
    assert read(auxiliary_set, layout.MANIFEST)["role"] == "auxiliary"
    assert Dataset.open(auxiliary_set).schema == tiny.AUXILIARY


def test_a_target_set_does_have_action_in_the_places_looked_at(tiny, target_set):
    found = {name for name, content in tiny.content(target_set).items() if b"action" in content}
    assert {layout.INFO, layout.STATS, layout.EPISODES, layout.data_file(0)} <= found


def test_rows_are_numbered_through_the_whole_set(tiny, target_set):
    rows = pq.read_table([target_set / layout.data_file(index) for index in range(5)], use_threads=False)
    lengths = [tiny.length(index) for index in range(5)]
    assert rows["index"].to_pylist() == list(range(sum(lengths)))
    assert rows["frame_index"].to_pylist() == [frame for length in lengths for frame in range(length)]
    assert rows["task_index"].to_pylist() == [index % 2 for index, length in enumerate(lengths) for _ in range(length)]


def test_statistics_of_vectors_are_exact_over_the_whole_set(tiny, target_set):
    stats = read(target_set, layout.STATS)
    for key in tiny.TARGET.vectors:
        rows = np.concatenate([tiny.episode(index).vectors[key] for index in range(5)])
        assert stats[key] == row_statistics(rows)
    assert stats["index"]["max"] == [float(sum(tiny.length(index) for index in range(5)) - 1)]


def test_statistics_of_images_are_those_of_all_sampled_frames(tiny, target_set):
    stats = read(target_set, layout.STATS)
    for key in tiny.TARGET.image_keys:
        counts = sum(histogram(tiny.episode(index).images[key]) for index in range(5))
        assert stats[key] == of_histogram(counts, pixels=256)
    assert set(stats) == set(read(target_set, layout.INFO)["features"])


def test_the_episodes_table_has_the_statistics_of_each_episode(tiny, target_set):
    row = pq.read_table(target_set / layout.EPISODES, use_threads=False).slice(3, 1).to_pylist()[0]
    expected = row_statistics(tiny.episode(3).vectors["action"])
    assert {name: row[f"stats/action/{name}"] for name in expected} == expected
    assert row["tasks"] == ["Lift the other cube."]
    assert (row["dataset_from_index"], row["dataset_to_index"], row["length"]) == (15, 19, 4)
    assert row["videos/observation.images.front/to_timestamp"] == 0.4


def test_info_counts_what_is_there_and_describes_the_video(tiny, target_set):
    info = read(target_set, layout.INFO)
    frames = sum(tiny.length(index) for index in range(5))
    assert (info["total_episodes"], info["total_frames"], info["total_tasks"]) == (5, frames, 2)
    assert info["splits"] == {"train": "0:5"}
    assert info["robot_type"] == "kinova"
    assert info["features"]["observation.images.front"]["info"]["video.codec"] == "h264"


def test_many_episodes_fill_more_than_one_chunk(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(layout, "FILES_PER_CHUNK", 2)
    tiny.record(tmp_path / "set", 5)
    dataset = Dataset.open(tmp_path / "set")
    assert dataset.episodes[4].data_file == tmp_path / "set" / "data/chunk-002/file-000.parquet"
    np.testing.assert_array_equal(dataset.vectors(4)["action"], tiny.episode(4).vectors["action"])
    found = {finding.code for finding in check_dataset(dataset.root)}
    assert not {"checksum", "file-missing", "file-unknown"} & found
