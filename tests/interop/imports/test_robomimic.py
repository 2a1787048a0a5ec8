"""robomimic files mean what their convention says."""

import h5py
import numpy as np
import pytest
from tests.interop.imports import foreign, references

from glam.core.errors import GlamError
from glam.interop.imports import robomimic
from glam.interop.imports.conversion import plan, poses
from glam.interop.imports.recordings import Hints


def changed(tmp_path, change, **options):
    file = foreign.robomimic(tmp_path / "demo.hdf5", **options)
    with h5py.File(file, "r+") as content:
        change(content)
    return file


def replace(group, key, values):
    del group[key]
    group[key] = values


def read(reader, file, **hints):
    return robomimic.read(reader, file, Hints(**hints))


def test_everything_is_as_h5py_and_scipy_read_it(reader, tmp_path):
    file = foreign.robomimic(tmp_path / "lift.hdf5")
    made = plan(read(reader, file), None, None)
    episodes = [references.of_episode(made.episode(index)) for index in range(3)]
    assert references.equal(episodes, references.robomimic(file), 1e-6)
    wanted = foreign.expected_pose(foreign.path(foreign.LENGTHS[1], 1))
    assert episodes[1].vectors["observation.ee_pose"] == pytest.approx(wanted, abs=1e-6)


def test_names_rate_robot_and_task_come_from_the_file(reader, tmp_path):
    found = read(reader, foreign.robomimic(tmp_path / "demo.hdf5"))
    assert (found.rate, found.robot, found.arms) == (20.0, "Panda", ("arm",))
    assert found.state_names == (*(f"arm.joint{number}" for number in range(1, 8)), "arm.gripper")
    assert found.action_names == tuple(f"action{number}" for number in range(7))
    assert [track.name for track in found.tracks] == ["data/demo_0", "data/demo_1", "data/demo_2"]
    assert found.tracks[0].task == "Lift"
    assert list(found.tracks[0].images) == ["agentview", "robot0_eye_in_hand"]


def test_what_the_user_says_comes_first(reader, tmp_path):
    file = foreign.robomimic(tmp_path / "demo.hdf5", env="{}")
    with pytest.raises(GlamError, match="--source-rate"):
        read(reader, file)
    found = read(reader, file, source_rate=10.0, gripper=(0.16, 0.0), task="Lift the cube.")
    assert (found.rate, found.robot, found.tracks[0].task) == (10.0, "robomimic", "Lift the cube.")
    assert found.tracks[0].motion.openings[:, 0] == pytest.approx(1.0 - foreign.path(7).opening / 2)


def test_without_joints_the_state_is_the_pose(reader, tmp_path):
    def drop(file):
        for demo in file["data"].values():
            del demo["obs/robot0_joint_pos"]

    made = plan(read(reader, changed(tmp_path, drop)), None, None)
    assert made.schema.state_names == made.schema.pose_names
    vectors = made.episode(0).vectors
    assert np.array_equal(vectors["observation.state"], vectors["observation.ee_pose"])


def test_two_robots_are_two_arms(reader, tmp_path):
    def double(file):
        for demo in file["data"].values():
            for key in ("eef_pos", "eef_quat", "gripper_qpos", "joint_pos"):
                demo[f"obs/robot1_{key}"] = demo[f"obs/robot0_{key}"][:]
            demo["obs/robot1_eef_pos"][:] += 1.0

    found = read(reader, changed(tmp_path, double))
    assert found.arms == ("robot0", "robot1")
    assert found.state_names[8] == "robot1.joint1"
    pose = poses(found.tracks[0].motion)
    assert pose[:, 10:13] == pytest.approx(pose[:, :3] + 1.0)


@pytest.mark.parametrize(
    ("robots", "numbers", "delta_actions"),
    [(1, 4, (0, 1, 2)), (2, 14, (0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12)), (1, 12, tuple(range(12)))],
)
def test_the_gripper_comes_last_for_each_arm_where_the_numbers_fit(reader, tmp_path, robots, numbers, delta_actions):
    def retell(file):
        for demo in file["data"].values():
            replace(demo, "actions", np.zeros((len(demo["actions"]), numbers)))
            for key in ("eef_pos", "eef_quat", "gripper_qpos", "joint_pos") if robots == 2 else ():
                demo[f"obs/robot1_{key}"] = demo[f"obs/robot0_{key}"][:]

    assert read(reader, changed(tmp_path, retell)).delta_actions == delta_actions


