"""A million hostile actions through `glam_client.safety`: checks every command and measures the time of a call.

    python -m benchmarks.safety_filter [--actions 1000000] [--json OUT]

Inputs: NaN, infinities, 1e308, subnormal numbers, wrong lengths, shapes and types, jumps from one end of a joint
to the other held just long enough to gather speed, jitter, and clocks that stop or say NaN. Commands are judged
from outside, by their values alone and without tolerance; a single violation exits with code 1. Processor time is
counted, so that other programs on the machine hardly matter.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.conditions import conditions
from numpy.typing import NDArray

from glam.core.files import write_json
from glam_client.safety import AxisLimits, Limits, SafetyFilter

Array = NDArray[np.float64]
PERIOD, TIMEOUT = 0.1, 0.3
SUBNORMAL = 5e-324

# A seven-joint arm of 80 and 70 degrees/s and its gripper.
ENDS = (6.2832, 2.24, 6.2832, 2.57, 6.2832, 2.09, 6.2832)
SPEEDS = (1.3963, 1.3963, 1.3963, 1.3963, 1.2218, 1.2218, 1.2218)
JOINTS = [
    AxisLimits(f"joint_{i}", -end, end, speed, 4.0) for i, (end, speed) in enumerate(zip(ENDS, SPEEDS, strict=True), 1)
]
LIMITS = Limits((*JOINTS, AxisLimits("gripper", 0.0, 1.0, 3.0, 40.0)), PERIOD, TIMEOUT)
START = np.append(np.zeros(7), 0.5)


# Not eight floating-point numbers.
WRONG: list[object] = [
    None, True, 3, 0.5, "open", b"\x00" * 64, [0.0] * 8, (0.0,) * 8, {}, object(),
    np.zeros(7), np.zeros(9), np.zeros(0), np.zeros((1, 8)), np.zeros((8, 1)), np.float64(0.5), np.array(0.5),
    START.astype(bool), START.astype(int), START.astype(np.float16), START.astype(np.longdouble),
    START.astype(complex), START.astype(object), START.astype(str), START.astype(">f8"), START.astype("M8[s]"),
    np.ma.masked_array(START, mask=np.arange(8) == 3), np.array([None] * 8), np.full(8, "nan"),
]  # fmt: skip


@dataclass
class Tally:
    """What an observer of the commands counts."""

    calls: int = 0
    not_finite: int = 0
    beyond_position: int = 0
    beyond_speed: int = 0
    beyond_acceleration: int = 0
    fastest: float = 0.0
    """Highest speed seen, as a share of its limit: a filter that never moves would prove nothing."""
    closest: float = np.inf
    """Shortest distance to an end."""
    verdicts: dict[str, int] = field(default_factory=dict)
    microseconds: list[float] = field(default_factory=list)

    @property
    def violations(self) -> int:
        """Of all kinds: must be zero."""
        return self.not_finite + self.beyond_position + self.beyond_speed + self.beyond_acceleration


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--actions", type=int, default=1_000_000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    tally = attack(options.actions, seed=0)
    found = summary(tally)
    print(f"{tally.calls:,} hostile actions: {tally.verdicts}")
    print(f"unsafe commands: {found['unsafe_commands']}")
    print(f"fastest {tally.fastest:.9f} of the speed limit, closest to an end {tally.closest:.2e}")
    print(f"microseconds per call: {found['microseconds']}")
    if options.json:
        write_json(options.json, found | conditions("numpy"))
    sys.exit(1 if tally.violations else 0)


def summary(tally: Tally) -> dict[str, Any]:
    times = np.array(tally.microseconds)
    p50, p99 = np.quantile(times, [0.5, 0.99])
    microseconds = {"median": p50, "mean": times.mean(), "p99": p99, "longest": times.max()}
    return {
        "hostile_actions": tally.calls,
        "verdicts": tally.verdicts,
        "unsafe_commands": {
            "not_finite": tally.not_finite,
            "beyond_position": tally.beyond_position,
            "beyond_speed": tally.beyond_speed,
            "beyond_acceleration": tally.beyond_acceleration,
        },
        "fastest_as_share_of_limit": tally.fastest,
        "closest_to_an_end": tally.closest,
        "microseconds": {name: round(float(value), 1) for name, value in microseconds.items()},
    }


def attack(actions: int, seed: int) -> Tally:
    """Send `actions` hostile actions and judge what comes out."""
    rng, tally = np.random.default_rng(seed), Tally()
    safety, last = SafetyFilter(LIMITS, START), [START, START]
    attacks = hostile_actions(rng)
    while tally.calls < actions:
        commands = []
        for _ in range(min(10_000, actions - tally.calls)):
            action, due = next(attacks)
            before = time.process_time_ns()
            command, _ = safety(action, due, 0.0)
            tally.microseconds.append((time.process_time_ns() - before) / 1000)
            commands.append(command)
            if not safety.is_armed and rng.random() < 0.3:
                safety.rearm()
        judge(tally, np.array([*last, *commands]))
        last = commands[-2:]
    tally.verdicts = {str(verdict): count for verdict, count in safety.counts.items()}
    return tally


def judge(tally: Tally, commands: Array) -> None:
    """The first two commands were judged before and only give the motion of the next ones."""
    low, high, speed, acceleration = np.array([(a.low, a.high, a.speed, a.acceleration) for a in LIMITS.axes]).T
    steps, new = np.diff(commands, axis=0)[1:], commands[2:]
    changes = np.diff(commands, 2, axis=0)
    tally.calls += len(new)
    tally.not_finite += int((~np.isfinite(new)).sum())
    tally.beyond_position += int(((new < low) | (new > high)).sum())
    tally.beyond_speed += int((np.abs(steps) > speed * PERIOD).sum())
    tally.beyond_acceleration += int((np.abs(changes) > acceleration * PERIOD**2).sum())
    tally.fastest = max(tally.fastest, float((np.abs(steps) / (speed * PERIOD)).max()))
    tally.closest = min(tally.closest, float(np.minimum(new - low, high - new).min()))


def hostile_actions(rng: np.random.Generator) -> Iterator[tuple[object, float]]:
    """Actions and the times they are meant for, without end; the present is 0."""
    ends = np.array([(axis.low, axis.high) for axis in LIMITS.axes])
    while True:
        target = ends[np.arange(8), rng.integers(0, 2, 8)] * rng.choice([1.0, 0.999, 1e307])
        for _ in range(rng.geometric(1 / 30)):
            kind = rng.random()
            due = rng.choice([np.nan, -1.0, np.inf, 5.0]) if kind < 0.01 else rng.uniform(-TIMEOUT, TIMEOUT)
            if kind < 0.7:
                yield target + rng.normal(scale=rng.choice([0.0, 0.01]), size=8), due
            elif kind < 0.8:
                yield rng.uniform(*ends.T).astype(rng.choice(["float32", "float64"])), due
            elif kind < 0.9:
                yield spoilt(target, rng), due
            else:
                yield WRONG[rng.integers(len(WRONG))], due


def spoilt(target: Array, rng: np.random.Generator) -> Array:
    """One entry, or all, replaced by a number no joint should get."""
    poison = rng.choice([np.nan, np.inf, -np.inf, 1e308, -1e308, 1.7976931348623157e308, SUBNORMAL, -SUBNORMAL, -0.0])
    action = target.copy()
    action[rng.integers(8) if rng.random() < 0.5 else slice(None)] = poison
    return action


if __name__ == "__main__":
    main()
