"""Which entries of an action say by how much to move, where the source itself does not tell."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from glam.interop.imports.recordings import Recording

ActionKind = Literal["auto", "absolute", "delta"]

_GRIPPER = re.compile(r"grip|grasp|finger|jaw|claw")
_MOVING = {"delta", "rel", "relative", "vel", "velocity"}


def delta_actions_among(names: Sequence[str]) -> tuple[int, ...]:
    """Entries of an action of deltas that are such: all but grippers, which are told where to be.

    What has no telling name counts as an delta: a gripper that is told 0 may let go, but an arm that is told again
    and again to move on never stops.
    """
    return tuple(number for number, name in enumerate(names) if not is_held(name))


def is_held(name: str) -> bool:
    """Whether an entry of this name says where a gripper should be, so that it is kept to hold."""
    words = [word for word in re.split(r"[^a-z0-9]+", name.lower()) if word]
    return any(map(_GRIPPER.match, words)) and not _MOVING.intersection(words)


def told(recording: Recording, kind: ActionKind) -> Recording:
    """The recording with actions that are what the user says; `auto` leaves it to the source."""
    if kind == "auto" or not recording.action_names:
        return recording
    if kind == "absolute":
        return replace(recording, delta_actions=(), is_bound_to_rate=False)
    delta_actions = recording.delta_actions or delta_actions_among(recording.action_names)
    return replace(recording, delta_actions=delta_actions, is_bound_to_rate=True)
