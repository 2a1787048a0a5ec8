"""The delay from command to motion of a robot, measured on a target set whose actions are joint targets.

The motion of a joint in each frame is regressed on the last changes of its command. The coefficients are the response
to one change, spread over the frames after it. Unlike the peak of a correlation, they are not shifted by commands that
change smoothly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.data.reader import Dataset
from glam.data.schema import ACTION, STATE

Array = NDArray[np.float64]
Rows = NDArray[np.floating[Any]]

LONGEST = 8
"""Largest lag, in frames, that is looked at."""
MOST_EPISODES = 50
"""Episodes that are looked at, spread evenly."""
_ONSET = 0.25
"""A response begins with the first coefficient that is this large compared with the largest one."""
_SETTLED = 0.9
"""Share of a response that counts as nearly all of it."""
_STILL = 1e-3
"""rad: a joint that moves less in total is not measured."""
_LEAST_FIT = 0.5
"""Share of the motion's variance that a response must explain."""
_RIDGE = 1e-4


@dataclass(frozen=True)
class CommandDelay:
    """The delay from command to motion. With 0 frames, the action of a frame moves the robot before the next one."""

    frames: int
    """Median over the joints."""
    settled: int
    """Frames until nearly all of the effect of a command is seen, over and above the first; median."""
    measured: int
    """Joints that were measured."""
    joints: int
    fps: int

    @property
    def needed_frames(self) -> int:
        """Frames that an inverse dynamics model must see at least, to see a command take effect."""
        return self.frames + 2

    @property
    def sentence(self) -> str:
        """All of it in one line."""
        late = f"{_frames(self.frames)} ({self.frames / self.fps:.2g} s) late" if self.frames else "without delay"
        effect = f"{_SETTLED:.0%} of their effect is seen {_frames(self.settled + 1)} after the command"
        need = f"an inverse dynamics model must see at least {self.needed_frames} frames (model.idm_frames)"
        return f"delay: commands move the robot {late}, {effect} ({self.measured} of {self.joints} joints); {need}"


def measure_delay(dataset: Dataset) -> CommandDelay | None:
    """The delay of a dataset; None without actions, and if no joint follows its command, as with other actions."""
    schema, count = dataset.schema, len(dataset.episodes)
    if schema.role != "target":
        return None
    chosen = sorted({round(place) for place in np.linspace(0, count - 1, min(count, MOST_EPISODES))})
    vectors = [dataset.vectors(index) for index in chosen]
    episodes = [(part[ACTION], part[STATE]) for part in vectors]
    return delay_of(episodes, schema.action_names, schema.state_names, schema.fps)


def delay_of(
    episodes: Sequence[tuple[Rows, Rows]], action_names: Sequence[str], state_names: Sequence[str], fps: int
) -> CommandDelay | None:
    """The same, of actions (T, n_a) and states (T, n_s) of episodes."""
    pairs = _pairs(action_names, state_names)
    responses = [
        response([(actions[:, commanded], states[:, moved]) for actions, states in episodes])
        for commanded, moved in pairs
    ]
    found = [_onset_and_end(one) for one in responses if one is not None]
    if not found:
        return None
    delay, settled = (int(np.median(values)) for values in zip(*found, strict=True))
    return CommandDelay(delay, settled, len(found), len(pairs), fps)


def response(episodes: Sequence[tuple[Rows, Rows]]) -> Array | None:
    """Motion of a joint at each lag after a unit change of its command; None if it does not follow.

    Each episode is the command and the position of the joint, (T,) each. The result has LONGEST + 1 entries.
    """
    gram, product, square = np.zeros((LONGEST + 1, LONGEST + 1)), np.zeros(LONGEST + 1), 0.0
    for command, position in episodes:
        changes, motion = np.diff(command.astype(np.float64)), np.diff(position.astype(np.float64))
        frames = np.arange(LONGEST + 1, len(motion))
        inputs = changes[frames[:, None] - 1 - np.arange(LONGEST + 1)]  # changes[t - 1] is commanded at frame t
        gram, product = gram + inputs.T @ inputs, product + inputs.T @ motion[frames]
        square += float(motion[frames] @ motion[frames])
    if square < _STILL**2 or not np.isfinite(square) or not np.isfinite(gram).all():
        return None
    ridge = _RIDGE * np.trace(gram) / len(gram) * np.eye(len(gram))
    found: Array = np.linalg.solve(gram + ridge + 1e-12 * np.eye(len(gram)), product)
    explained = float(2 * found @ product - found @ gram @ found) / square
    return found if explained >= _LEAST_FIT and found.max() > 0 else None


def _onset_and_end(found: Array) -> tuple[int, int]:
    positive = np.maximum(found, 0.0)
    share = np.cumsum(positive) / positive.sum()
    return int((found >= _ONSET * found.max()).argmax()), int((share >= _SETTLED).argmax())


def _pairs(commanded: Sequence[str], moved: Sequence[str]) -> list[tuple[int, int]]:
    """Entries of the action with those of the state that are the same joints; grippers stop at what they hold."""
    if not set(commanded) & set(moved) and len(commanded) == len(moved):
        moved = commanded  # named differently, in the same order
    return [
        (index, moved.index(name)) for index, name in enumerate(commanded) if name in moved and not _is_gripper(name)
    ]


def _is_gripper(name: str) -> bool:
    return "gripper" in name.lower()


def _frames(count: int) -> str:
    return f"{count} frame{'' if count == 1 else 's'}"
