"""Lists of episodes to leave out: found by content, checked, and applied without moving the split."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.data import tiny

from glam.core.errors import GlamError
from glam.data.demonstrations import Demonstrations, Reading, shared
from glam.data.reader import Dataset
from glam.data.skipping import SkipList, datasets_in, read_skip_list, recorded_skips, skip_list_entry, without


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    root = tmp_path_factory.mktemp("sets") / "set"
    tiny.record(root, 8)
    return Dataset.open(root)


@pytest.fixture(scope="module")
def whole(dataset: Dataset) -> Demonstrations:
    return Reading(pixels=8, held_out=0.4, seed=3, workers=1).open(dataset, shared([dataset.schema]))


def written(path: Path, *entries: object) -> Path:
    path.write_text(json.dumps({"format": 1, "datasets": entries}))
    return path


def test_a_list_names_episodes_by_the_content_of_their_dataset(dataset: Dataset, tmp_path: Path) -> None:
    entry = skip_list_entry(dataset, {3: "it jumps", 1: "it stands still"}, {5: "it is long"})
    assert read_skip_list(written(tmp_path / "skip.json", entry)).of(dataset) == (1, 3)
    assert read_skip_list(None).of(dataset) == ()


@pytest.mark.parametrize("content", ["[]", '{"format": 2, "datasets": []}', '{"format": 1, "datasets": [{}]}'])
def test_another_file_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "skip.json").write_text(content)
    with pytest.raises(GlamError, match="not a list of episodes"):
        read_skip_list(tmp_path / "skip.json")


def test_an_episode_that_is_not_there_is_refused(dataset: Dataset) -> None:
    with pytest.raises(GlamError, match="has no episode 8"):
        SkipList({dataset.content_id: frozenset({8})}).of(dataset)


def test_leaving_out_does_not_move_the_split(whole: Demonstrations) -> None:
    found = without(whole, (int(whole.frames.episodes.episode_of(whole.train.starts)[0]),))
    np.testing.assert_array_equal(found.train.starts, whole.train.starts[1:])
    np.testing.assert_array_equal(found.split.held_out.starts, whole.split.held_out.starts)


def test_nothing_left_to_learn_from_is_refused(whole: Demonstrations) -> None:
    every = tuple(whole.frames.episodes.episode_of(whole.train.starts).tolist())
    with pytest.raises(GlamError, match="leaves no episode"):
        without(whole, every)


def test_a_run_records_what_it_left_out(dataset: Dataset) -> None:
    inputs = {"0": dataset.content_id} | SkipList({dataset.content_id: frozenset({4, 2})}).inputs([dataset])
    assert datasets_in(inputs) == {"0": dataset.content_id}
    assert recorded_skips(inputs).of(dataset) == (2, 4)
    assert SkipList().inputs([dataset]) == {}
