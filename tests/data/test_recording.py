import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from glam.core import files
from glam.core.errors import GlamError
from glam.data import journal, layout, manifest
from glam.data.reader import Dataset
from glam.data.recording import acknowledged, recording, save_episode

CRASHES = Path(__file__).with_name("crashes.py")


def crash(*arguments):
    command = [sys.executable, str(CRASHES), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def one_go(tiny, tmp_path):
    def content(episodes):
        root = tmp_path / f"one-go-{episodes}"
        tiny.record(root, episodes)
        return tiny.content(root)

    return content


def assert_safe(root):
    """Whatever is acknowledged is whole, and nothing is shown that is not."""
    published = journal.published(root) if root.exists() else 0
    for index in acknowledged(root) - frozenset(range(published)):
        for name, digest in journal.read(root, index).files.items():
            assert files.sha256(root / name) == digest
    if published:
        content, _ = manifest.read(root)
        for index in range(published):
            for name in (layout.data_file(index), layout.video_file("observation.images.front", index)):
                assert files.sha256(root / name) == content.files[name]
    if (root / layout.INFO).exists():
        dataset = Dataset.open(root)
        for record in dataset.episodes:
            dataset.episode(record.index)
    else:
        with pytest.raises(GlamError, match=r"unfinished|no such folder|not a LeRobot dataset"):
            Dataset.open(root)


def test_a_recorded_episode_comes_back_exactly(tiny, target_set):
    dataset = Dataset.open(target_set)
    assert dataset.schema == tiny.TARGET
    for index in range(5):
        source, read = tiny.episode(index), dataset.episode(index)
        assert read.task == source.task
        assert dataset.episodes[index].facts == {"seed": 100 + index}
        for key in source.vectors:
            np.testing.assert_array_equal(read.vectors[key], source.vectors[key])
        for key in source.masks:
            np.testing.assert_array_equal(read.masks[key], source.masks[key])
        for key in source.images:
            assert np.abs(read.images[key].astype(int) - source.images[key]).mean() < 3


def test_every_crash_at_a_fault_point_is_survived_and_leaves_no_trace(tiny, tmp_path, one_go):
    crash("faults", tmp_path, 0, 2)
    dead = sorted(tmp_path.glob("dead-*"))
    assert len(dead) > 40
    for root in dead:
        assert_safe(root)
    expected = one_go(2)
    for root in tmp_path.glob("done-*"):
        assert tiny.content(root) == expected


def test_every_crash_while_extending_is_survived_and_leaves_no_trace(tiny, tmp_path, one_go):
    crash("faults", tmp_path, 1, 2)
    dead = sorted(tmp_path.glob("dead-*"))
    assert len(dead) > 25
    for root in dead:
        assert 0 in acknowledged(root)
        assert_safe(root)
    expected = one_go(2)
    for root in tmp_path.glob("done-*"):
        assert tiny.content(root) == expected


def test_kill_at_random_moments_loses_no_acknowledged_episode(tiny, tmp_path, one_go):
    crash("kills", tmp_path, 12, 20)
    dead = sorted(tmp_path.glob("dead-*"))
    counts = [len(acknowledged(root)) for root in dead]
    assert counts == sorted(counts)
    assert len(set(counts)) > 2
    for root in dead:
        assert_safe(root)
    assert tiny.content(tmp_path / "done-000") == one_go(12)


def test_two_processes_record_the_same_bytes_as_one(tiny, tmp_path, one_go):
    crash("share", tmp_path / "two", 5)
    assert tiny.content(tmp_path / "two") == one_go(5)


def test_an_episode_is_acknowledged_once_it_is_saved_and_saving_again_changes_nothing(tiny, tmp_path):
    assert acknowledged(tmp_path / "set") == frozenset()
    with recording(tmp_path / "set", tiny.TARGET, tiny.DESCRIPTION):
        save_episode(tmp_path / "set", tiny.TARGET, 3, tiny.episode(3), {})
        before = tiny.content(tmp_path / "set")
        save_episode(tmp_path / "set", tiny.TARGET, 3, tiny.episode(4), {"other": 1})
    assert acknowledged(tmp_path / "set") == {3}
    assert tiny.content(tmp_path / "set") == before


def test_saving_outside_a_recording_is_an_error(tiny, tmp_path):
    with pytest.raises(GlamError, match="no recording was begun here"):
        save_episode(tmp_path, tiny.TARGET, 0, tiny.episode(0), {})


def test_a_second_recorder_is_refused_until_the_first_is_dead(tiny, tmp_path):
    command = [sys.executable, str(CRASHES), "hold", str(tmp_path / "set")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout.readline() == "recording\n"
        with (
            pytest.raises(GlamError, match="another recorder is writing here"),
            recording(tmp_path / "set", tiny.TARGET, tiny.DESCRIPTION),
        ):
            pass
        first.send_signal(signal.SIGKILL)
        first.wait()
        with recording(tmp_path / "set", tiny.TARGET, tiny.DESCRIPTION):
            save_episode(tmp_path / "set", tiny.TARGET, 0, tiny.episode(0), {})


@pytest.mark.parametrize(
    ("schema", "description", "sentence"),
    [
        ({}, {"seed": 8}, "description.seed = 7, now 8"),
        ({}, {"config": {"disturbances": False, "nested": {"speed": 2.0}}}, "config.nested.speed = 1.5, now 2.0"),
        ({}, {"versions": {"glam": "0.1.0", "mujoco": "4"}}, 'versions.mujoco = "nothing", now "4"'),
        ({"fps": 20}, {}, "schema.fps = 10, now 20"),
        ({"cameras": ("front",)}, {}, "schema.cameras = "),
    ],
)
def test_going_on_with_other_settings_is_refused_naming_the_first_difference(
    tiny, tmp_path, schema, description, sentence
):
    with recording(tmp_path / "set", tiny.TARGET, tiny.DESCRIPTION):
        pass
    with (
        pytest.raises(GlamError) as refused,
        recording(tmp_path / "set", replace(tiny.TARGET, **schema), replace(tiny.DESCRIPTION, **description)),
    ):
        pass
    assert sentence in str(refused.value)


def test_a_folder_with_other_things_is_refused_and_left_alone(tiny, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with (
        pytest.raises(GlamError, match=r"notes\.txt"),
        recording(tmp_path, tiny.TARGET, tiny.DESCRIPTION),
    ):
        pass
    assert [path.name for path in tmp_path.rglob("*")] == ["notes.txt"]
    with (
        pytest.raises(GlamError, match="choose a folder"),
        recording(tmp_path / "notes.txt", tiny.TARGET, tiny.DESCRIPTION),
    ):
        pass


def test_what_a_crash_left_behind_is_removed_and_acknowledged_episodes_stay(tiny, tmp_path):
    root = tmp_path / "set"
    with recording(root, tiny.TARGET, tiny.DESCRIPTION):
        save_episode(root, tiny.TARGET, 0, tiny.episode(0), {})
    safe = tiny.content(root)
    left = [layout.video_file("observation.images.front", 1), layout.journal_rows(1), layout.data_file(1)]
    left += ["data/chunk-000/.file-000.parquet.77.glam.tmp", "meta/.info.json.77.glam.tmp"]
    for name in left:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"half")
    with recording(root, tiny.TARGET, tiny.DESCRIPTION):
        assert tiny.content(root) == safe


def with_part(episode, group, key, change):
    part = getattr(episode, group)
    return replace(episode, **{group: part | {key: change(part[key])}})


def nan_in_frame_two(rows):
    rows = rows.copy()
    rows[2, 1] = np.nan
    return rows


@pytest.mark.parametrize(
    ("group", "key", "change", "sentence"),
    [
        ("vectors", "action", nan_in_frame_two, "action is not finite in frame 2"),
        ("vectors", "action", lambda rows: rows[:-1], r"action is float32 of shape \(3, 3\)"),
        ("vectors", "action", lambda rows: rows[:, :2], r"it must be float32 of shape \(4, 3\)"),
        ("vectors", "action", lambda rows: rows.astype(np.float64), "action is float64"),
        ("vectors", "observation.ee_pose", lambda rows: rows[:1], "1 frames; an episode must have at least 2"),
        ("images", "observation.images.front", lambda frames: frames[:, :8], "observation.images.front is uint8"),
        ("masks", "observation.masks.front", lambda frames: frames // 2, "values other than 0 and 255"),
        ("masks", "observation.masks.front", lambda frames: frames[..., :1], "observation.masks.front is uint8"),
    ],
)
def test_an_episode_that_does_not_fit_the_schema_is_refused(tiny, tmp_path, group, key, change, sentence):
    episode = with_part(tiny.episode(0), group, key, change)
    with recording(tmp_path / "set", tiny.TARGET, tiny.DESCRIPTION):
        with pytest.raises(GlamError, match=sentence):
            save_episode(tmp_path / "set", tiny.TARGET, 0, episode, {})
        assert acknowledged(tmp_path / "set") == frozenset()


def test_an_action_has_no_place_in_an_auxiliary_set(tiny, tmp_path):
    with (
        recording(tmp_path / "set", tiny.AUXILIARY, tiny.DESCRIPTION),
        pytest.raises(GlamError, match="action has no place in this dataset"),
    ):
        save_episode(tmp_path / "set", tiny.AUXILIARY, 0, tiny.episode(0), {})


def test_an_episode_must_have_every_feature_and_a_task(tiny, tmp_path):
    whole = tiny.episode(0)
    with recording(tmp_path / "set", tiny.TARGET, tiny.DESCRIPTION):
        with pytest.raises(GlamError, match=r"observation\.masks\.front is missing"):
            save_episode(tmp_path / "set", tiny.TARGET, 0, replace(whole, masks={}), {})
        with pytest.raises(GlamError, match="task is empty"):
            save_episode(tmp_path / "set", tiny.TARGET, 0, replace(whole, task=""), {})


def test_a_set_without_poses_is_recorded_and_read(tiny, tmp_path):
    for name, whole in (("target", tiny.TARGET), ("auxiliary", tiny.AUXILIARY)):
        schema = replace(whole, has_pose=False, arms=("left", "right"))
        tiny.record(tmp_path / name, 2, schema)
        dataset = Dataset.open(tmp_path / name)
        assert dataset.schema == schema
        assert len(dataset.episode(1)) == tiny.length(1)
        assert "observation.ee_pose" not in (tmp_path / name / "meta/info.json").read_text()
