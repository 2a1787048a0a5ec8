"""Scripted demonstrations: the plan of a task carried out by any embodiment, as episodes of a dataset."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from glam.data.schema import ACTION, EE_POSE, STATE, Episode, Schema
from glam.data.tracks import EE_TRACKS
from glam.sim.expert import Disturbance, Expert
from glam.sim.world import CONTROL_RATE, Frame, World


@dataclass(frozen=True)
class Demonstration:
    """One attempt: frame t was observed, then action t was executed."""

    frames: tuple[Frame, ...]
    actions: NDArray[np.float32]  # (T, n_a)
    is_success: bool


def demonstrate(world: World, seed: int, disturbance: Disturbance) -> Demonstration:
    """Attempt the task once from the scene of `seed`, for no longer than the task's max_episode_steps."""
    world.reset(seed)
    frames, actions = [], []
    for action in islice(expert_actions(world, disturbance), world.task.max_episode_steps):
        frames.append(world.observe())
        actions.append(action)
        world.step(action)
    return Demonstration(tuple(frames), np.array(actions), world.is_success)


def demonstrated_path(world: World, seed: int, disturbance: Disturbance) -> NDArray[np.float32]:
    """Poses of the hands before each action of the attempt from `seed`, without its images. (T, 10 K)."""
    world.reset(seed)
    poses = []
    for action in islice(expert_actions(world, disturbance), world.task.max_episode_steps):
        poses.append(world.ee_pose())
        world.step(action)
    return np.stack(poses)


def expert_actions(world: World, disturbance: Disturbance) -> Iterator[NDArray[np.float32]]:
    """Actions of the expert, to be executed one by one; ends when all plans have ended.

    They have the precision of a recording, so a recorded episode can be repeated bit for bit.
    """
    experts = {arm: Expert(partial(world.hand, arm), world.expert_rng, disturbance, CONTROL_RATE) for arm in world.arms}
    plans = dict(world.task.plans(world, experts))
    while True:
        running = [next(plan, None) is not None for plan in plans.values()]
        if not any(running):
            return
        yield _action(world, experts)


def _action(world: World, experts: dict[str, Expert]) -> NDArray[np.float32]:
    parts, start = [], 0
    for name, arm in world.arms.items():
        size = len(arm.action_names)
        parts.append(arm.action_towards(experts[name].at, world.last_action[start : start + size]))
        start += size
    return np.concatenate(parts).astype(np.float32)


def schema_of(world: World) -> Schema:
    """The features of a recording of this world."""
    is_labelled = world.embodiment.is_labelled
    return Schema(
        fps=CONTROL_RATE,
        image_size=world.image_size,
        cameras=tuple(camera.name for camera in world.task.cameras),
        objects=world.task.objects,
        arms=world.task.arms,
        state_names=tuple(name for arm in world.arms.values() for name in arm.state_names) if is_labelled else (),
        action_names=world.action_names if is_labelled else (),
        delta_actions=world.delta_actions if is_labelled else (),
    )


def episode_of(demonstration: Demonstration, schema: Schema, instruction: str) -> Episode:
    """Convert a demonstration to an episode; an auxiliary schema keeps neither state nor action."""
    frames = demonstration.frames
    vectors = {EE_POSE: np.stack([frame.ee_pose for frame in frames])} if schema.has_pose else {}
    if schema.track_cameras:
        vectors[EE_TRACKS] = np.stack([frame.ee_tracks for frame in frames])
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
