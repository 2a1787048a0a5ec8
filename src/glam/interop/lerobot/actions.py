"""Whether an action says where the robot should be, or by how much it should move: the numbers tell, or nobody does."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.data.schema import ACTION
from glam.interop.imports.delta_actions import delta_actions_among
from glam.interop.lerobot.features import Entry, told
from glam.interop.lerobot.mapping import HELD, flag_of

Array = NDArray[np.float64]

_ALIKE = 0.9
"""Least correlation of a target with the place that the robot is at one frame later."""
_STILL = 1e-6

DOUBT = (
    f"nothing tells whether {ACTION} is absolute, or an delta, which a robot that holds still must not repeat; say "
    "so with --actions absolute or --actions delta"
)


def follow_state(actions: Sequence[Array], states: Sequence[Array]) -> bool:
    """Whether actions are targets for the state, entry by entry: each runs along with the state that it leads to.

    An delta hardly depends on where the robot is. (T, n) for each episode.
    """
    if not actions or actions[0].shape[1] != states[0].shape[1]:
        return False
    given = np.concatenate([part[:-1] for part in actions])
    reached = np.concatenate([part[1:] for part in states])
    moving = (given.std(axis=0) > _STILL) & (reached.std(axis=0) > _STILL)
    return bool(moving.any()) and all(_run_alike(given[:, i], reached[:, i]) for i in np.flatnonzero(moving))


def increments_of(action: Sequence[Entry], held: Sequence[Entry]) -> tuple[int, ...]:
    """Entries of an action of deltas that are such; `held` are those that the user excepts, else names tell."""
    strangers = tuple(entry for entry in held if entry not in action)
    if strangers:
        raise GlamError(f"{flag_of(HELD)}: {told(strangers)} is no part of {ACTION}, which is {told(tuple(action))}")
    if held:
        return tuple(number for number, entry in enumerate(action) if entry not in held)
    return delta_actions_among([entry.name for entry in action])


def _run_alike(given: Array, reached: Array) -> bool:
    """Nearly proportional, and by about one: what is off by more is a target in another unit, or none."""
    correlation = float(np.corrcoef(given, reached)[0, 1])
    return correlation > _ALIKE and 0.5 < float(given.std() / reached.std()) < 2.0
