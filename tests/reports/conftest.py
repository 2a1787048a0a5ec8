"""Datasets to show."""

from pathlib import Path

import numpy as np
import pytest

from glam.core.geometry import rotation_z, six_from_rotation
from glam.data.recording import DatasetDescription, publish, recording, save_episode
from glam.data.schema import ACTION, EE_POSE, STATE, Episode, Schema


def _pose(time: np.ndarray) -> np.ndarray:
    position = np.stack([0.4 + 0.1 * np.sin(time), 0.1 * np.cos(time), 0.2 + 0.05 * time], axis=1)
    rotation = six_from_rotation(np.stack([rotation_z(0.3 * moment) for moment in time]))
    return np.concatenate([position, rotation, 0.5 + 0.4 * np.sin(time)[:, None]], axis=1)


def _episode(schema: Schema, seed: int) -> Episode:
    time = np.arange(12 + seed) / schema.fps
    vectors = {EE_POSE: np.concatenate([_pose(time + arm) for arm in range(len(schema.arms))], axis=1)}
    if schema.role == "target":
        vectors |= dict.fromkeys((STATE, ACTION), np.tile(np.sin(time)[:, None], len(schema.state_names)))
    masks = np.zeros((len(time), *schema.image_size, len(schema.objects)), np.uint8)
    for channel in range(len(schema.objects)):
        masks[:, 4 + 8 * channel : 10 + 8 * channel, 8:20, channel] = 255
    film = np.random.default_rng(seed).integers(0, 255, (len(time), *schema.image_size, 3), np.uint8)
    return Episode(
        {key: values.astype(np.float32) for key, values in vectors.items()},
        dict.fromkeys(schema.image_keys, film),
        dict.fromkeys(schema.mask_keys, masks),
        "Put the <red> cube & the bowl together.",
    )


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory):
    """Record a set: `recorded(schema, episodes)` is its folder."""

    def record(schema: Schema, episodes: int) -> Path:
        root = tmp_path_factory.mktemp("sets") / "a <set>"
        description = DatasetDescription("lift", "kinova", 7, {}, {"glam": "0.1.0"})
        with recording(root, schema, description):
            for index in range(episodes):
                save_episode(root, schema, index, _episode(schema, index), {})
            publish(root, schema, description, episodes)
        return root

    return record


@pytest.fixture(scope="session")
def target(recorded) -> Path:
    """Three episodes of two arms and two objects."""
    names = ("left.joint1", "left.gripper", "right.joint1", "right.gripper")
    return recorded(Schema(10, (32, 32), ("front", "overhead"), ("cube", "bowl"), ("left", "right"), names, names), 3)


@pytest.fixture(scope="session")
def bare(recorded) -> Path:
    """Two episodes without masks, state and action."""
    return recorded(Schema(10, (32, 32), ("front",), (), ("arm",)), 2)
