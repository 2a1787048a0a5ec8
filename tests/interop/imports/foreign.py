"""Small recordings as other projects write them, with those projects' own libraries and conventions."""

import csv
import json
from dataclasses import dataclass

import h5py
import imagecodecs.numcodecs
import numcodecs
import numpy as np
import zarr
from scipy.spatial.transform import Rotation
from tests.data.tiny import images

from glam.data import image_codecs

SIZE = (16, 16)
RATE = 20
imagecodecs.numcodecs.register_codecs(verbose=False)


@dataclass(frozen=True)
class Path6:
    """A smooth motion of one hand."""

    position: np.ndarray
    rotation: Rotation
    opening: np.ndarray
    """0..1."""


def path(frames, seed=0):
    """The motion of episode `seed`."""
    time = np.arange(frames) / RATE + seed
    position = np.stack([0.4 + 0.1 * np.sin(time), 0.1 * np.cos(time), 0.2 + 0.05 * time], axis=1)
    turns = np.stack([np.pi + 0.2 * np.sin(time), 0.1 * time, 0.3 * np.cos(time)], axis=1)
    opening = 0.5 + 0.5 * np.cos(2.0 * time)
    return Path6(position, Rotation.from_rotvec(turns), opening / opening.max())


def expected_pose(motion):
    """(T, 10) of a path, computed by scipy."""
    matrix = motion.rotation.as_matrix()
    return np.concatenate([motion.position, matrix[:, :, 0], matrix[:, :, 1], motion.opening[:, None]], axis=1)


LENGTHS = (7, 9, 6)


def env_args(**settings):
    """What robosuite notes about an environment."""
    controller = {"type": "OSC_POSE", "control_delta": True}
    kwargs = {"robots": ["Panda"], "control_freq": RATE, "controller_configs": controller} | settings
    return json.dumps({"env_name": "Lift", "type": 1, "env_kwargs": kwargs})


def robomimic(file, lengths=LENGTHS, env=None):
    """As robomimic's scripts write, with two cameras and one Panda; every other demonstration is compressed."""
    with h5py.File(file, "w") as content:
        data = content.create_group("data")
        data.attrs["env_args"] = env_args() if env is None else env
        data.attrs["total"] = sum(lengths)
        for index, frames in enumerate(lengths):
            demo = data.create_group(f"demo_{index}")
            demo.attrs["num_samples"] = frames
            motion = path(frames, index)
            width = 0.08 * motion.opening
            values = {
                "obs/agentview_image": images(SIZE, frames, 2 * index),
                "obs/robot0_eye_in_hand_image": images(SIZE, frames, 2 * index + 1),
                "obs/robot0_eef_pos": motion.position,
                "obs/robot0_eef_quat": motion.rotation.as_quat(),
                "obs/robot0_gripper_qpos": np.stack([width / 2, -width / 2], axis=1),
                "obs/robot0_joint_pos": joints(frames, index),
                "obs/object": np.zeros((frames, 10)),
                "actions": actions(frames, index),
                "states": np.zeros((frames, 32)),
                "rewards": np.zeros(frames),
                "dones": np.zeros(frames, np.int64),
            }
            options = {"compression": "gzip", "fletcher32": True} if index % 2 else {}
            for key, array in values.items():
                demo.create_dataset(key, data=array, **options)
    return file


def joints(frames, seed):
    """(T, 7)."""
    return np.sin(np.arange(frames)[:, None] / RATE + np.arange(7) + seed)


def actions(frames, seed):
    """(T, 7)."""
    return np.cos(np.arange(frames)[:, None] / 3 + np.arange(7) + seed)


def umi_arrays(lengths=LENGTHS, robots=1):
    """Keys and values as UMI's pipeline makes them."""
    motions = [path(frames, index) for index, frames in enumerate(lengths)]
    pose = np.concatenate([np.c_[motion.position, motion.rotation.as_rotvec()] for motion in motions]).astype("f4")
    width = np.concatenate([0.08 * motion.opening for motion in motions]).astype("f4")[:, None]
    arrays = {}
    for robot in range(robots):
        arrays[f"camera{robot}_rgb"] = np.concatenate(
            [images(SIZE, frames, index + 5 * robot) for index, frames in enumerate(lengths)]
        )
        arrays |= {
            f"robot{robot}_eef_pos": pose[:, :3] + np.float32(robot),
            f"robot{robot}_eef_rot_axis_angle": pose[:, 3:],
            f"robot{robot}_gripper_width": width,
            f"robot{robot}_demo_start_pose": pose.astype("f8"),
            f"robot{robot}_demo_end_pose": pose.astype("f8"),
        }
    return arrays


def replay_buffer(file, arrays, lengths=LENGTHS, image_codec=None, codec="default"):
    """A store in zarr format 2: a zip archive when the name ends so, else a folder."""
    images_codec = image_codec or imagecodecs.numcodecs.Jpegxl(level=99, numthreads=1)
    kind = zarr.storage.ZipStore if file.suffix == ".zip" else zarr.storage.LocalStore
    with zarr.config.set({"array.write_empty_chunks": True}):
        store = kind(file) if kind is zarr.storage.LocalStore else kind(file, mode="w")
        root = zarr.create_group(store=store, zarr_format=2)
        data, meta = root.create_group("data"), root.create_group("meta")
        _write(meta, "episode_ends", np.cumsum(lengths), chunks=(len(lengths),), codec=codec)
        for key, values in arrays.items():
            is_images = values.ndim == 4
            chunks = (1, *values.shape[1:]) if is_images else (4, *values.shape[1:])
            _write(data, key, values, chunks=chunks, codec=images_codec if is_images else codec)
        store.close()
    return file


def _write(group, key, values, chunks, codec):
    compressors = {} if codec == "default" else {"compressors": codec}
    array = group.create_array(key, shape=values.shape, dtype=values.dtype, chunks=chunks, **compressors)
    array[:] = values


def table(frames, seed, *, labels=False):
    """Rows of a pose table."""
    motion = path(frames, seed)
    turned = motion.rotation.as_quat()
    rows = []
    for k in range(frames):
        names = ("x", "y", "z", "qx", "qy", "qz", "qw")
        row = {"timestamp": k / RATE, **dict(zip(names, [*motion.position[k], *turned[k]], strict=True))}
        row["gripper"] = motion.opening[k]
        if labels:
            row |= {f"state.j{j}": value for j, value in enumerate(joints(frames, seed)[k])}
            row |= {f"action.j{j}": value for j, value in enumerate(actions(frames, seed)[k])}
        rows.append({name: float(value) for name, value in row.items()})
    return rows


def write_table(file, rows):
    """As CSV or JSON, by the name."""
    if file.suffix == ".json":
        file.write_text(json.dumps(rows))
        return
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def video_folder(folder, lengths=LENGTHS, cameras=("front", "wrist"), table_name="poses.csv", *, labels=False):
    """Videos and tables."""
    folder.mkdir()
    (folder / "task.txt").write_text("Lift the cube.\n")
    for index, frames in enumerate(lengths):
        episode = folder / f"episode_{index}"
        episode.mkdir()
        for number, camera in enumerate(cameras):
            film = image_codecs.encode_video(images(SIZE, frames, 2 * index + number), RATE)
            (episode / f"{camera}.mp4").write_bytes(film)
        write_table(episode / table_name, table(frames, index, labels=labels))
    return folder


def numcodecs_zlib():
    """For images that are none."""
    return numcodecs.Zlib()
