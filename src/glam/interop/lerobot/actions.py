"""Absolute or delta actions: decided by the recorded numbers, or left for the user to say."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.data.schema import ACTION
from glam.interop.imports.delta_actions import delta_actions_among
from glam.interop.lerobot.entries import Entry, notation
from glam.interop.lerobot.mapping import HELD, flag_of

Array = NDArray[np.float64]

_ALIKE = 0.9
"""Least correlation of a target with the place that the robot is at one frame later."""
_STILL = 1e-6

DOUBT = (
    f"cannot find out whether {ACTION} is absolute or delta, which decides how the robot holds still; say "
    "so with --actions absolute or --actions delta"
)


def follow_state(actions: Sequence[Array], states: Sequence[Array]) -> bool:
    """True if actions are targets for the state: each entry correlates with the state one frame later.

    A delta hardly depends on where the robot is. (T, n) for each episode.
    """
    if not actions or actions[0].shape[1] != states[0].shape[1]:
        return False
    given = np.concatenate([part[:-1] for part in actions])
    reached = np.concatenate([part[1:] for part in states])
    moving = (given.std(axis=0) > _STILL) & (reached.std(axis=0) > _STILL)
    return bool(moving.any()) and all(_run_alike(given[:, i], reached[:, i]) for i in np.flatnonzero(moving))


def delta_entries(action: Sequence[Entry], held: Sequence[Entry]) -> tuple[int, ...]:
    """Delta entries of a delta action; `held` are the exceptions of the user, else names decide."""
    unknown = tuple(entry for entry in held if entry not in action)
    if unknown:
        raise GlamError(
            f"{flag_of(HELD)}: {notation(unknown)} is no part of {ACTION}, which is {notation(tuple(action))}"
        )
    if held:
        return tuple(number for number, entry in enumerate(action) if entry not in held)
    return delta_actions_among([entry.name for entry in action])


def _run_alike(given: Array, reached: Array) -> bool:
    """Nearly proportional, and by about one: what is off by more is a target in another unit, or none."""
    correlation = float(np.corrcoef(given, reached)[0, 1])
    return correlation > _ALIKE and 0.5 < float(given.std() / reached.std()) < 2.0
