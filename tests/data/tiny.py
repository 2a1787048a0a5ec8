"""Small episodes made of formulas, for tests of the store."""

from dataclasses import replace

import av
import numpy as np

from glam.data.recording import DatasetDescription, acknowledged, publish, recording, save_episode
from glam.data.schema import Episode, Schema

TARGET = Schema(
    fps=10,
    image_size=(16, 16),
    cameras=("front", "overhead"),
    objects=("red", "green"),
    arms=("arm",),
    state_names=("joint1", "joint2", "gripper"),
    action_names=("joint1", "joint2", "gripper"),
)
AUXILIARY = replace(TARGET, state_names=(), action_names=())
DESCRIPTION = DatasetDescription(
    "lift", "kinova", 7, {"disturbances": False, "nested": {"speed": 1.5}}, {"glam": "0.1.0"}
)


def length(index):
    """Episodes differ in length, so that a wrong place shows."""
    return 4 + index % 3


def images(size, frames, seed, channels=3):
    """Smooth colours that drift: what video keeps well, different in every frame."""
    height, width = size
    y, x = np.mgrid[0:height, 0:width] / max(size)
    time = np.arange(frames)[:, None, None, None] + 10.0 * seed
    waves = [np.sin(2.0 * x + c) + np.cos(2.0 * y - c) for c in range(channels)]
    values = np.stack(waves, -1)[None] + np.sin(0.4 * time + np.arange(channels))
    return (128 + 40 * values).clip(0, 255).round().astype(np.uint8)


def film(path):
    """All frames of a video file as FFmpeg gives them, (T, Y, X, 3)."""
    with av.open(path) as container:
        return np.stack([frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)])


def episode(index, schema=TARGET):
    """Episode `index` of the set: a pure function of its number."""
    frames = length(index)
    numbers = np.random.default_rng(index)
    seeds = {key: 3 * index + k for k, key in enumerate((*schema.image_keys, *schema.mask_keys))}
    return Episode(
        vectors={
            key: numbers.standard_normal((frames, len(names))).astype(np.float32)
            for key, names in schema.vectors.items()
        },
        images={key: images(schema.image_size, frames, seeds[key]) for key in schema.image_keys},
        masks={
            key: np.where(images(schema.image_size, frames, seeds[key], len(schema.objects)) > 130, 255, 0).astype(
                np.uint8
            )
            for key in schema.mask_keys
        },
        task="Lift the cube." if index % 2 == 0 else "Lift the other cube.",
    )


def record(root, episodes, schema=TARGET, order=None):
    """Record and publish what is missing, as a collection does."""
    with recording(root, schema, DESCRIPTION):
        for index in order or range(episodes):
            if index not in acknowledged(root):
                save_episode(root, schema, index, episode(index, schema), {"seed": 100 + index})
        publish(root, schema, DESCRIPTION, episodes)


def content(root):
    """All files of a folder with their bytes, but for the lock."""
    paths = (path for path in sorted(root.rglob("*")) if path.is_file() and path.name != ".lock")
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}
