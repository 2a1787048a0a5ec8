"""Commands that move a robot's joints along a given path, fitted to its labelled episodes.

Servos lag behind their commands, and a gripper that holds an object stays open although its command is to close. For
joints the lag is fitted; for grippers a table gives the command that belongs to a course of the opening.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.data.normalizer import FLOOR
from glam.data.windows import EpisodeTable, FrameIndices, transitions

Floats = NDArray[np.float32]

LEADS = (1, 2, 3)
"""Frames that a command may look ahead; more than one where commands take effect late."""
_SLACK = 1.25
"""Error of a shorter lead relative to the best, up to which it is preferred. Few episodes fit longer ones by chance."""
_STILL = 0.05
"""A gripper whose opening changes by less, in fractions of its stroke, never moves."""
_GRAIN = 0.02
"""Openings that differ by less, on a hand's own scale, are the same opening."""
_AT_ONCE = 1000
_TAILS = 0.02
"""Share of the frames at either end of a hand's range that may be overshoot."""


@dataclass(frozen=True, eq=False)
class GripperTable:
    """Commands by the three openings around the frame that they lead to, on the hand's own scale."""

    openings: NDArray[np.float64]
    """(M, 3)."""
    commands: NDArray[np.float64]
    """(M,)."""

    def commands_of(self, openings: NDArray[np.float64]) -> NDArray[np.float64]:
        """The command of the nearest entry. (N, 3) -> (N,)."""
        courses, which = _distinct(openings)
        found = np.empty(len(courses))
        for first in range(0, len(courses), _AT_ONCE):
            part = slice(first, first + _AT_ONCE)
            distances = ((courses[part, None] - self.openings) ** 2).sum(-1)
            found[part] = self.commands[distances.argmin(1)]
        return found[which]


@dataclass(frozen=True, eq=False)
class CommandLaw:
    """command[t] = joints[t + lead] + lag * (joints[t + lead] - joints[t + lead - 1]); grippers by table."""

    lead: int
    lag: NDArray[np.float64]
    """(n_a,) in control steps; 0 for grippers."""
    tables: dict[int, GripperTable]
    """By the gripper's entry in an action."""

    def commands(self, reached: Floats, episodes: EpisodeTable) -> Floats:
        """Commands for every row of a dataset; beyond the end of an episode its last pose holds. (N, n_a)."""
        values = reached.astype(np.float64)
        commands = _followed(values, episodes, self.lead, self.lag)
        for entry, table in self.tables.items():
            commands[:, entry] = table.commands_of(course(values[:, entry], episodes, self.lead))
        return commands.astype(np.float32)


def fit(
    reached: Floats, actions: Floats, episodes: EpisodeTable, train: EpisodeTable, grippers: Sequence[int]
) -> CommandLaw:
    """The law of a robot from its labelled episodes `train`, which are some of `episodes`. (N, n_a) twice."""
    values, commanded, indices = reached.astype(np.float64), actions.astype(np.float64), transitions(train)
    joints = [entry for entry in range(values.shape[1]) if entry not in grippers]
    spread = np.maximum(commanded[indices].std(0), FLOOR)
    fits = []
    for lead in LEADS:
        lag = np.zeros(values.shape[1])
        lag[joints] = _lag(values, commanded, episodes, indices, lead)[joints]
        wrong = (_followed(values, episodes, lead, lag) - commanded)[indices] / spread
        fits.append((float((wrong[:, joints] ** 2).mean()), lead, lag))
    enough = _SLACK * min(error for error, _, _ in fits)
    _, lead, lag = next(fit for fit in fits if fit[0] <= enough)
    tables = {
        entry: table(course(values[:, entry], episodes, lead)[indices], commanded[indices, entry]) for entry in grippers
    }
    return CommandLaw(lead, lag, tables)


def moves(opening: NDArray[np.floating[Any]]) -> bool:
    """True if a gripper opens and closes at all."""
    low, high = np.quantile(opening, [_TAILS, 1.0 - _TAILS])
    return bool(high - low >= _STILL)


def _lag(
    values: NDArray[np.float64],
    commanded: NDArray[np.float64],
    episodes: EpisodeTable,
    indices: FrameIndices,
    lead: int,
) -> NDArray[np.float64]:
    """Least squares for each entry."""
    goal = values[ahead(episodes, lead)]
    step, missing = (goal - values[ahead(episodes, lead - 1)])[indices], (commanded - goal)[indices]
    return (step * missing).sum(0) / np.maximum((step**2).sum(0), 1e-12)


def _followed(
    values: NDArray[np.float64], episodes: EpisodeTable, lead: int, lag: NDArray[np.float64]
) -> NDArray[np.float64]:
    goal = values[ahead(episodes, lead)]
    return goal + lag * (goal - values[ahead(episodes, lead - 1)])


def course(opening: NDArray[np.float64], episodes: EpisodeTable, lead: int) -> NDArray[np.float64]:
    """Openings one frame before, at and after the frame that a command leads to, on the hand's own scale. (N, 3)."""
    # Hands may report their opening on different scales.
    low, high = np.quantile(opening, [_TAILS, 1.0 - _TAILS]) if moves(opening) else (0.0, 1.0)
    scaled = (opening - low) / (high - low)
    return np.stack([scaled[ahead(episodes, steps)] for steps in (lead - 1, lead, lead + 1)], axis=1)


def table(courses: NDArray[np.float64], commands: NDArray[np.float64]) -> GripperTable:
    """The table of a gripper, from courses of its opening (M, 3) and the commands that belong to them (M,)."""
    distinct, which = _distinct(courses)
    return GripperTable(distinct, np.bincount(which, commands) / np.bincount(which))


def _distinct(courses: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """The different courses, and which of them each row is."""
    cells, which = np.unique(np.round(courses / _GRAIN), axis=0, return_inverse=True)
    return cells * _GRAIN, which


def ahead(episodes: EpisodeTable, steps: int) -> FrameIndices:
    """For every row the row `steps` later, or the last of its episode; `episodes` are all there are."""
    indices = episodes.frame_indices
    return np.minimum(indices + steps, np.repeat(episodes.ends - 1, episodes.lengths))
