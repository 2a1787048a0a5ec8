"""Foreign recordings read straightforwardly with their formats' own libraries, to compare with."""

import json
from dataclasses import dataclass

import av
import h5py
import numpy as np
import zarr
from scipy.spatial.transform import Rotation

from glam.data.schema import EE_POSE, IMAGE_PREFIX


@dataclass(frozen=True)
class Content:
    """An episode."""

    vectors: dict[str, np.ndarray]
    images: dict[str, np.ndarray]
    task: str


def of_episode(episode):
    """Of one of ours."""
    return Content(episode.vectors, episode.images, episode.task)


def equal(ours, theirs, tolerance):
    """Whether all episodes have the same task and features, equal images, and numbers equal within a tolerance."""
    if [content.task for content in ours] != [content.task for content in theirs]:
        return False
    for mine, its in zip(ours, theirs, strict=True):
        if mine.vectors.keys() != its.vectors.keys() or mine.images.keys() != its.images.keys():
            return False
        for key, values in mine.vectors.items():
            if values.shape != its.vectors[key].shape or not np.allclose(values, its.vectors[key], 0.0, tolerance):
                return False
        if not all(np.array_equal(pixels, its.images[key]) for key, pixels in mine.images.items()):
            return False
    return True


def poses(position, rotation, opening):
    """(T, 10)."""
    matrix = rotation.as_matrix()
    return np.concatenate([position, matrix[:, :, 0], matrix[:, :, 1], opening.reshape(-1, 1)], axis=1)


def robomimic(source):
    with h5py.File(source) as file:
        demos = [file[f"data/demo_{index}"] for index in range(len(file["data"]))]
        width = [np.abs(demo["obs/robot0_gripper_qpos"][:]).sum(axis=1) for demo in demos]
        widest = max(reading.max() for reading in width)
        contents = []
        for demo, reading in zip(demos, width, strict=True):
            obs, opening = demo["obs"], reading / widest
            pose = poses(obs["robot0_eef_pos"][:], Rotation.from_quat(obs["robot0_eef_quat"][:]), opening)
            joints = [obs["robot0_joint_pos"][:], opening[:, None]] if "robot0_joint_pos" in obs else [pose]
            vectors = {EE_POSE: pose, "observation.state": np.concatenate(joints, 1), "action": demo["actions"][:]}
            names = [name for name in obs if name.endswith("_image")]
            images = {IMAGE_PREFIX + name[:-6]: obs[name][:] for name in names}
            contents.append(Content(vectors, images, json.loads(file["data"].attrs["env_args"])["env_name"]))
        return contents


def umi(source):
    with zarr.storage.ZipStore(source, mode="r") as store:
        root = zarr.open_group(store, mode="r", zarr_format=2)
        data, contents, start = root["data"], [], 0
        width = data["robot0_gripper_width"][:].clip(0.0)
        for end in root["meta/episode_ends"][:]:
            rows = slice(start, int(end))
            turn = Rotation.from_rotvec(data["robot0_eef_rot_axis_angle"][rows])
            pose = poses(data["robot0_eef_pos"][rows], turn, width[rows] / width.max())
            names = [name for name in data if data[name].ndim == 4]
            images = {IMAGE_PREFIX + name.removesuffix("_rgb"): data[name][rows] for name in names}
            contents.append(Content({EE_POSE: pose}, images, source.name.partition(".")[0]))
            start = int(end)
        return contents


def video_folder(source):
    contents = []
    for folder in sorted(path for path in source.iterdir() if path.is_dir()):
        table = np.genfromtxt(folder / "poses.csv", delimiter=",", names=True)
        turn = Rotation.from_quat(np.stack([table[name] for name in ("qx", "qy", "qz", "qw")], axis=1))
        position = np.stack([table[name] for name in ("x", "y", "z")], axis=1)
        images = {}
        for file in sorted(folder.glob("*.mp4")):
            with av.open(file) as film:
                frames = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
            images[IMAGE_PREFIX + file.stem] = np.stack(frames)
        vectors = {EE_POSE: poses(position, turn, table["gripper"].clip(0.0, 1.0))}
        task = (source / "task.txt").read_text(errors="replace")
        contents.append(Content(vectors, images, " ".join(task.split())))
    return contents
