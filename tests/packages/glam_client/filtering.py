"""A robot of one joint, commands that a safety filter makes of anything, and an observer who judges them."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from glam_client.safety import AxisLimits, Limits, SafetyFilter

Array = NDArray[np.float64]

JOINT = AxisLimits("joint", -2.0, 2.0, speed=1.4, acceleration=2.0)
ONE = Limits((JOINT,), period=0.1, timeout=0.3)

axes = st.builds(
    lambda low, width, speed, acceleration: AxisLimits("joint", low, low + width, speed, acceleration),
    st.floats(-7, 7),
    st.floats(0.01, 14),
    st.floats(0.01, 20),
    st.floats(0.01, 400),
)
anything = st.one_of(
    st.floats(width=64), st.floats(-10, 10), st.sampled_from([0.0, 1e308, -1e308, 5e-324, np.nan, np.inf, -np.inf])
)


def run(safety: SafetyFilter, actions: Any) -> Array:
    """Commands of actions that are always on time."""
    return np.array([safety(action, 0.0, 0.0).command for action in actions])


def at(*values: float) -> Array:
    return np.array(values)


def violations(commands: Array, limits: Limits) -> list[str]:
    """What an observer who sees nothing but commands objects to, without tolerance."""
    low, high, speed, acceleration = np.array([(a.low, a.high, a.speed, a.acceleration) for a in limits.axes]).T
    with np.errstate(all="ignore"):  # whatever it is, it shall be judged
        found = {
            "not finite": ~np.isfinite(commands),
            "position": (commands < low) | (commands > high),
            "speed": np.abs(np.diff(commands, axis=0)) > speed * limits.period,
            "acceleration": np.abs(np.diff(commands, 2, axis=0)) > acceleration * limits.period**2,
        }
    return [name for name, is_wrong in found.items() if is_wrong.any()]
