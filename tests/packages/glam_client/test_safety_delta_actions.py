"""Axes with delta actions."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.packages.glam_client.filtering import anything, at, axes, run

from glam_client.errors import GlamError
from glam_client.safety import AxisLimits, Limits, SafetyFilter

STEP = AxisLimits("dx", -0.05, 0.05, speed=0.4, acceleration=1.0)
HAND = Limits((STEP, AxisLimits("gripper", 0.0, 1.0, speed=2.0, acceleration=20.0)), period=0.1, timeout=0.3)
REST = at(0.0, 0.5)


def hand() -> SafetyFilter:
    """Told by how much to move, and where its gripper should be."""
    return SafetyFilter(HAND, REST, ("dx",))


def test_delta_actions_within_the_limits_pass_bit_by_bit() -> None:
    steps = 0.04 * np.sin(np.arange(100) * 0.2)
    safety = hand()
    commands = run(safety, np.stack([steps, np.full(100, 0.5)], axis=1))
    assert (commands[:, 0] == steps).all()
    assert safety.counts["passed"] == 100


@pytest.mark.parametrize(("verdict", "action", "due"), [("stale", at(0.03, 1.0), 9.0), ("refused", None, 10.0)])
def test_to_stop_a_delta_becomes_0_and_the_gripper_keeps_its_target(verdict, action, due) -> None:
    safety = hand()
    moving = [safety(at(0.03, 0.8), 10.0, 10.0).command for _ in range(20)]
    assert moving[-1].tolist() == [0.03, 0.8]
    answers = [safety(action, due, 10.0) for _ in range(6)]
    assert {answer.verdict for answer in answers} == {verdict}
    braked = [answer.command[0] for answer in answers]
    assert braked == pytest.approx([0.02, 0.01, 0.0, 0.0, 0.0, 0.0])
    assert braked[3:] == [0.0, 0.0, 0.0]
    assert {answer.command[1] for answer in answers} == {0.8}


@given(axes, st.floats(0.002, 1.0), st.lists(st.tuples(anything, st.integers(1, 40)), max_size=8))
def test_whatever_delta_actions_come_in_what_goes_out_keeps_all_limits_and_ends_at_nothing(
    axis: AxisLimits, period: float, attacks: list[tuple[float, int]]
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


def test_a_delta_is_limited_by_its_range_by_speed_and_by_acceleration() -> None:
    def reached(axis: AxisLimits) -> list[float]:
        safety = SafetyFilter(replace(HAND, axes=(axis,)), np.zeros(1), ("dx",))
        return run(safety, [at(1.0)] * 9)[:, 0].tolist()

    assert reached(STEP) == pytest.approx([0.01, 0.02, 0.03, *[0.04] * 6])  # 0.4 a second, a tenth of it each period
    assert reached(replace(STEP, speed=5.0))[-1] == 0.05
    assert reached(replace(STEP, acceleration=100.0))[0] == pytest.approx(0.04)


def test_a_delta_that_cannot_be_0_is_refused() -> None:
    with pytest.raises(GlamError, match=r"axis 'dx': is a delta action, so 0 must lie between low 0.01 and"):
        SafetyFilter(replace(HAND, axes=(replace(STEP, low=0.01), HAND.axes[1])), REST, ("dx",))
    with pytest.raises(GlamError, match=r"must be 0 for the delta action dx, got 0.02"):
        SafetyFilter(HAND, at(0.02, 0.5), ("dx",))
