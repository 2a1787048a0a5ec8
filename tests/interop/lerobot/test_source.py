import json

import numpy as np
import pytest
from tests.data import tiny
from tests.interop.lerobot import foreign

from glam.core.errors import GlamError
from glam.interop.lerobot.source import LeRobotSource


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return foreign.arm(tmp_path_factory.mktemp("foreign") / "arm")


def frames(source, record, name, first, last):
    return np.concatenate(list(source.frames(record, name).pieces(first, last)))


def test_numbers_of_every_episode_are_read_from_a_file_that_holds_them_all(shared):
    source = LeRobotSource.open(shared)
    entries = source.features.select("", "observation.state[gripper.pos]+action[0]")
    for index, record in enumerate(source.episodes(())):
        found = source.numbers(record, entries)
        np.testing.assert_array_equal(found[entries[0]], foreign.joints(index)[:, 2].astype(np.float32))
        np.testing.assert_array_equal(found[entries[1]], np.roll(foreign.joints(index), -1, 0)[:, 0].astype(np.float32))


@pytest.mark.parametrize("episode", [0, 2])
def test_any_frames_of_a_film_are_those_of_its_episode(shared, episode):
    source, key = LeRobotSource.open(shared), "observation.images.top"
    record = source.episodes([key])[episode]
    shown = foreign.shown({"shape": source.info.features[key].shape}, record.length, 0, episode)
    found = frames(source, record, key, 3, record.length)
    assert found.shape == (record.length - 3, 24, 32, 3)
    distance = np.abs(shown[None, 3:].astype(float) - found[:, None]).mean((2, 3, 4))
    np.testing.assert_array_equal(distance.argmin(1), np.arange(len(found)))


def test_images_in_the_data_file_are_films_too(tmp_path):
    key = "observation.image"
    features = {key: foreign.camera(dtype="image"), "observation.state": foreign.feature(1)}
    source = LeRobotSource.open(foreign.write(tmp_path / "set", features, [{"observation.state": np.zeros((4, 1))}]))
    (record,) = source.episodes([key])
    np.testing.assert_array_equal(frames(source, record, key, 1, 3), foreign.shown(features[key], 4, 0, 0)[1:3])


def test_films_of_another_size_than_is_said_are_refused(tmp_path):
    root, key = foreign.glove(tmp_path / "set"), "observation.images.main"
    info = json.loads((root / "meta/info.json").read_text())
    info["features"][key]["shape"] = [48, 32, 3]
    (root / "meta/info.json").write_text(json.dumps(info))
    source = LeRobotSource.open(root)
    with pytest.raises(GlamError, match=r"episode 0: .*main has images of shape \(24, 32, 3\); meta/info.json says"):
        frames(source, source.episodes([key])[0], key, 0, 2)


def test_a_number_that_is_none_is_found(tmp_path):
    rows = [{"observation.state": np.where(np.arange(35).reshape(5, 7) == 16, np.nan, 0.5)}]
    root = foreign.glove(tmp_path / "set", rows=rows)
    source = LeRobotSource.open(root)
    with pytest.raises(GlamError, match=r"episode 0, frame 2: observation.state is nan; every number must be finite"):
        source.numbers(source.episodes(())[0], source.features.vectors["observation.state"].entries)


def test_a_number_that_none_can_be_is_refused_only_where_it_is_wanted(tmp_path):
    rows = [{"observation.state": np.where(np.arange(35).reshape(5, 7) == 16, -1e30, 0.5)}]
    source = LeRobotSource.open(foreign.glove(tmp_path / "set", rows=rows))
    record, entries = source.episodes(())[0], source.features.vectors["observation.state"].entries
    with pytest.raises(GlamError, match=r"frame 2: observation.state is -1e\+30; at most 1e\+08 is believed"):
        source.numbers(record, entries)
    assert len(source.numbers(record, entries[:2])) == 2


def test_a_set_of_ours_is_held_to_its_manifest(tmp_path):
    tiny.record(tmp_path / "set", 2)
    source = LeRobotSource.open(tmp_path / "set")
    assert source.objects == tiny.TARGET.objects
    key = "observation.images.front"
    record = source.episodes([key])[1]
    record.videos[key].path.write_bytes(source.episodes([key])[0].videos[key].path.read_bytes())
    with pytest.raises(GlamError, match="damaged"):
        frames(source, record, key, 0, 2)
