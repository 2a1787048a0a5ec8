from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pytest
from benchmarks.safety_filter import LIMITS as ARM
from benchmarks.safety_filter import WRONG, attack, hostile_actions
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from glam.core.configs import from_json, to_json
from glam.core.errors import GlamError
from glam.policies.safety import Axis, Limits, SafetyFilter, _Drive

Array = NDArray[np.float64]

JOINT = Axis("joint", -2.0, 2.0, speed=1.4, acceleration=2.0)
ONE = Limits((JOINT,), period=0.1, timeout=0.3)


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


axes = st.builds(
    lambda low, width, speed, acceleration: Axis("joint", low, low + width, speed, acceleration),
    st.floats(-7, 7),
    st.floats(0.01, 14),
    st.floats(0.01, 20),
    st.floats(0.01, 400),
)
anything = st.one_of(
    st.floats(width=64), st.floats(-10, 10), st.sampled_from([0.0, 1e308, -1e308, 5e-324, np.nan, np.inf, -np.inf])
)


@given(axes, st.floats(0.002, 1.0), st.floats(0, 1), st.lists(st.tuples(anything, st.integers(1, 40)), max_size=8))
def test_whatever_comes_in_what_goes_out_keeps_all_limits_and_can_stop(
    axis: Axis, period: float, share: float, attacks: list[tuple[float, int]]
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
    axis: Axis, period: float, share: float, pace: float, actions: list[float]
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
    safety._drives[0]._step = step
    commands = run(safety, [at(action) for action in actions])
    start = [at(position - step), at(position)]
    assert [name for name in violations(np.concatenate([start, commands]), limits) if name != "position"] == []
    assert violations(commands, limits) == []


@given(st.floats(1e-6, 4.0), st.floats(0.1, 50.0))
def test_the_longest_step_stops_exactly_at_the_distance(distance: float, acceleration: float) -> None:
    drive = _Drive(Axis("joint", 0.0, 4.0, 1e6, acceleration), period=0.1, at=0.0)
    step = drive._stoppable(distance)
    steps = step - drive._unit * np.arange(2 + int(step / drive._unit))
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
    limits = Limits((Axis("joint", -2.4551, -2.4001, speed=0.0653, acceleration=0.1105),), period=0.00216, timeout=0.3)
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


@pytest.mark.parametrize("meant_for", [9.69, 10.31, -1e308, np.nan, np.inf, -np.inf])
def test_a_stale_action_brakes_and_holds_until_rearmed_on_purpose(meant_for: float) -> None:
    safety = SafetyFilter(ONE, np.zeros(1))
    moving = [safety(at(2.0), 10.0, 10.0).command for _ in range(6)]
    answers = [safety(at(2.0), meant_for, 10.0)] + [safety(at(2.0), 10.0, 10.0) for _ in range(12)]
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


@pytest.mark.parametrize("start", [at(2.1), at(np.nan), at(0.0, 0.0), np.zeros(1, int), [0.0], None])
def test_a_start_beyond_the_limits_or_of_the_wrong_kind_is_refused(start: Any) -> None:
    with pytest.raises(GlamError, match="within the limits"):
        SafetyFilter(ONE, start)


@pytest.mark.parametrize("field", ["low", "high", "speed", "acceleration"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, "1", None, True, [1.0], 1e300])
def test_a_limit_that_is_no_sensible_number_is_refused_by_name(field: str, value: Any) -> None:
    with pytest.raises(GlamError, match=f"axis 'joint': {field} must be a number"):
        replace(JOINT, **{field: value})


@pytest.mark.parametrize(
    "make",
    [
        lambda: replace(JOINT, speed=0.0),
        lambda: replace(JOINT, speed=-1.0),
        lambda: replace(JOINT, acceleration=0),
        lambda: replace(JOINT, acceleration=5e-324),
        lambda: replace(JOINT, low=2.0),
        lambda: replace(JOINT, high=-2.0),
        lambda: replace(ONE, axes=()),
        lambda: replace(ONE, axes=(JOINT, JOINT)),
        lambda: replace(ONE, period=0.0),
        lambda: replace(ONE, period=np.nan),
        lambda: replace(ONE, period=1e-6, axes=(replace(JOINT, acceleration=0.01),)),
        lambda: replace(ONE, period=1e-9, axes=(replace(JOINT, speed=1e-5, acceleration=1e9),)),
        lambda: replace(ONE, timeout=-0.1),
        lambda: replace(ONE, timeout="0.3"),
        lambda: from_json(Limits, to_json(ONE) | {"axes": [{"name": "joint", "low": -1.0, "high": 1.0, "speed": 1.0}]}),
    ],
)
def test_limits_that_would_not_limit_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(GlamError, match=r"must be|each axis once|too small|is missing"):
        make()


def test_whole_numbers_are_limits_too_and_limits_survive_json() -> None:
    limits = Limits((Axis("joint", -1, 1, 1, 1),), 1, 1)
    assert from_json(Limits, to_json(limits)) == limits
    commands = run(SafetyFilter(limits, np.zeros(1)), [at(5.0)] * 5)
    assert commands[-1] == 1.0
    assert commands.dtype == np.float64


STEP = Axis("dx", -0.05, 0.05, speed=0.4, acceleration=1.0)
HAND = Limits((STEP, Axis("gripper", 0.0, 1.0, speed=2.0, acceleration=20.0)), period=0.1, timeout=0.3)
REST = at(0.0, 0.5)


def hand() -> SafetyFilter:
    """Told by how much to move, and where its gripper should be."""
    return SafetyFilter(HAND, REST, ("dx",))


def test_increments_within_the_limits_pass_bit_by_bit() -> None:
    steps = 0.04 * np.sin(np.arange(100) * 0.2)
    safety = hand()
    commands = run(safety, np.stack([steps, np.full(100, 0.5)], axis=1))
    assert (commands[:, 0] == steps).all()
    assert safety.counts["passed"] == 100


@pytest.mark.parametrize(("verdict", "action", "meant_for"), [("stale", at(0.03, 1.0), 9.0), ("refused", None, 10.0)])
def test_a_hand_that_is_to_stop_is_told_to_move_by_nothing_and_its_gripper_stays(verdict, action, meant_for) -> None:
    safety = hand()
    moving = [safety(at(0.03, 0.8), 10.0, 10.0).command for _ in range(20)]
    assert moving[-1].tolist() == [0.03, 0.8]
    answers = [safety(action, meant_for, 10.0) for _ in range(6)]
    assert {answer.verdict for answer in answers} == {verdict}
    braked = [answer.command[0] for answer in answers]
    assert braked == pytest.approx([0.02, 0.01, 0.0, 0.0, 0.0, 0.0])
    assert braked[3:] == [0.0, 0.0, 0.0]
    assert {answer.command[1] for answer in answers} == {0.8}


@given(axes, st.floats(0.002, 1.0), st.lists(st.tuples(anything, st.integers(1, 40)), max_size=8))
def test_whatever_increments_come_in_what_goes_out_keeps_all_limits_and_ends_at_nothing(
    axis: Axis, period: float, attacks: list[tuple[float, int]]
) -> None:
    axis = replace(axis, low=min(axis.low, -0.01), high=max(axis.high, 0.01))
    safety = SafetyFilter(Limits((axis,), period, timeout=0.3), np.zeros(1), {"joint"})
    moved = run(safety, [at(value) for value, times in attacks for _ in range(times)]).reshape(-1)
    periods = int(min(axis.speed / (axis.acceleration * period), 2000)) + 2
    commands = np.concatenate([[0.0], moved, run(safety, [None] * periods)[:, 0]])
    assert np.isfinite(commands).all()
    assert (axis.low <= commands).all()
    assert (commands <= axis.high).all()
    assert np.abs(commands).max() <= axis.speed * period
    assert np.abs(np.diff(commands)).max() <= axis.acceleration * period**2
    if periods < 2000:
        assert commands[-1] == 0.0


def test_an_increment_is_limited_by_its_range_by_speed_and_by_acceleration() -> None:
    def reached(axis: Axis) -> list[float]:
        safety = SafetyFilter(replace(HAND, axes=(axis,)), np.zeros(1), ("dx",))
        return run(safety, [at(1.0)] * 9)[:, 0].tolist()

    assert reached(STEP) == pytest.approx([0.01, 0.02, 0.03, *[0.04] * 6])  # 0.4 a second, a tenth of it each period
    assert reached(replace(STEP, speed=5.0))[-1] == 0.05
    assert reached(replace(STEP, acceleration=100.0))[0] == pytest.approx(0.04)


def test_an_increment_that_may_not_be_nothing_is_refused() -> None:
    with pytest.raises(GlamError, match=r"axis 'dx': is told by how much to move, so 0 must lie between low 0.01 and"):
        SafetyFilter(replace(HAND, axes=(replace(STEP, low=0.01), HAND.axes[1])), REST, ("dx",))
    with pytest.raises(GlamError, match=r"must be 0 for dx, which is told by how much to move; got 0.02"):
        SafetyFilter(HAND, at(0.02, 0.5), ("dx",))
