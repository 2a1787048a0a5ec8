"""What we write, LeRobot reads; what LeRobot writes, we read."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from lerobot.datasets.lerobot_dataset import LeRobotDataset

from glam.data.latents import LatentLabels, LatentsProvenance, write_relabelled_copy
from glam.data.reader import Dataset

SPEC = importlib.util.spec_from_file_location("write_fixture", Path(__file__).with_name("write_fixture.py"))
fixture = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(fixture)
tiny = fixture.tiny

EPISODES = 5
LARGE = fixture.replace(fixture.SCHEMA, objects=("red", "green"))
AUXILIARY = fixture.replace(LARGE, state_names=(), action_names=())


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    root = tmp_path_factory.mktemp("ours") / "target"
    tiny.record(root, EPISODES, LARGE)
    return root


@pytest.fixture(scope="module")
def auxiliary(tmp_path_factory):
    root = tmp_path_factory.mktemp("ours") / "auxiliary"
    tiny.record(root, EPISODES, AUXILIARY)
    return root


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    root = tmp_path_factory.mktemp("theirs") / "set"
    fixture.write(root)
    return root


def in_their_form(images):
    """(T, Y, X, C) uint8 as LeRobot gives it: channels first, 0..1."""
    return images.transpose(0, 3, 1, 2) / np.float32(255)


def psnr(a, b):
    return 10 * np.log10(1 / ((a.astype(float) - b) ** 2).mean((1, 2, 3)))


@pytest.mark.parametrize("name", ["target", "auxiliary"])
def test_lerobot_reads_every_row_of_ours(name, request):
    schema = {"target": LARGE, "auxiliary": AUXILIARY}[name]
    dataset = LeRobotDataset("glam/ours", root=request.getfixturevalue(name))
    episodes = [tiny.episode(index, schema) for index in range(EPISODES)]
    assert dataset.num_episodes == EPISODES
    assert len(dataset) == sum(len(episode) for episode in episodes)
    assert set(dataset.meta.tasks.index) == {episode.task for episode in episodes}
    row = 0
    for index, episode in enumerate(episodes):
        items = [dataset[row + frame] for frame in range(len(episode))]
        for key, values in episode.vectors.items():
            np.testing.assert_array_equal(np.stack([item[key] for item in items]), values)
        for key, masks in episode.masks.items():
            np.testing.assert_array_equal(np.stack([item[key] for item in items]), in_their_form(masks))
        for key, images in episode.images.items():
            assert psnr(np.stack([item[key] for item in items]), in_their_form(images)).min() > 40
        frames = np.arange(len(episode))
        assert [item["index"].item() for item in items] == (row + frames).tolist()
        assert [item["frame_index"].item() for item in items] == frames.tolist()
        assert [item["episode_index"].item() for item in items] == [index] * len(episode)
        assert [item["task"] for item in items] == [episode.task] * len(episode)
        np.testing.assert_array_equal([item["timestamp"] for item in items], (frames / 10).astype(np.float32))
        row += len(episode)


def test_an_auxiliary_set_of_ours_has_no_action_for_lerobot(auxiliary):
    dataset = LeRobotDataset("glam/ours", root=auxiliary)
    assert not {"action", "observation.state"} & (set(dataset.features) | set(dataset[0]) | set(dataset.meta.stats))


def test_lerobot_finds_windows_at_both_ends_of_an_episode(target):
    deltas = {"action": [-0.1, 0.0, 0.1]}
    dataset = LeRobotDataset("glam/ours", root=target, delta_timestamps=deltas)
    episode, first = tiny.episode(1, LARGE), tiny.length(0)
    action = episode.vectors["action"]
    begin, end = dataset[first], dataset[first + len(episode) - 1]
    np.testing.assert_array_equal(begin["action"], action[[0, 0, 1]])
    np.testing.assert_array_equal(end["action"], action[[-2, -1, -1]])
    assert begin["action_is_pad"].tolist() == [True, False, False]
    assert end["action_is_pad"].tolist() == [False, False, True]


def test_lerobot_decodes_the_very_pixels_that_we_decode(target):
    theirs, ours = LeRobotDataset("glam/ours", root=target), Dataset.open(target)
    for key in LARGE.image_keys:
        images = in_their_form(ours.images(0, key))
        there = np.stack([theirs[frame][key] for frame in range(len(images))])
        assert np.abs(there - images).max() <= 2 / 255


def test_lerobot_takes_our_statistics(target):
    stats = LeRobotDataset("glam/ours", root=target).meta.stats
    action = np.concatenate([tiny.episode(index, LARGE).vectors["action"] for index in range(EPISODES)])
    np.testing.assert_allclose(stats["action"]["mean"], action.mean(0, dtype=np.float64), rtol=1e-6)
    np.testing.assert_allclose(stats["action"]["std"], action.std(0, dtype=np.float64), rtol=1e-6)
    assert stats["observation.images.front"]["mean"].shape == (3, 1, 1)


def test_we_read_what_lerobot_writes(theirs):
    dataset = Dataset.open(theirs)
    assert dataset.schema == fixture.SCHEMA
    assert len(dataset.episodes) == 2
    for index in range(2):
        source, read = tiny.episode(index, fixture.SCHEMA), dataset.episode(index)
        assert read.task == source.task
        for key, values in source.vectors.items():
            np.testing.assert_array_equal(read.vectors[key], values)
        for key, masks in source.masks.items():
            np.testing.assert_array_equal(read.masks[key], masks)
        for key, images in source.images.items():
            assert psnr(read.images[key] / 255, images / 255).min() > 30


def test_we_read_the_pixels_that_lerobot_reads_from_its_own_set(theirs):
    their_reader, our_reader = LeRobotDataset("glam/written", root=theirs), Dataset.open(theirs)
    row = tiny.length(0)
    for key in fixture.SCHEMA.image_keys:
        images = in_their_form(our_reader.images(1, key))
        there = np.stack([their_reader[row + frame][key] for frame in range(len(images))])
        assert np.abs(there - images).max() <= 2 / 255


@pytest.mark.parametrize("name", ["target", "auxiliary", "theirs"])
def test_lerobot_reads_the_labels_of_a_relabelled_copy_and_all_that_its_source_has(name, request, tmp_path):
    source = Dataset.open(request.getfixturevalue(name))
    latents = np.random.default_rng(0).standard_normal((len(source), 8)).astype(np.float32)
    provenance = LatentsProvenance(source.content_id, "model", "glam-o")
    write_relabelled_copy(source, LatentLabels(latents, provenance, {}), tmp_path / "labelled")
    before = LeRobotDataset("glam/source", root=source.root)
    after = LeRobotDataset("glam/labelled", root=tmp_path / "labelled", delta_timestamps={"action.latent": [0.0, 0.1]})
    assert set(after.features) == {*before.features, "action.latent"}
    assert after.features["action.latent"]["names"] == [f"z{entry}" for entry in range(8)]
    assert after.meta.stats["action.latent"]["mean"].shape == (8,)
    assert len(after) == len(before)
    length = source.episodes[0].length
    for row in range(length + 1):  # of the first episode, and the first of the second
        there, here = before[row], after[row]
        for key in before.features:
            np.testing.assert_array_equal(here[key], there[key])
        last = length - 2 if row < length else len(latents)  # the last frame repeats the label before it
        np.testing.assert_array_equal(here["action.latent"], latents[np.minimum([row, row + 1], last)])
        assert here["action.latent_is_pad"].tolist() == [False, row == length - 1]
