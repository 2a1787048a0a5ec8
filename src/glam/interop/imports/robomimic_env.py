"""The attribute `env_args` of a robomimic file: rate, robots and controllers of its environment."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from glam.core.errors import GlamError
from glam.interop.imports.recordings import Hints, checked_rate

_ARM_AND_GRIPPER = (4, 7, 8)
"""Numbers that controllers of robosuite take for an arm and its gripper: a place, a pose or seven joints, and one."""


def env_of(source: Path, text: Any) -> dict[str, Any]:
    """The description of the environment; empty where a file has none."""
    try:
        env = json.loads(text or "{}")
    except (TypeError, ValueError):
        env = None
    if not isinstance(env, dict) or not isinstance(env.get("env_kwargs", {}), dict):
        raise GlamError(f"{source}: the attribute env_args of data is not a description of an environment")
    return env


def rate_of(source: Path, env: dict[str, Any], hints: Hints) -> float:
    """Samples per second, as the user or the file says."""
    rate = hints.source_rate or env.get("env_kwargs", {}).get("control_freq")
    if not isinstance(rate, int | float) or isinstance(rate, bool):
        raise GlamError(f"{source}: has no rate (control_freq in env_args); give it with --source-rate")
    return checked_rate(rate, f"{source}: control_freq")


def is_absolute(settings: Any) -> bool:
    """True if at least one controller declares absolute targets, and none declares delta actions."""
    said = set(_controller_modes(settings))
    return "absolute" in said and "delta" not in said


def delta_actions(count: int, arms: int) -> tuple[int, ...]:
    """Entries that move an arm: all but the gripper's, which is the last entry of each arm."""
    share = count // arms
    has_gripper_last = share * arms == count and share in _ARM_AND_GRIPPER
    return tuple(entry for entry in range(count) if not has_gripper_last or (entry + 1) % share)


def _controller_modes(settings: Any) -> Iterator[str]:
    if isinstance(settings, list):
        settings = dict(enumerate(settings))
    for key, value in settings.items() if isinstance(settings, dict) else ():
        if key == "control_delta":
            yield "delta" if value else "absolute"
        elif key == "input_type":
            yield str(value)
        else:
            yield from _controller_modes(value)
