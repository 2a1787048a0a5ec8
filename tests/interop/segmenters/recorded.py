"""Painted films as a dataset."""

import numpy as np
from tests.interop.segmenters import painted

from glam.data.recording import DatasetDescription, publish, recording, save_episode
from glam.data.schema import Episode, Schema

SCHEMA = Schema(
    fps=10,
    image_size=(painted.SIZE, painted.SIZE),
    cameras=("front", "overhead"),
    objects=(),
    arms=("arm",),
)
DESCRIPTION = DatasetDescription("push", "umi", 0, {}, {"glam": "0.1.0"})
EPISODES = 3
FRAMES = 6


def red_at(episode, camera, frame):
    """Upper left corner of the red square."""
    return (4 + 2 * frame, 6 + 5 * episode) if camera == "front" else (30 - 6 * episode, 4 + 2 * frame)


def blue_at(episode, camera):
    """Upper left corner of the blue square."""
    return (30, 34) if camera == "front" else (6 + 8 * episode, 34)


def images(episode, camera):
    """The film of a camera, before it is compressed."""
    red = (painted.RED, lambda frame: red_at(episode, camera, frame))
    return painted.film((painted.BLUE, lambda frame: blue_at(episode, camera)), red, frames=FRAMES)


def squares(root, schema=SCHEMA):
    """Record all episodes."""
    poses = np.random.default_rng(0).standard_normal((EPISODES, FRAMES, 10)).astype(np.float32)
    with recording(root, schema, DESCRIPTION):
        for index in range(EPISODES):
            films = {key: images(index, key.rpartition(".")[2]) for key in schema.image_keys}
            vectors = {"observation.ee_pose": poses[index]}
            save_episode(root, schema, index, Episode(vectors, films, {}, "Push the red square."), {})
        publish(root, schema, DESCRIPTION, EPISODES)
    return root
