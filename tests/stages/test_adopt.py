"""An adopted dataset is one of ours, whatever was interrupted, and holds what its source held at the same moments."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from tests.data import tiny
from tests.interop.lerobot import foreign

from glam.core.errors import GlamError
from glam.data.check import check_dataset
from glam.data.reader import Dataset
from glam.data.recording import publish, recording, save_episode
from glam.data.schema import ACTION, EE_POSE, STATE
from glam.interop.imports.conversion import MadeSet
from glam.interop.imports.recordings import Hints
from glam.interop.lerobot.mapping import ImportOptions, parse_map
from glam.sim.kinematics import Chain
from glam.stages.adopt import AdoptConfig, prepare

FRONT = parse_map(["observation.images.front=observation.images.top"])
CONFIG = AdoptConfig(ImportOptions(FRONT), rate=10, size=16)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return foreign.arm(tmp_path_factory.mktemp("source") / "arm")


@pytest.fixture(scope="module")
def chains(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "crane.urdf"
    path.write_text(foreign.URDF)
    return {"": Chain.open(path, "tip")}


@pytest.fixture(scope="module")
def adopted(source, chains, tmp_path_factory):
    out = tmp_path_factory.mktemp("adopted") / "set"
    prepare(CONFIG, source, out, chains).write()
    return out


def test_the_result_is_a_healthy_dataset_at_the_rate_and_size_asked_for(source, chains, adopted):
    made = prepare(CONFIG, source, adopted, chains).result
    assert made == MadeSet(adopted, "target", 3, 11 + 16 + 13, 10)
    assert check_dataset(adopted) == ()
    schema = Dataset.open(adopted).schema
    assert (schema.cameras, schema.fps, schema.image_size, schema.arms) == (("front",), 10, (16, 16), ("arm",))
    assert schema.state_names == schema.action_names == foreign.MOTORS


def test_poses_and_states_are_those_of_the_same_moment(adopted):
    dataset = Dataset.open(adopted)
    for index in range(3):
        vectors, angles = dataset.vectors(index), foreign.joints(index)[::3]
        np.testing.assert_allclose(vectors[STATE], angles, atol=1e-5)
        np.testing.assert_allclose(vectors[EE_POSE][:, :3], foreign.tip(angles), atol=1e-5)
        np.testing.assert_allclose(vectors[EE_POSE][:, 9], angles[:, 2] / 100.0, atol=1e-5)


def test_images_are_those_of_the_same_moment(source, adopted, tmp_path):
    whole = Dataset.open(prepare(AdoptConfig(ImportOptions(FRONT)), source, tmp_path / "set").write().root)
    few = Dataset.open(adopted)
    key = "observation.images.front"
    every, chosen = whole.images(1, key), few.images(1, key)
    small = every.astype(float).mean((1, 2))[::3]
    np.testing.assert_allclose(chosen.astype(float).mean((1, 2)), small, atol=2.0)


def test_targets_are_held_to_the_end_of_the_longer_step(adopted):
    given = np.roll(foreign.joints(1), -1, axis=0)
    found = Dataset.open(adopted).vectors(1)[ACTION]
    np.testing.assert_allclose(found[:-1], given[2::3][: len(found) - 1], atol=1e-5)


def test_delta_actions_add_up_over_the_longer_step(tmp_path):
    rows = []
    for index in range(2):
        state = foreign.joints(index)
        steps = np.diff(state, axis=0, append=state[-1:])
        steps[:, 2] = state[:, 2]  # the gripper is told where to be
        rows.append({STATE: state, ACTION: steps})
    source = foreign.arm(tmp_path / "source", rows=rows)
    config = AdoptConfig(ImportOptions(FRONT, actions="delta"), rate=10, size=16)
    dataset = Dataset.open(prepare(config, source, tmp_path / "set").write().root)
    vectors = dataset.vectors(1)
    assert dataset.schema.delta_actions == foreign.MOTORS[:2]
    assert check_dataset(dataset.root) == ()
    steps = np.diff(vectors[STATE], axis=0)
    np.testing.assert_allclose(vectors[ACTION][:-1, :2], steps[:, :2], atol=1e-5)
    np.testing.assert_allclose(vectors[ACTION][:-1, 2], foreign.joints(1)[2::3, 2][: len(steps)], atol=1e-4)


def test_a_faster_rate_puts_frames_between_the_recorded_ones(source, chains, tmp_path):
    config = replace(CONFIG, rate=60)
    vectors = Dataset.open(prepare(config, source, tmp_path / "set", chains).write().root).vectors(0)
    angles = foreign.joints(0, 61, 60)
    np.testing.assert_allclose(vectors[STATE][:, 0], angles[:, 0], atol=1e-3)
    np.testing.assert_allclose(vectors[EE_POSE][:, :3], foreign.tip(angles), atol=1e-3)
    rotation = vectors[EE_POSE][:, 3:9].reshape(-1, 2, 3)
    np.testing.assert_allclose(rotation @ rotation.transpose(0, 2, 1), [np.eye(2)] * 61, atol=1e-6)


def test_a_set_without_a_pose_has_none(source, tmp_path):
    dataset = Dataset.open(prepare(CONFIG, source, tmp_path / "set").write().root)
    assert not dataset.schema.has_pose
    assert set(dataset.vectors(0)) == {STATE, ACTION}
    assert check_dataset(tmp_path / "set") == ()


def test_an_auxiliary_set_of_images_alone_is_legal(source, tmp_path):
    config = replace(CONFIG, options=replace(CONFIG.options, role="auxiliary"))
    dataset = Dataset.open(prepare(config, source, tmp_path / "set").write().root)
    assert dataset.schema.role == "auxiliary"
    assert dataset.vectors(0) == {}
    assert [record.length for record in dataset.episodes] == [11, 16, 13]
    assert check_dataset(tmp_path / "set") == ()


def test_a_set_of_ours_comes_back_as_it_was(tmp_path):
    ours = Dataset.open(record_ours(tmp_path / "ours"))
    again = Dataset.open(prepare(AdoptConfig(), ours.root, tmp_path / "again").write().root)
    assert again.schema == ours.schema
    for index in range(3):
        for key in (STATE, ACTION):
            np.testing.assert_array_equal(again.vectors(index)[key], ours.vectors(index)[key])
        np.testing.assert_allclose(again.vectors(index)[EE_POSE], ours.vectors(index)[EE_POSE], atol=1e-6)
        for key in ours.schema.mask_keys:
            np.testing.assert_array_equal(again.masks(index, key), ours.masks(index, key))
        assert again.episodes[index].task == ours.episodes[index].task


def test_a_set_of_ours_says_itself_what_its_actions_are(tmp_path):
    schema = replace(tiny.TARGET, delta_actions=("joint2",), arms=(), has_pose=False)
    tiny.record(tmp_path / "ours", 2, schema)
    assert Dataset.open(tmp_path / "ours").schema.delta_actions == ("joint2",)
    for actions, expected in (("auto", ("joint2",)), ("absolute", ()), ("delta", ("joint1", "joint2"))):
        config = AdoptConfig(ImportOptions(actions=actions))
        again = Dataset.open(prepare(config, tmp_path / "ours", tmp_path / actions).write().root)
        assert again.schema.delta_actions == expected


def test_nothing_is_made_of_actions_that_may_be_anything(tmp_path):
    noise = np.random.default_rng(0).standard_normal((20, 3))
    source = foreign.arm(tmp_path / "source", rows=[{STATE: foreign.joints(0, 20), ACTION: noise}])
    said = []
    with pytest.raises(GlamError, match=r"source: cannot find out whether action.*--actions absolute or"):
        prepare(AdoptConfig(ImportOptions(FRONT)), source, tmp_path / "set", tell=said.append)
    assert said[2].endswith("absolute or delta")
    as_auxiliary = AdoptConfig(ImportOptions(FRONT, role="auxiliary"))
    assert prepare(as_auxiliary, source, tmp_path / "set").result.role == "auxiliary"


def record_ours(root):
    """A set of ours; the poses of `tiny` are noise, so it gets rotations that are such."""
    with recording(root, tiny.TARGET, tiny.DESCRIPTION):
        for index in range(3):
            episode = tiny.episode(index)
            pose = episode.vectors[EE_POSE]
            pose[:, 3:9], pose[:, 9] = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0], 0.1 * index
            save_episode(root, tiny.TARGET, index, episode, {})
        publish(root, tiny.TARGET, tiny.DESCRIPTION, 3)
    return root


@pytest.mark.parametrize("stop", [1, 2])
def test_an_interrupted_adoption_goes_on_and_ends_as_if_nothing_had_happened(source, chains, adopted, tmp_path, stop):
    def interrupt(done, total):
        if done == stop:
            raise KeyboardInterrupt

    adoption = prepare(CONFIG, source, tmp_path / "set", chains)
    with pytest.raises(KeyboardInterrupt):
        adoption.write(interrupt)
    assert not (tmp_path / "set/meta/info.json").exists()
    seen = []
    adoption.write(lambda done, total: seen.append(done))
    assert all(a <= b for a, b in pairwise(seen))
    assert tiny.content(tmp_path / "set") == tiny.content(adopted)


def test_other_settings_in_the_same_folder_are_refused(source, chains, adopted):
    with pytest.raises(GlamError, match="resume with the same settings, or use another folder"):
        prepare(replace(CONFIG, size=32), source, adopted, chains).write()
    hinted = replace(CONFIG, options=replace(CONFIG.options, hints=Hints(task="Something else.")))
    with pytest.raises(GlamError, match="resume with the same settings, or use another folder"):
        prepare(hinted, source, adopted, chains).write()


def test_the_manifest_tells_where_a_set_comes_from(adopted, chains):
    provenance = Dataset.open(adopted).provenance
    assert provenance["facts"][2] == {"source": "episode 2"}
    config = provenance["description"]["config"]
    assert (config["format"], config["source_rate"], config["kinematics"]) == (
        "lerobot",
        30.0,
        {"arm": chains[""].digest},
    )
    assert provenance["description"]["embodiment"] == "crane"


def test_preparing_writes_nothing(source, tmp_path):
    prepare(CONFIG, source, tmp_path / "set")
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize("place", ["missing", "file"])
def test_a_source_that_is_no_folder_is_refused(tmp_path, place):
    (tmp_path / "file").write_text("")
    with pytest.raises(GlamError, match="no such folder; give the folder of a LeRobot dataset, or its id"):
        prepare(CONFIG, tmp_path / place, tmp_path / "set")


def test_a_dataset_inside_its_source_is_refused(source):
    with pytest.raises(GlamError, match=r"--out .* lies inside"):
        prepare(CONFIG, source, source / "set")