def obs(file, index=1):
    return file[f"data/demo_{index}/obs"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda file: [file["data"].pop(name) for name in list(file["data"])], "has no data/demo_0"),
        (lambda file: obs(file).pop("agentview_image"), "data/demo_1 has robot0_eye_in_hand"),
        (lambda file: obs(file).pop("robot0_eef_quat"), "data/demo_1 has no obs/robot0_eef_quat"),
        (lambda file: obs(file).pop("robot0_joint_pos"), "data/demo_1 has .* but demo_0"),
        (lambda file: file["data/demo_1"].pop("actions"), "data/demo_1 has .* but demo_0"),
        (lambda file: replace(obs(file), "robot0_eef_pos", np.zeros((8, 3))), "robot0_eef_pos has 8 frames instead"),
        (lambda file: replace(obs(file), "robot0_eef_pos", np.zeros((9, 4))), r"robot0_eef_pos is float64 of shape"),
        (lambda file: replace(obs(file), "robot0_eef_quat", np.zeros((9, 4))), "no unit quaternion"),
        (lambda file: replace(obs(file), "robot0_eef_pos", np.full((9, 3), 500.0)), "is it in metres"),
        (lambda file: replace(file["data/demo_1"], "actions", np.full((9, 7), np.nan)), "actions is nan in frame 0"),
        (lambda file: file["data"].attrs.update({"total": 7}), "has 22 samples but says total = 7"),
        (lambda file: file["data/demo_1"].attrs.update({"num_samples": 7}), "9 samples but says num_samples = 7"),
    ],
)
def test_what_is_wrong_is_named(reader, tmp_path, change, message):
    with pytest.raises(GlamError, match=rf"demo\.hdf5: .*{message}"):
        read(reader, changed(tmp_path, change))


def test_a_file_without_images_says_how_to_get_them(reader, tmp_path):
    def drop(file):
        for demo in file["data"].values():
            del demo["obs/agentview_image"], demo["obs/robot0_eye_in_hand_image"]

    with pytest.raises(GlamError, match=r"has no images.*dataset_states_to_obs\.py"):
        read(reader, changed(tmp_path, drop))


def test_a_gripper_of_many_joints_needs_its_range(reader, tmp_path):
    def many(file):
        for demo in file["data"].values():
            closed = 0.8 * (1.0 - np.linspace(0.0, 1.0, len(demo["actions"])))
            replace(demo["obs"], "robot0_gripper_qpos", np.stack([closed] * 6, axis=1))

    file = changed(tmp_path, many)
    with pytest.raises(GlamError, match="has 6 joints; say with --gripper"):
        read(reader, file)
    openings = read(reader, file, gripper=(0.8, 0.0)).tracks[0].motion.openings
    assert openings[:, 0] == pytest.approx(np.linspace(0.0, 1.0, 7))


@pytest.mark.parametrize(
    ("hints", "flag"), [({"source_rate": 0.0}, "--source-rate"), ({"gripper": (1.0, 1.0)}, "--gripper")]
)
def test_bad_hints_are_refused(hints, flag):
    with pytest.raises(GlamError, match=flag):
        Hints(**hints)


def with_masks(cameras=("agentview", "robot0_eye_in_hand"), objects=2):
    def add(file):
        for demo in file["data"].values():
            for camera in cameras:
                shown = np.zeros((*demo[f"obs/{camera}_image"].shape[:3], objects), np.uint8)
                for entry in range(objects):
                    shown[:, 4 * entry : 4 * entry + 3, 2:9, entry] = 255
                demo[f"obs/{camera}_masks"] = shown

    return add


def test_masks_of_a_simulator_come_along(reader, tmp_path):
    file = changed(tmp_path, with_masks())
    made = plan(read(reader, file), None, None)
    assert made.schema.objects == ("object0", "object1")
    assert made.schema.cameras == ("agentview", "robot0_eye_in_hand")
    masks = made.episode(1).masks
    with h5py.File(file) as content:
        for camera in made.schema.cameras:
            wanted = content[f"data/demo_1/obs/{camera}_masks"][:]
            assert np.array_equal(masks[f"observation.masks.{camera}"], wanted)
            assert wanted.any()


def test_masks_of_some_cameras_or_of_other_sizes_are_refused(reader, tmp_path_factory):
    def file_with(change):
        return changed(tmp_path_factory.mktemp("masks"), change)  # the reader holds each file

    with pytest.raises(GlamError, match="one array for each camera: agentview_masks, robot0_eye_in_hand_masks"):
        read(reader, file_with(with_masks(["agentview"])))

    def uneven(file):
        with_masks(["agentview"], 1)(file)
        with_masks(["robot0_eye_in_hand"], 2)(file)

    with pytest.raises(GlamError, match="masks of 1 and of 2 objects"):
        read(reader, file_with(uneven))
    with pytest.raises(GlamError, match="5 mask channels; at most 4 objects"):
        plan(read(reader, file_with(with_masks(objects=5))), None, None)
