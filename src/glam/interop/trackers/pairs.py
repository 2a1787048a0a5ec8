"""The path of two fingertips through a whole film: the best of all sequences of candidates, by dynamic programming.

A state is a place for both tips, or for one, or for none. Tips move little from frame to frame, and together: their
distance is the opening. So a tip that is lost for a while is found where the other one says, and one frame in which
something else looks more like a tip changes nothing.

Dimension key: T frames, S states of one, Q clicks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glam.interop.trackers.background import Floats
from glam.interop.trackers.templates import Candidates

_CERTAIN = -50.0
"""Cost of a clicked place: no path avoids it."""
_UNLIKELY = 2.5
"""States that cost so much more than the best one are dropped."""


@dataclass(frozen=True)
class PairConfig:
    """Costs; the likeness of a place counts 1 minus its correlation."""

    absent: float = 0.8
    """Of a tip that is nowhere."""
    appears: float = 0.3
    """Of a tip that is nowhere in one frame and somewhere in the next, or the other way round."""
    step: float = 8.5
    """Pixels that a tip moves in a frame for a cost of 1."""
    stretch: float = 4.2
    """Pixels by which two tips move otherwise than each other for a cost of 1."""
    most: float = 2.0
    """Largest cost of a step, and of a stretch: a jump may be a gap in the film."""
    offset: float = 0.25
    """Cost of tips that lie to each other as far from where they were clicked as they lay apart there."""
    touching: float = 2.0
    """Pixels: nearer tips are one that both take."""


DEFAULT_PAIR = PairConfig()


def best_path(
    found: Sequence[tuple[Candidates, Candidates]],
    offsets: Floats,
    clicked: Mapping[int, Floats],
    config: PairConfig,
) -> tuple[Floats, Floats]:
    """Places (T, 2, 2) and scores (T, 2) of both tips; NaN where a tip is nowhere.

    `offsets` (Q, 2) lead from the left to the right tip where they were clicked, `clicked` holds the places (2, 2) in
    this film by frame.
    """
    states, costs = [], []
    for frame, pair in enumerate(found):
        state, cost = _states(pair, offsets, config)
        if frame in clicked:
            own = np.concatenate([clicked[frame], np.ones((2, 1))], axis=1)[None]
            state, cost = np.concatenate([own, state]), np.concatenate([[_CERTAIN], cost])
        states.append(state)
        costs.append(cost)
    path = _cheapest(states, costs, config)
    chosen = np.stack([state[number] for state, number in zip(states, path, strict=True)])
    return chosen[..., :2], chosen[..., 2]


def _states(pair: tuple[Candidates, Candidates], offsets: Floats, config: PairConfig) -> tuple[Floats, Floats]:
    """All pairs (S, 2, 3) of x, y and score, and what each costs by itself."""
    left, right = (
        np.concatenate([np.column_stack([part.places, part.scores]), np.full((1, 3), np.nan)]) for part in pair
    )
    numbers = np.stack(np.meshgrid(np.arange(len(left)), np.arange(len(right)), indexing="ij"), -1).reshape(-1, 2)
    states = np.stack([left[numbers[:, 0]], right[numbers[:, 1]]], axis=1)
    costs = np.where(np.isnan(states[..., 2]), config.absent, 1.0 - states[..., 2]).sum(axis=1)
    offset = states[:, 1, :2] - states[:, 0, :2]
    is_pair = ~np.isnan(offset[:, 0])
    length = np.linalg.norm(offsets, axis=-1)
    deviation = (np.linalg.norm(offset[:, None] - offsets, axis=-1) / length).min(axis=1)
    costs += np.where(is_pair, config.offset * np.minimum(np.nan_to_num(deviation), 3.0) ** 2, 0.0)
    costs += is_pair & (np.linalg.norm(np.nan_to_num(offset), axis=-1) < config.touching)
    kept = costs < costs.min() + _UNLIKELY
    return states[kept], costs[kept]


def _cheapest(states: Sequence[Floats], costs: Sequence[Floats], config: PairConfig) -> list[int]:
    """Number of the state in each frame."""
    cost, origins = costs[0], list[NDArray[np.intp]]()
    for before, after, own in zip(states, states[1:], costs[1:], strict=False):
        total = cost[:, None] + _steps(before, after, config)
        origin = total.argmin(axis=0)
        origins.append(origin)
        cost = total[origin, np.arange(len(own))] + own
    path = [int(cost.argmin())]
    for origin in reversed(origins):
        path.append(int(origin[path[-1]]))
    return path[::-1]


def _steps(before: Floats, after: Floats, config: PairConfig) -> Floats:
    """Cost of every step from one frame's states to the next one's. (S, 2, 3), (S', 2, 3) -> (S, S')."""
    motion = after[None, :, :, :2] - before[:, None, :, :2]
    is_known = ~np.isnan(motion[..., 0])
    motion = np.nan_to_num(motion)
    step = np.minimum((motion**2).sum(-1) / config.step**2, config.most) * is_known
    stretch = ((motion[..., 0, :] - motion[..., 1, :]) ** 2).sum(-1) / config.stretch**2
    appears = np.isnan(after[None, :, :, 0]) != np.isnan(before[:, None, :, 0])
    cost: Floats = step.sum(-1) + np.minimum(stretch, config.most) * is_known.all(-1) + config.appears * appears.sum(-1)
    return cost
