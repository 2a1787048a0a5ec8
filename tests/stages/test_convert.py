"""A conversion is the same set of bytes however it was interrupted, and nothing at all from a bad source."""

from dataclasses import replace

import numpy as np
import pytest
from tests.data.tiny import content
from tests.interop.imports import foreign, references

from glam.core.errors import GlamError
from glam.data.check import check_dataset
from glam.data.reader import Dataset
from glam.interop.imports.conversion import MadeSet
from glam.interop.imports.recordings import Hints
from glam.stages.convert import ConvertConfig, convert

CONFIG = ConvertConfig(size=8, hints=Hints(source_rate=20.0, task="Lift the cube."))


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return foreign.robomimic(tmp_path_factory.mktemp("source") / "demo.hdf5")


@pytest.fixture(scope="module")
def converted(source, tmp_path_factory):
    out = tmp_path_factory.mktemp("converted") / "set"
    convert(CONFIG, source, out)
    return out


def test_every_format_becomes_a_healthy_dataset(tmp_path):
    sources = {
        foreign.robomimic(tmp_path / "demo.hdf5"): "target",
        foreign.replay_buffer(tmp_path / "demo.zarr.zip", foreign.umi_arrays()): "auxiliary",
        foreign.video_folder(tmp_path / "films"): "auxiliary",
    }
    for source, role in sources.items():
        out = tmp_path / f"{source.name}-set"
        assert convert(CONFIG, source, out) == MadeSet(out, role, 3, sum(foreign.LENGTHS), 20)
        assert check_dataset(out) == ()
        dataset = Dataset.open(out)
        assert (dataset.schema.fps, dataset.schema.image_size) == (20, (8, 8))
        assert [record.length for record in dataset.episodes] == list(foreign.LENGTHS)
        assert {record.task for record in dataset.episodes} == {"Lift the cube."}


SOURCES = {
    "robomimic": (lambda folder: foreign.robomimic(folder / "demo.hdf5"), references.robomimic),
    "umi-zarr": (
        lambda folder: foreign.replay_buffer(folder / "demo.zarr.zip", foreign.umi_arrays()),
        references.umi,
    ),
    "video-folder": (lambda folder: foreign.video_folder(folder / "demo"), references.video_folder),
}


@pytest.mark.parametrize("name", SOURCES)
def test_what_lies_on_disk_is_what_the_formats_own_library_reads(name, tmp_path):
    make, read = SOURCES[name]
    source = make(tmp_path)
    convert(ConvertConfig(hints=Hints(source_rate=20.0)), source, tmp_path / "set")
    dataset, wanted = Dataset.open(tmp_path / "set"), read(source)
    assert len(dataset.episodes) == len(wanted) == len(foreign.LENGTHS)
    for index, theirs in enumerate(wanted):
        ours = dataset.episode(index)
        assert ours.task == theirs.task
        assert ours.vectors.keys() == theirs.vectors.keys()
        for key, values in theirs.vectors.items():
            assert_same_numbers(ours.vectors[key], values, key)
        assert ours.images.keys() == theirs.images.keys()
        for key, pixels in theirs.images.items():
            assert_same_film(ours.images[key], pixels)


def test_states_and_actions_of_a_table_lie_on_disk_as_they_stand_in_it(tmp_path):
    source = foreign.video_folder(tmp_path / "demo", labels=True)
    convert(ConvertConfig(), source, tmp_path / "set")
    dataset = Dataset.open(tmp_path / "set")
    for index, frames in enumerate(foreign.LENGTHS):
        vectors = dataset.episode(index).vectors
        np.testing.assert_array_equal(vectors["observation.state"], foreign.joints(frames, index).astype("f4"))
        np.testing.assert_array_equal(vectors["action"], foreign.actions(frames, index).astype("f4"))


def assert_same_numbers(ours, theirs, key):
    """To the bit in single precision, but for what is computed: rotations and openings, to its last digit or two."""
    assert ours.dtype == np.float32
    computed = {"observation.ee_pose": slice(3, None), "observation.state": slice(7, None), "action": slice(0, 0)}[key]
    is_copied = np.ones(ours.shape[1], bool)
    is_copied[computed] = False
    np.testing.assert_array_equal(ours[:, is_copied], theirs[:, is_copied].astype(np.float32))
    np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=2e-7)


def assert_same_film(ours, theirs):
    """Off by what a codec may change (of 255), and no frame nearer to another than to its own."""
    assert ours.shape == theirs.shape
    distance = np.abs(ours[:, None].astype(float) - theirs[None]).mean(axis=(2, 3, 4))
    assert distance.diagonal().max() < 5.0
    np.testing.assert_array_equal(distance.argmin(axis=1), np.arange(len(ours)))


def test_the_manifest_tells_where_a_set_comes_from(converted):
    provenance = Dataset.open(converted).provenance
    assert provenance["facts"][2] == {"source": "data/demo_2"}
    assert provenance["description"]["embodiment"] == "Panda"
    assert provenance["description"]["config"]["format"] == "robomimic"
    assert len(provenance["description"]["config"]["sha256"]) == 64


def test_the_set_says_what_its_actions_are_as_the_file_or_the_user_does(source, converted, tmp_path):
    assert Dataset.open(converted).schema.delta_actions == tuple(f"action{number}" for number in range(6))
    convert(replace(CONFIG, actions="absolute", rate=10), source, tmp_path / "set")
    assert Dataset.open(tmp_path / "set").schema.delta_actions == ()


@pytest.mark.parametrize("stop", [1, 2])
def test_an_interrupted_conversion_goes_on_and_ends_as_if_nothing_had_happened(source, converted, tmp_path, stop):
    def interrupt(done, total):
        if done == stop:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        convert(CONFIG, source, tmp_path / "set", interrupt)
    assert not (tmp_path / "set/meta/info.json").exists()
    seen = []
    convert(CONFIG, source, tmp_path / "set", lambda done, total: seen.append((done, total)))
    assert seen[-1] == (3, 3)
    assert content(tmp_path / "set") == content(converted)


def test_converting_again_changes_nothing(source, converted):
    before = content(converted)
    convert(CONFIG, source, converted)
    assert content(converted) == before


def test_another_source_or_other_settings_in_the_same_folder_are_refused(converted, tmp_path):
    other = foreign.robomimic(tmp_path / "demo.hdf5", (6, 9, 7))
    with pytest.raises(GlamError, match="resume with the same settings, or use another folder"):
        convert(CONFIG, other, converted)
    with pytest.raises(GlamError, match="resume with the same settings, or use another folder"):
        convert(replace(CONFIG, size=16), foreign.robomimic(tmp_path / "same.hdf5"), converted)


def test_a_bad_source_writes_nothing(tmp_path):
    source = foreign.video_folder(tmp_path / "films")
    (source / "episode_2/poses.csv").unlink()
    with pytest.raises(GlamError, match="episode_2: has 0 tables of poses"):
        convert(CONFIG, source, tmp_path / "set")
    assert not (tmp_path / "set").exists()


def test_a_dataset_inside_its_source_is_refused(tmp_path):
    source = foreign.video_folder(tmp_path / "films")
    with pytest.raises(GlamError, match=r"--out .* lies inside"):
        convert(CONFIG, source, source / "set")
