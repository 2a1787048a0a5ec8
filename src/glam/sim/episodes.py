"""Demonstrations as episodes of a dataset."""

import numpy as np

from glam.data.schema import ACTION, EE_POSE, STATE, Episode, Schema
from glam.sim.demonstrator import Demonstration
from glam.sim.world import CONTROL_RATE, World


def schema_of(world: World) -> Schema:
    """The features of a recording of this world."""
    arms = world.arms.values()
    is_labelled = world.embodiment.is_labelled
    return Schema(
        fps=CONTROL_RATE,
        image_size=world.image_size,
        cameras=tuple(camera.name for camera in world.task.cameras),
        objects=world.task.objects,
        arms=world.task.arms,
        state_names=tuple(name for arm in arms for name in arm.state_names) if is_labelled else (),
        action_names=tuple(name for arm in arms for name in arm.action_names) if is_labelled else (),
    )


def episode_of(demonstration: Demonstration, schema: Schema, instruction: str) -> Episode:
    """Convert a demonstration to an episode; an auxiliary schema keeps neither state nor action."""
    frames = demonstration.frames
    vectors = {EE_POSE: np.stack([frame.ee_pose for frame in frames])}
    if schema.role == "target":
        vectors |= {STATE: np.stack([frame.state for frame in frames]), ACTION: demonstration.actions}
    images = np.stack([frame.images for frame in frames], axis=1)  # (V, T, Y, X, 3)
    masks = np.stack([frame.masks for frame in frames], axis=1)  # (V, T, Y, X, C)
    return Episode(
        vectors=vectors,
        images=dict(zip(schema.image_keys, images, strict=True)),
        masks=dict(zip(schema.mask_keys, masks, strict=True)),
        task=instruction,
    )
