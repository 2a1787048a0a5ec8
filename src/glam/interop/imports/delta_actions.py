"""Delta entries of an action, for sources that do not declare them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from glam.interop.imports.recordings import Recording

ActionKind = Literal["auto", "absolute", "delta"]

_GRIPPER = re.compile(r"grip|grasp|finger|jaw|claw")
_MOVING = {"delta", "rel", "relative", "vel", "velocity"}


def delta_actions_among(names: Sequence[str]) -> tuple[int, ...]:
    """Delta entries of a delta action by their names: all but grippers, which get absolute commands.

    An entry without a name that says otherwise counts as a delta: a gripper that is sent 0 may let go, but an arm that
    is sent the same delta again and again never stops.
    """
    return tuple(number for number, name in enumerate(names) if not is_held(name))


def is_held(name: str) -> bool:
    """True if an entry of this name is an absolute gripper command, which is kept while holding still."""
    words = [word for word in re.split(r"[^a-z0-9]+", name.lower()) if word]
    return any(map(_GRIPPER.match, words)) and not _MOVING.intersection(words)


def with_action_kind(recording: Recording, kind: ActionKind) -> Recording:
    """The recording with actions that are what the user says; `auto` leaves it to the source."""
    if kind == "auto" or not recording.action_names:
        return recording
    if kind == "absolute":
        return replace(recording, delta_actions=(), is_bound_to_rate=False)
    delta_actions = recording.delta_actions or delta_actions_among(recording.action_names)
    return replace(recording, delta_actions=delta_actions, is_bound_to_rate=True)
