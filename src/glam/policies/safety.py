"""The last step before a robot: whatever a policy says, the command that leaves here is safe to follow.

A software limiter, not a certified emergency stop. It knows no robot, only `Limits`; one call is one control period.

What leaves is finite, within the limits of position, speed and acceleration, and can always be followed by braking
to a standstill within the same limits. For the latter a joint must slow down before its end: counted in units of
acceleration x period^2, the shortest way to brake that begins with a step u goes on with u - 1, u - 2, ... until zero,
in all (n + 1) u - n (n + 1) / 2 with n = floor(u). Its inverse is the longest step at a given distance: `_stoppable`.

All this is for axes that are told where to be. One that is told by how much to move is at rest when it is told 0, and
braking leads there; its speed is its command over a period. Where it is nobody knows here, so that the ends of its way
must be kept by the robot's own controller.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError

Vector = NDArray[np.float64]
Verdict = Literal["passed", "limited", "refused", "stale"]

_LARGEST = 1e9


@dataclass(frozen=True)
class Axis:
    """Limits of one entry of an action: a joint in rad, or a gripper in shares of its stroke; or an delta."""

    name: str
    low: float
    """The least that may be commanded: a place, or for an delta a step."""
    high: float
    speed: float
    """Of the robot, per second; deltas are at most this times the period."""
    acceleration: float
    """Of the robot, per second squared; from one delta to the next at most this times the period squared."""

    def __post_init__(self) -> None:
        """A limit that is NaN, zero or negative would switch the limiting off or turn it round."""
        for field in ("low", "high"):
            _check(f"axis {self.name!r}: {field}", getattr(self, field), -_LARGEST)
        for field in ("speed", "acceleration"):
            _check(f"axis {self.name!r}: {field}", getattr(self, field), 1 / _LARGEST)
        if not self.low < self.high:
            raise GlamError(f"axis {self.name!r}: low {self.low} must be less than high {self.high}")

    @property
    def rounding(self) -> float:
        """More than all rounding in a period: kept back of speed and acceleration, so that it never breaks a limit."""
        return 16.0 * math.ulp(max(abs(self.low), abs(self.high)))


@dataclass(frozen=True)
class Limits:
    """All that the filter knows of a robot."""

    axes: tuple[Axis, ...]
    """In the order of the action's entries."""
    period: float
    """Seconds from one command to the next."""
    timeout: float
    """An action is stale when it is meant for a moment further away than this, in seconds."""

    def __post_init__(self) -> None:
        """Refuse what cannot be enforced."""
        _check("period", self.period, 1 / _LARGEST)
        _check("timeout", self.timeout, 1 / _LARGEST)
        names = [axis.name for axis in self.axes]
        if not names or len(set(names)) != len(names):
            raise GlamError(f"limits need at least one axis and each axis once; got {names}")
        for axis in self.axes:
            if min(axis.speed * self.period, axis.acceleration * self.period**2) < 100.0 * axis.rounding:
                raise GlamError(
                    f"axis {axis.name!r}: speed or acceleration is too small for a period of {self.period} s"
                )


class Filtered(NamedTuple):
    """What to send, and what became of what was asked."""

    command: Vector
    verdict: Verdict


class SafetyFilter:
    """Follows actions as closely as the limits allow, and brakes to a standstill when there is none to follow.

    An action that keeps to the limits passes unchanged. After one that did not, the commands catch up with those that
    follow and arrive without overshoot; what is cut off an delta is lost. A refused action is answered by braking,
    since a command that simply stayed where it is would itself break the acceleration limit. A stale one does the same
    and disarms the filter: it brakes and holds until `rearm`.
    """

    def __init__(
        self, limits: Limits, start: NDArray[np.floating[Any]], delta_actions: Collection[str] = frozenset()
    ) -> None:
        """Stand still at `start`; `deltas` names the axes that are told by how much to move."""
        self._limits, self._delta_actions = limits, frozenset(delta_actions)
        for axis in limits.axes:
            if axis.name in self._delta_actions and not axis.low <= 0.0 <= axis.high:
                problem = f"is told by how much to move, so 0 must lie between low {axis.low} and high {axis.high}"
                raise GlamError(f"axis {axis.name!r}: {problem}")
        self.reset(start)

    def reset(self, start: NDArray[np.floating[Any]]) -> None:
        """Stand still at `start`, which is 0 for delta_actions, armed, with all counts at zero."""
        axes, period = self._limits.axes, self._limits.period
        if not self._is_sound(start) or not all(a.low <= x <= a.high for a, x in zip(axes, start, strict=True)):
            raise GlamError(f"a start must be {len(axes)} floating-point numbers within the limits, got {start!r}")
        at_rest = dict(zip((axis.name for axis in axes), start.tolist(), strict=True))
        for name in self._delta_actions & at_rest.keys():
            if at_rest[name] != 0.0:
                raise GlamError(f"a start must be 0 for {name}, which is told by how much to move; got {at_rest[name]}")
        self._drives: list[_Drive | _Stepper] = [
            _Stepper(axis, period) if axis.name in self._delta_actions else _Drive(axis, period, at_rest[axis.name])
            for axis in axes
        ]
        self.is_armed = True
        self.counts: dict[Verdict, int] = {"passed": 0, "limited": 0, "refused": 0, "stale": 0}

    def rearm(self) -> None:
        """Follow actions again after a stale one. To be called on purpose, never by a loop that sends actions."""
        self.is_armed = True

    def __call__(self, action: object, meant_for: float, now: float) -> Filtered:
        """The command for this period; both times are of one monotonic clock, in seconds.

        `meant_for`: step k of a chunk is meant for k periods after the observation behind it. While no new action
        comes, call with the last one, with deltas at 0, and its own time.
        """
        if not abs(now - meant_for) <= self._limits.timeout:  # so put, NaN is stale too
            self.is_armed = False
        if not self.is_armed:
            return self._brake("stale")
        if not self._is_sound(action):
            return self._brake("refused")
        asked = action.tolist()
        commands = [drive.follow(target) for drive, target in zip(self._drives, asked, strict=True)]
        return self._say(commands, "passed" if commands == asked else "limited")

    def _brake(self, verdict: Verdict) -> Filtered:
        return self._say([drive.brake() for drive in self._drives], verdict)

    def _say(self, commands: list[float], verdict: Verdict) -> Filtered:
        self.counts[verdict] += 1
        return Filtered(np.array(commands), verdict)

    def _is_sound(self, action: object) -> TypeGuard[NDArray[np.floating[Any]]]:
        return (
            type(action) is np.ndarray
            and action.dtype in (np.float32, np.float64)
            and action.shape == (len(self._limits.axes),)
            and bool(np.isfinite(action).all())
        )


