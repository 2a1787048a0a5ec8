"""Datasets of LeRobot v2.0 and v2.1 are read as they are, and faults in them are told."""

import json
import re

import numpy as np
import pytest
from tests.interop.lerobot import foreign
from tests.interop.lerobot.older import as_older, lines

from glam.core.errors import GlamError
from glam.data.check import check_dataset
from glam.data.reader import Dataset
from glam.interop.lerobot.mapping import ImportOptions, parse_map
from glam.interop.lerobot.older_versions import EPISODES, is_older, read_any_episodes, read_any_info
from glam.stages.adopt import AdoptConfig, prepare

CONFIG = AdoptConfig(ImportOptions(parse_map(["observation.images.front=observation.images.top"])), rate=10, size=16)


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    return foreign.arm(tmp_path_factory.mktemp("new") / "arm", tasks=["Put it in.", "Take it out.", "Put it in."])


@pytest.fixture
def older(arm, tmp_path):
    return as_older(arm, tmp_path / "older")


@pytest.mark.parametrize(("version", "chunks_size"), [("v2.1", 1000), ("v2.0", 2)])
def test_an_older_set_becomes_what_the_new_one_becomes(arm, tmp_path, version, chunks_size):
    older = as_older(arm, tmp_path / "older", version, chunks_size)
    assert is_older(older)
    assert not is_older(arm)
    made = [prepare(CONFIG, root, tmp_path / f"made of {root.name}").write().root for root in (arm, older)]
    assert check_dataset(made[1]) == ()
    new, old = map(Dataset.open, made)
    assert old.schema == new.schema
    assert [record.task for record in old.episodes] == ["Put it in.", "Take it out.", "Put it in."]
    for index in range(3):
        for key, values in new.vectors(index).items():
            np.testing.assert_array_equal(old.vectors(index)[key], values)
        images = [dataset.images(index, "observation.images.front").astype(float) for dataset in (new, old)]
        assert np.abs(images[0] - images[1]).mean() < 3.0


def test_a_set_of_images_in_its_data_files_has_no_videos(tmp_path):
    key = "observation.image"
    features = {key: foreign.camera(dtype="image"), "observation.state": foreign.feature(1)}
    new = foreign.write(tmp_path / "new", features, [{"observation.state": np.zeros((4, 1))}] * 2)
    older = as_older(new, tmp_path / "older")
    info = json.loads((older / "meta/info.json").read_text())
    (older / "meta/info.json").write_text(json.dumps(info | {"video_path": None}))
    made = prepare(AdoptConfig(size=16), older, tmp_path / "set").write().root
    assert len(Dataset.open(made).episodes) == 2


def without(name):
    return lambda root: (root / name).unlink()


def episodes(*values):
    return lambda root: lines(root / EPISODES, values)


LINE = {"episode_index": 0, "tasks": ["Put it in."], "length": 31}


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (without("meta/tasks.jsonl"), "tasks.jsonl: no such file, which a dataset of version 2 has"),
        (without(EPISODES), "episodes.jsonl: no such file"),
        (lambda root: (root / EPISODES).write_text("{\n"), "line 1 is not an object with episode_index (int), tasks"),
        (episodes(LINE), "1 episodes that are not numbered 0 to 2"),
        (episodes(*(LINE | {"episode_index": i} for i in range(3))), "93 frames in all, but meta/info.json says 114"),
        (episodes(LINE | {"length": 0}, *(LINE | {"episode_index": i} for i in (1, 2))), "episode 0: length is 0"),
        (episodes(*(LINE | {"episode_index": i, "tasks": ["X"]} for i in range(3))), "episode 0: no task 'X'"),
        (without("data/chunk-000/episode_000001.parquet"), "episode_000001.parquet: no such file"),
        (without("videos/chunk-000/observation.images.top/episode_000002.mp4"), "episode_000002.mp4: no such video"),
    ],
)
def test_what_is_missing_or_wrong_is_told_in_a_sentence(older, tmp_path, spoil, sentence):
    spoil(older)
    with pytest.raises(GlamError, match=re.escape(sentence)):
        prepare(CONFIG, older, tmp_path / "set").write()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"chunks_size": 0}, "chunks_size is 0; it must be a positive whole number"),
        ({"data_path": "../{episode_index}.parquet"}, "which is not inside this folder"),
        ({"data_path": "data/{total_episodes}.parquet"}, "is not a path template"),
    ],
)
def test_descriptions_that_lead_nowhere_are_refused(older, changes, sentence):
    info = json.loads((older / "meta/info.json").read_text())
    (older / "meta/info.json").write_text(json.dumps(info | changes))
    with pytest.raises(GlamError, match=re.escape(sentence)):
        read_any_episodes(older, read_any_info(older), ())


def test_other_commands_name_the_one_that_reads_it(older):
    with pytest.raises(GlamError, match=r"codebase version v2\.1; make a v3\.0 dataset of it with glam data adopt"):
        Dataset.open(older)
    assert any("glam data adopt makes such a dataset" in finding.problem for finding in check_dataset(older))
