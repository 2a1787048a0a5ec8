"""A conversion is the same set of bytes however it was interrupted, and nothing at all from a bad source."""

import logging
import shutil
from dataclasses import replace

import h5py
import numpy as np
import pytest
from tests.data.tiny import content
from tests.interop.imports import foreign, references

from glam.core.errors import GlamError
from glam.data.check import check_dataset, has_errors
from glam.data.reader import Dataset
from glam.interop.imports.conversion import MadeSet
from glam.interop.imports.recordings import Hints
from glam.stages.convert import ConvertConfig, convert
from glam_client.live_pose import LivePose
from glam_client.pose_conversion import recipe_in

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


def readings(row):
    """What the robot of a robomimic file reads in one frame, by the names in the file."""
    with h5py.File(row) as file:
        obs = file["data/demo_0/obs"]
        return {name: obs[name][3] for name in obs if name.startswith("robot0_")}


def test_a_converted_set_knows_how_to_make_its_poses_live(source, converted):
    dataset = Dataset.open(converted)
    live = LivePose(recipe_in(dataset.provenance))
    np.testing.assert_allclose(live(readings(source)), dataset.vectors(0)["observation.ee_pose"][3], atol=1e-6)


def test_recipes_of_the_other_formats_give_their_poses_too(tmp_path):
    arrays = foreign.umi_arrays((6, 5))
    store = foreign.replay_buffer(tmp_path / "umi.zarr.zip", arrays, (6, 5))
    convert(ConvertConfig(), store, tmp_path / "umi")
    folder = foreign.video_folder(tmp_path / "films")
    convert(ConvertConfig(), folder, tmp_path / "film-set")
    umi, films = Dataset.open(tmp_path / "umi"), Dataset.open(tmp_path / "film-set")
    live = LivePose(recipe_in(umi.provenance))
    here = {name: np.atleast_1d(arrays[name][2]) for name in live.recipe.features}
    np.testing.assert_allclose(live(here), umi.vectors(0)["observation.ee_pose"][2], atol=1e-5)
    live = LivePose(recipe_in(films.provenance))
    (names,) = live.recipe.features.values()
    first = foreign.table(len(films.vectors(0)["observation.ee_pose"]), 0)[0]
    given = {"pose": [first[name] for name in names]}
    np.testing.assert_allclose(live(given), films.vectors(0)["observation.ee_pose"][0], atol=1e-5)


def test_roles_and_names_of_actions_are_as_the_user_says(source, tmp_path):
    names = ("dx", "dy", "dz", "drx", "dry", "drz", "gripper")
    convert(replace(CONFIG, action_names=names), source, tmp_path / "named")
    schema = Dataset.open(tmp_path / "named").schema
    assert (schema.action_names, schema.delta_actions) == (names, names[:6])
    convert(replace(CONFIG, role="auxiliary"), source, tmp_path / "aux")
    assert Dataset.open(tmp_path / "aux").schema.role == "auxiliary"
    with pytest.raises(GlamError, match="has 7 numbers in an action; give as many"):
        convert(replace(CONFIG, action_names=("x",)), source, tmp_path / "none")


def test_a_robomimic_file_without_actions_makes_an_auxiliary_set(source, tmp_path):
    blind = tmp_path / "blind.hdf5"
    shutil.copy(source, blind)
    with h5py.File(blind, "r+") as file:
        for demo in file["data"].values():
            del demo["actions"]
    convert(CONFIG, blind, tmp_path / "set")
    schema = Dataset.open(tmp_path / "set").schema
    assert (schema.role, schema.has_pose, schema.state_names) == ("auxiliary", True, ())
    with pytest.raises(GlamError, match=r"--role target: .* has no actions"):
        convert(replace(CONFIG, role="target"), blind, tmp_path / "none")


def test_videos_alone_make_a_set_without_poses(tmp_path, caplog):
    folder = foreign.video_folder(tmp_path / "films")
    for table in folder.glob("*/poses.*"):
        table.unlink()
    with caplog.at_level(logging.WARNING):
        made = convert(ConvertConfig(), folder, tmp_path / "set")
    dataset = Dataset.open(made.root)
    assert (dataset.schema.has_pose, dataset.schema.role, len(dataset.episodes)) == (False, "auxiliary", 3)
    assert not has_errors(check_dataset(made.root))
    assert "no episode has a table of poses" in caplog.text