class _Drive:
    """One axis. Plain numbers: for so few, arrays would take twice the time."""

    def __init__(self, axis: Axis, period: float, at: float) -> None:
        self._low, self._high = float(axis.low), float(axis.high)
        self._longest = axis.speed * period - axis.rounding
        """Longest step from one command to the next."""
        self._unit = axis.acceleration * period**2 - axis.rounding
        """Largest change from one step to the next."""
        periods = self._longest // self._unit
        self._braking = (periods + 1.0) * self._longest - periods * (periods + 1.0) / 2.0 * self._unit
        """Way to a standstill that begins with the longest step."""
        self._command, self._step = at, 0.0
        self._wanted = at
        """The last action that was followed, cut to the limits of position."""

    def follow(self, action: float) -> float:
        """Go where the action is; if that is too far, where one can still arrive at its pace.

        Aiming at the action alone would arrive at full speed and swing past it.
        """
        wanted = min(max(action, self._low), self._high)
        pace = min(max(wanted - self._wanted, -self._longest), self._longest)
        self._wanted = wanted
        aim = self._command + pace
        lag = wanted - aim
        if abs(lag) <= self._unit:
            return self._move(wanted)
        return self._move(aim + math.copysign(self._stoppable(abs(lag)), lag))

    def brake(self) -> float:
        """Come to a standstill as soon as the acceleration limit allows, and stay there."""
        self._wanted = self._move(self._command)
        return self._wanted

    def _move(self, goal: float) -> float:
        """Come as close to `goal` as all limits allow. From where this leads there is always a way to brake."""
        here, step = self._command, self._step
        # In this order rounding errors of braking are mended at once and do not add up on the way to an end.
        goal = min(max(goal, here + (step - self._unit)), here + (step + self._unit))
        goal = min(max(goal, here - self._stoppable(here - self._low)), here + self._stoppable(self._high - here))
        self._command = min(max(goal, self._low), self._high)
        self._step = self._command - here
        return self._command

    def _stoppable(self, distance: float) -> float:
        """The longest step from which one can come to rest within `distance`, the step included."""
        if distance >= self._braking:
            return self._longest
        units = distance / self._unit
        periods = math.floor(math.sqrt(2.0 * units + 0.25) - 0.5)
        return (units / (periods + 1.0) + 0.5 * periods) * self._unit


class _Stepper:
    """One axis that is told by how much to move."""

    def __init__(self, axis: Axis, period: float) -> None:
        longest = axis.speed * period
        self._low, self._high = max(float(axis.low), -longest), min(float(axis.high), longest)
        self._unit = axis.acceleration * period**2 - axis.rounding
        self._command = 0.0

    def follow(self, action: float) -> float:
        """Move by as much, as far as speed and acceleration allow."""
        wanted = min(max(action, self._low), self._high)
        self._command = min(max(wanted, self._command - self._unit), self._command + self._unit)
        return self._command

    def brake(self) -> float:
        """Come to rest as soon as the acceleration limit allows, and stay there: move by nothing."""
        return self.follow(0.0)


def _check(what: str, value: object, least: float) -> None:
    # A bool is a number to Python, but True is no limit.
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not least <= value <= _LARGEST:  # type: ignore[operator]
        raise GlamError(f"{what} must be a number from {least:g} to {_LARGEST:g}, got {value!r}")
