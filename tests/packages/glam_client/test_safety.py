from itertools import islice

import numpy as np
import pytest
from benchmarks.safety_filter import LIMITS as ARM
from benchmarks.safety_filter import WRONG, attack, hostile_actions
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.packages.glam_client.filtering import ONE, anything, at, axes, run, violations

from glam_client.safety import AxisLimits, Limits, SafetyFilter, _PositionAxis


@given(axes, st.floats(0.002, 1.0), st.floats(0, 1), st.lists(st.tuples(anything, st.integers(1, 40)), max_size=8))
def test_whatever_comes_in_what_goes_out_keeps_all_limits_and_can_stop(
    axis: AxisLimits, period: float, share: float, attacks: list[tuple[float, int]]
) -> None:
    limits = Limits((axis,), period, timeout=0.3)
    start = at(min(axis.high, axis.low + share * (axis.high - axis.low)))
    safety = SafetyFilter(limits, start)
    moved = run(safety, [at(value) for value, times in attacks for _ in range(times)]).reshape(-1, 1)
    periods = int(min(axis.speed / (axis.acceleration * period), 2000)) + 2
    braked = run(safety, [None] * periods)
    commands = np.concatenate([[start, start], moved, braked])
    assert violations(commands, limits) == []
    if periods < 2000:
        assert braked[-1] == braked[-2]


@given(axes, st.floats(0.01, 0.5), st.floats(0, 1), st.floats(-1, 1), st.lists(anything, min_size=1, max_size=30))
def test_every_state_from_which_braking_is_possible_is_kept_so(
    axis: AxisLimits, period: float, share: float, pace: float, actions: list[float]
) -> None:
    """The states are found by braking step by step, without the filter's formula."""
    limits = Limits((axis,), period, timeout=0.3)
    unit, step = 0.999999 * axis.acceleration * period**2, 0.999999 * pace * axis.speed * period
    assume(abs(step) / unit < 1000)
    way = np.maximum(abs(step) - unit * np.arange(1, 1001), 0.0).sum()
    room = axis.high - axis.low - way
    assume(room >= 0.0)
    position = min(axis.low + (way if step < 0 else 0.0) + share * room, axis.high - (way if step > 0 else 0.0))
    safety = SafetyFilter(limits, at(min(max(position, axis.low), axis.high)))
    safety._axes[0]._step = step
    commands = run(safety, [at(action) for action in actions])
    start = [at(position - step), at(position)]
    assert [name for name in violations(np.concatenate([start, commands]), limits) if name != "position"] == []
    assert violations(commands, limits) == []


@given(st.floats(1e-6, 4.0), st.floats(0.1, 50.0))
def test_the_longest_step_stops_exactly_at_the_distance(distance: float, acceleration: float) -> None:
    axis = _PositionAxis(AxisLimits("joint", 0.0, 4.0, 1e6, acceleration), period=0.1, at=0.0)
    step = axis._stoppable(distance)
    steps = step - axis._unit * np.arange(2 + int(step / axis._unit))
    assert np.maximum(steps, 0.0).sum() == pytest.approx(distance, rel=1e-9)


def test_20_000_hostile_actions_bring_nothing_unsafe_out() -> None:
    tally = attack(20_000, seed=1)
    assert tally.calls == sum(tally.verdicts.values()) == 20_000
    assert tally.violations == 0
    assert tally.fastest > 0.999
    assert tally.closest == 0.0
    assert min(tally.verdicts.values()) > 50


def test_the_attack_finds_what_an_unguarded_robot_would_get() -> None:
    """The observer must be able to object: cutting to the position limits alone is not enough."""
    low, high = np.array([(axis.low, axis.high) for axis in ARM.axes]).T
    rng = np.random.default_rng(0)
    raw = [action for action, _ in islice(hostile_actions(rng), 3000)]
    sound = [a for a in raw if isinstance(a, np.ndarray) and a.shape == (8,) and a.dtype == np.float64]
    assert violations(np.array(sound), ARM) == ["not finite", "position", "speed", "acceleration"]
    cut = np.clip(np.nan_to_num(sound), low, high)
    assert violations(cut, ARM) == ["speed", "acceleration"]


def test_a_motion_within_the_limits_passes_bit_by_bit() -> None:
    path = (1.0 - np.cos(np.arange(200) * 0.04)).astype(np.float32)
    safety = SafetyFilter(ONE, np.zeros(1))
    assert (run(safety, path[:, None]) == path[:, None]).all()
    assert safety.counts == {"passed": 200, "limited": 0, "refused": 0, "stale": 0}


@pytest.mark.parametrize("distance", [0.01, 0.1, 0.37, 1.0, -1.9, 2.0])
def test_a_jump_is_approached_as_fast_as_allowed_and_without_overshoot(distance: float) -> None:
    commands = run(SafetyFilter(ONE, np.zeros(1)), [at(distance)] * 40)[:, 0] * np.sign(distance)
    assert (np.diff(commands) >= -1e-15).all()
    assert (commands[-10:] == abs(distance)).all()
    shortest = 2 * np.sqrt(abs(distance) / 2.0) + abs(distance) / 1.4
    assert np.argmax(commands == abs(distance)) < shortest / 0.1 + 2


