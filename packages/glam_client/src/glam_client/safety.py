"""Safety filter: the last step before the robot. Every command is within the limits, whatever the policy asks for.

A software limiter, not a certified emergency stop. It knows nothing of the robot but `Limits`; call it once per control
period.

Every command is finite and within the limits of position, speed and acceleration, and from every command the robot can
brake to a standstill within the same limits. So a joint must slow down before its end stop. In units of
acceleration x period^2, the shortest braking path that begins with a step u continues with u - 1, u - 2, ... down to
zero. Its length is (n + 1) u - n (n + 1) / 2 with n = floor(u). The inverse is the longest step at a given distance:
`_stoppable`.

This holds for absolute targets. For a delta action 0 is rest, braking leads to 0, and the speed is the command divided
by the period. The filter does not know its position: the robot's own controller must keep it within its workspace.
"""

import json
import math
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from glam_client.configs import from_json
from glam_client.errors import GlamError

Vector = NDArray[np.float64]
Verdict = Literal["passed", "limited", "refused", "stale"]

_LARGEST = 1e9


@dataclass(frozen=True)
class AxisLimits:
    """Limits of one entry of an action: an absolute target (such as a joint in rad) or a delta."""

    name: str
    low: float
    """Smallest command: a position, or for a delta action a step."""
    high: float
    speed: float
    """Of the robot, per second; a delta is at most this times the period."""
    acceleration: float
    """Of the robot, per second squared; two successive deltas differ by at most this times the period squared."""

    def __post_init__(self) -> None:
        """Refuse NaN, zero and negative limits, which would switch the filter off."""
        for field in ("low", "high"):
            _check(f"axis {self.name!r}: {field}", getattr(self, field), -_LARGEST)
        for field in ("speed", "acceleration"):
            _check(f"axis {self.name!r}: {field}", getattr(self, field), 1 / _LARGEST)
        if not self.low < self.high:
            raise GlamError(f"axis {self.name!r}: low {self.low} must be less than high {self.high}")

    @property
    def rounding(self) -> float:
        """Bound on the rounding errors of a period, subtracted from speed and acceleration."""
        return 16.0 * math.ulp(max(abs(self.low), abs(self.high)))


@dataclass(frozen=True)
class Limits:
    """Limits of a robot: the only thing the filter knows about it."""

    axes: tuple[AxisLimits, ...]
    """In the order of the action's entries."""
    period: float
    """Seconds from one command to the next."""
    timeout: float
    """An action is stale when its due time is further from now than this, in seconds."""

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