def test_after_a_jump_of_a_moving_target_the_commands_catch_up_and_stay_with_it() -> None:
    targets = 0.019 * np.arange(40.0) + 0.1 * (np.arange(40) > 10)
    commands = run(SafetyFilter(ONE, np.zeros(1)), targets[:, None])[:, 0]
    assert (commands[:11] == targets[:11]).all()
    assert (commands <= targets + 1e-12).all()
    assert (commands[14:] == targets[14:]).all()


def test_a_command_towards_an_end_reaches_it_and_stays() -> None:
    commands = run(SafetyFilter(ONE, np.zeros(1)), [at(1e308)] * 40)
    assert commands[-1] == commands[-10] == 2.0
    assert violations(commands, ONE) == []


@pytest.mark.parametrize("direction", [-1e308, 1e308])
def test_rounding_does_not_add_up_over_hundreds_of_periods_of_braking(direction: float) -> None:
    limits = Limits(
        (AxisLimits("joint", -2.4551, -2.4001, speed=0.0653, acceleration=0.1105),), period=0.00216, timeout=0.3
    )
    commands = run(SafetyFilter(limits, at(-2.43)), [at(direction)] * 800)
    assert (np.diff(commands[:, 0]) != 0.0).sum() > 400
    assert commands[-1] in (-2.4551, -2.4001)
    assert violations(commands, limits) == []


NOT_FINITE = [np.full(8, np.nan), np.append(np.zeros(7), np.inf), np.append(-np.inf, np.zeros(7)).astype(np.float32)]


@pytest.mark.parametrize(
    "action",
    [*WRONG, *NOT_FINITE],
    ids=lambda value: f"{type(value).__name__}-{value!r}" if type(value) is not object else "object",
)
def test_what_is_no_action_is_refused_and_the_arm_stays(action: object) -> None:
    start = np.append(np.zeros(7), 0.5)
    safety = SafetyFilter(ARM, start)
    command, verdict = safety(action, 0.0, 0.0)
    assert verdict == "refused"
    assert (command == start).all()
    assert safety.counts["refused"] == 1
    assert safety(start, 0.0, 0.0).verdict == "passed"


def test_an_arm_in_motion_brakes_on_refusal_rather_than_stopping_dead() -> None:
    safety = SafetyFilter(ONE, np.zeros(1))
    moving = run(safety, [at(2.0)] * 6)
    braked = run(safety, [at(np.nan)] * 10)
    assert braked[0] > moving[-1]
    assert braked[-1] == braked[-2]
    assert violations(np.concatenate([moving, braked]), ONE) == []


@pytest.mark.parametrize("due", [9.69, 10.31, -1e308, np.nan, np.inf, -np.inf])
def test_a_stale_action_brakes_and_holds_until_rearmed_on_purpose(due: float) -> None:
    safety = SafetyFilter(ONE, np.zeros(1))
    moving = [safety(at(2.0), 10.0, 10.0).command for _ in range(6)]
    answers = [safety(at(2.0), due, 10.0)] + [safety(at(2.0), 10.0, 10.0) for _ in range(12)]
    assert {answer.verdict for answer in answers} == {"stale"}
    assert not safety.is_armed
    assert answers[-1].command == answers[-2].command
    assert violations(np.array(moving + [answer.command for answer in answers]), ONE) == []
    safety.rearm()
    assert safety(at(2.0), 10.0, 10.0).verdict == "limited"
    assert safety(at(2.0), 10.0, 10.0).command > answers[-1].command


def test_repeating_the_last_action_holds_within_the_timeout_and_two_periods_of_silence() -> None:
    safety = SafetyFilter(ONE, np.zeros(1))
    now = 10.0 + 0.1 * np.arange(12)
    verdicts = [safety(at(0.01 * min(k, 4)), min(t, 10.4), t).verdict for k, t in enumerate(now)]
    silent_for = now[verdicts.index("stale")] - 10.4
    assert silent_for < 0.3 + 0.2
    assert verdicts[:5] == ["passed"] * 5


def test_an_early_or_late_action_within_the_timeout_is_followed() -> None:
    safety = SafetyFilter(ONE, np.zeros(1))
    assert safety(at(0.01), 10.1, 10.0).verdict == "passed"
    assert safety(at(0.01), 9.8, 10.0).verdict == "passed"


def test_the_same_actions_give_the_same_commands_and_a_reset_forgets() -> None:
    actions = np.random.default_rng(0).uniform(-2, 2, (200, 1))
    safety = SafetyFilter(ONE, np.zeros(1))
    first = run(safety, actions)
    safety(None, np.nan, 0.0)
    safety.reset(np.zeros(1))
    assert safety.is_armed
    assert sum(safety.counts.values()) == 0
    assert (run(safety, actions) == first).all()


def test_a_caller_who_writes_into_a_command_changes_nothing() -> None:
    safety = SafetyFilter(ONE, np.zeros(1))
    safety(at(0.01), 0.0, 0.0).command[:] = 50.0
    assert safety(at(0.02), 0.0, 0.0).command == 0.02