def read_limits(path: Path) -> Limits:
    """Read limits from a JSON file with the fields of `Limits`."""
    try:
        return from_json(Limits, json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise GlamError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:  # no JSON, or no UTF-8
        raise GlamError(f"{path}: not valid JSON ({error})") from None
    except GlamError as error:
        raise GlamError(f"{path}: {error}") from None


class FilteredCommand(NamedTuple):
    """The command to send, and how it relates to the requested action."""

    command: Vector
    verdict: Verdict


class SafetyFilter:
    """Follows actions as closely as the limits allow, and brakes to a standstill without a valid action.

    An action within the limits passes unchanged. After one that was limited, commands catch up with the following
    actions without overshoot; the part cut off a delta action is lost. A refused action (not finite, wrong shape or
    type) makes the robot brake: to repeat the last command would break the acceleration limit. A stale action does the
    same and disarms the filter, which then brakes and holds until `rearm`.
    """

    def __init__(
        self, limits: Limits, start: NDArray[np.floating[Any]], delta_actions: Collection[str] = frozenset()
    ) -> None:
        """Begin at rest at `start`; `delta_actions` names the axes whose actions are deltas."""
        self._limits, self._delta_actions = limits, frozenset(delta_actions)
        for axis in limits.axes:
            if axis.name in self._delta_actions and not axis.low <= 0.0 <= axis.high:
                problem = f"is a delta action, so 0 must lie between low {axis.low} and high {axis.high}"
                raise GlamError(f"axis {axis.name!r}: {problem}")
        self.reset(start)

    def reset(self, start: NDArray[np.floating[Any]]) -> None:
        """Begin again at rest at `start` (0 for delta actions), armed, with all counts at zero."""
        axes, period = self._limits.axes, self._limits.period
        if not self._is_valid(start) or not all(a.low <= x <= a.high for a, x in zip(axes, start, strict=True)):
            raise GlamError(f"start must be {len(axes)} floating-point numbers within the limits, got {start!r}")
        at_rest = dict(zip((axis.name for axis in axes), start.tolist(), strict=True))
        for name in self._delta_actions & at_rest.keys():
            if at_rest[name] != 0.0:
                raise GlamError(f"start must be 0 for the delta action {name}, got {at_rest[name]}")
        self._axes: list[_PositionAxis | _DeltaAxis] = [
            _DeltaAxis(axis, period)
            if axis.name in self._delta_actions
            else _PositionAxis(axis, period, at_rest[axis.name])
            for axis in axes
        ]
        self.is_armed = True
        self.counts: dict[Verdict, int] = {"passed": 0, "limited": 0, "refused": 0, "stale": 0}

    def rearm(self) -> None:
        """Follow actions again after a stale one. A person decides this, never a control loop."""
        self.is_armed = True

    def __call__(self, action: object, due: float, now: float) -> FilteredCommand:
        """Compute the command of this control period.

        Args:
            action: requested action; anything but a finite float vector of the right size is refused.
            due: time for which the action was planned: step k of a chunk is due k periods after its observation. While
                no new action arrives, pass the last one (deltas at 0) with its own due time.
            now: present time; both are in seconds of one monotonic clock.
        """
        if not abs(now - due) <= self._limits.timeout:  # in this form NaN is stale too
            self.is_armed = False
        if not self.is_armed:
            return self._brake("stale")
        if not self._is_valid(action):
            return self._brake("refused")
        asked = action.tolist()
        commands = [axis.follow(target) for axis, target in zip(self._axes, asked, strict=True)]
        return self._result(commands, "passed" if commands == asked else "limited")

    def _brake(self, verdict: Verdict) -> FilteredCommand:
        return self._result([axis.brake() for axis in self._axes], verdict)

    def _result(self, commands: list[float], verdict: Verdict) -> FilteredCommand:
        self.counts[verdict] += 1
        return FilteredCommand(np.array(commands), verdict)

    def _is_valid(self, action: object) -> TypeGuard[NDArray[np.floating[Any]]]:
        return (
            type(action) is np.ndarray
            and action.dtype in (np.float32, np.float64)
            and action.shape == (len(self._limits.axes),)
            and bool(np.isfinite(action).all())
        )


class _PositionAxis:
    """One axis with absolute targets. Uses floats: for so few numbers, arrays take twice the time."""

    def __init__(self, axis: AxisLimits, period: float, at: float) -> None:
        self._low, self._high = float(axis.low), float(axis.high)
        self._longest = axis.speed * period - axis.rounding
        """Longest step from one command to the next."""
        self._unit = axis.acceleration * period**2 - axis.rounding
        """Largest change from one step to the next."""
        periods = self._longest // self._unit
        self._braking = (periods + 1.0) * self._longest - periods * (periods + 1.0) / 2.0 * self._unit
        """Length of the braking path that begins with the longest step."""
        self._command, self._step = at, 0.0
        self._wanted = at
        """The last action that was followed, clipped to the position limits."""

    def follow(self, action: float) -> float:
        """Move to the action; if it is too far, approach it so as to arrive at the pace of the actions.

        Aiming at the action alone would arrive at full speed and overshoot.
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
        """Brake to a standstill as fast as the acceleration limit allows, and stay there."""
        self._wanted = self._move(self._command)
        return self._wanted

    def _move(self, goal: float) -> float:
        """Come as close to `goal` as all limits allow, such that braking within the limits stays possible."""
        here, step = self._command, self._step
        # In this order rounding errors of braking are corrected at once and do not add up.
        goal = min(max(goal, here + (step - self._unit)), here + (step + self._unit))
        goal = min(max(goal, here - self._stoppable(here - self._low)), here + self._stoppable(self._high - here))
        self._command = min(max(goal, self._low), self._high)
        self._step = self._command - here
        return self._command

    def _stoppable(self, distance: float) -> float:
        """Longest step from which the axis can come to rest within `distance`, the step included."""
        if distance >= self._braking:
            return self._longest
        units = distance / self._unit
        periods = math.floor(math.sqrt(2.0 * units + 0.25) - 0.5)
        return (units / (periods + 1.0) + 0.5 * periods) * self._unit


class _DeltaAxis:
    """One axis with delta actions."""

    def __init__(self, axis: AxisLimits, period: float) -> None:
        longest = axis.speed * period
        self._low, self._high = max(float(axis.low), -longest), min(float(axis.high), longest)
        self._unit = axis.acceleration * period**2 - axis.rounding
        self._command = 0.0

    def follow(self, action: float) -> float:
        """Move by the delta, as far as speed and acceleration allow."""
        wanted = min(max(action, self._low), self._high)
        self._command = min(max(wanted, self._command - self._unit), self._command + self._unit)
        return self._command

    def brake(self) -> float:
        """Come to rest as fast as the acceleration limit allows: the delta goes to 0."""
        return self.follow(0.0)


def _check(name: str, value: object, least: float) -> None:
    # bool is a subclass of int, but True is not a limit.
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not least <= value <= _LARGEST:  # type: ignore[operator]
        raise GlamError(f"{name} must be a number from {least:g} to {_LARGEST:g}, got {value!r}")
