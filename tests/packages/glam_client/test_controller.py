from concurrent.futures import Future
from dataclasses import replace

import numpy as np
import pytest
from tests.serving.conftest import INTERFACE, observation

from glam_client.action_chunking import ActionChunking
from glam_client.controller import RobotController
from glam_client.errors import GlamError
from glam_client.interface import ActionChunk, Observation, ServerInterface, step_times
from glam_client.safety import AxisLimits, Limits

TIMEOUT = 0.3
AXES = (AxisLimits("joint", -3.0, 3.0, 10.0, 1000.0), AxisLimits("gripper", 0.0, 1.0, 10.0, 1000.0))
LIMITS = Limits(AXES, period=0.1, timeout=TIMEOUT)
START = np.array([0.0, 0.5])


class Stand:
    """A server whose answers the test gives."""

    def __init__(self, interface: ServerInterface = INTERFACE) -> None:
        self.interface = interface
        self.asked: list[tuple[Observation, Future[ActionChunk]]] = []
        self.silent = 0.0

    def ask(self, seen: Observation) -> Future[ActionChunk]:
        self.asked.append((seen, Future()))
        return self.asked[-1][1]

    def silence(self) -> float:
        return self.silent

    def answer(self, offset: float = 0.0) -> None:
        """Step k of a chunk asks the joint to be at `offset` + k hundredths."""
        seen, future = self.asked[-1]
        joint = offset + np.arange(INTERFACE.chunk_size) / 100
        actions = np.stack([joint, np.full(INTERFACE.chunk_size, 0.5)], axis=1).astype(np.float32)
        future.set_result(ActionChunk(actions, step_times(seen.time, INTERFACE)))


@pytest.fixture
def stand() -> Stand:
    return Stand()


@pytest.fixture
def controller(stand: Stand) -> RobotController:
    return RobotController(stand, LIMITS, START, ActionChunking(3, temporal_ensemble_weight=0.0))


def joint(controller: RobotController, now: float) -> float:
    return float(controller.command(now).values[0])


def test_it_stands_still_until_the_first_chunk(controller: RobotController, stand: Stand) -> None:
    assert controller.needs_observation(0.0)
    controller.observe(observation(0.0))
    for step in range(20):
        command = controller.command(step / 10)
        assert command.status == "waiting"
        assert command.values.tolist() == START.tolist()
    assert not controller.needs_observation(2.0)


def test_a_chunk_is_followed_step_by_step_and_a_new_one_is_due_after_its_share(
    controller: RobotController, stand: Stand
) -> None:
    controller.observe(observation(0.0))
    stand.answer()
    assert [(joint(controller, k / 10), controller.needs_observation(k / 10)) for k in range(5)] == [
        (pytest.approx(0.00), False),
        (pytest.approx(0.01), False),
        (pytest.approx(0.02), False),
        (pytest.approx(0.03), True),
        (pytest.approx(0.04), True),
    ]


def test_what_is_past_when_a_chunk_arrives_is_skipped(controller: RobotController, stand: Stand) -> None:
    controller.observe(observation(0.0))
    controller.command(0.0)
    controller.command(0.1)
    stand.answer()
    assert joint(controller, 0.21) == pytest.approx(0.02)


def test_while_an_answer_is_on_its_way_the_last_chunk_is_followed(controller: RobotController, stand: Stand) -> None:
    controller.observe(observation(0.0))
    stand.answer()
    for step in range(3):
        controller.command(step / 10)
    controller.observe(observation(0.3))
    assert joint(controller, 0.3) == pytest.approx(0.03)
    assert joint(controller, 0.4) == pytest.approx(0.04)
    stand.answer(offset=0.2)
    assert joint(controller, 0.5) == pytest.approx(0.22)


def test_without_a_new_chunk_it_stops_at_the_last_action_and_holds_for_good(
    controller: RobotController, stand: Stand
) -> None:
    controller.observe(observation(0.0))
    stand.answer()
    statuses = [controller.command(step / 10 - 0.01).status for step in range(12)]
    # The last of six actions is due at 0.5 s; 0.3 s later nothing fresh is left.
    assert statuses[:9] == ["passed"] * 9
    assert statuses[9:] == ["stale"] * 3
    assert "no new chunk within 0.3 s" in controller.failure
    assert not controller.needs_observation(1.2)
    assert joint(controller, 1.2) == pytest.approx(0.05)


def stepping(acceleration: float) -> tuple[RobotController, Stand]:
    """A controller of a robot whose joint takes delta actions; its policy predicts 0.3 and more."""
    stand = Stand(replace(INTERFACE, delta_actions=("joint",)))
    axes = (replace(AXES[0], acceleration=acceleration), AXES[1])
    controller = RobotController(
        stand, replace(LIMITS, axes=axes), START, ActionChunking(3, temporal_ensemble_weight=0.0)
    )
    controller.observe(observation(0.0))
    stand.answer(offset=0.3)
    return controller, stand


def test_at_the_end_of_a_chunk_delta_actions_end_and_the_gripper_keeps_its_target() -> None:
    controller, _ = stepping(acceleration=1000.0)
    commands = [controller.command(step / 10 - 0.01) for step in range(12)]
    assert [float(command.values[0]) for command in commands] == pytest.approx(
        [0.3, 0.31, 0.32, 0.33, 0.34, 0.35, *[0.0] * 6]
    )
    assert [command.status for command in commands] == ["passed"] * 9 + ["stale"] * 3
    assert {float(command.values[1]) for command in commands} == {0.5}


def test_a_stale_chunk_of_delta_actions_ends_in_no_motion_within_the_limits() -> None:
    controller, stand = stepping(acceleration=10.0)
    moving = [joint(controller, step / 10) for step in range(4)]
    assert moving[-1] == pytest.approx(0.33)
    stand.silent = TIMEOUT + 0.01
    braked = [controller.command(step / 10) for step in range(4, 10)]
    assert {command.status for command in braked} == {"stale"}
    assert [float(command.values[0]) for command in braked] == pytest.approx([0.23, 0.13, 0.03, 0.0, 0.0, 0.0])
    assert braked[-1].values.tolist() == [0.0, 0.5]


def test_before_the_first_chunk_delta_actions_are_nothing() -> None:
    stand = Stand(replace(INTERFACE, delta_actions=("joint",)))
    controller = RobotController(stand, LIMITS, START)
    assert controller.command(0.0).values.tolist() == [0.0, 0.5]


def test_an_answer_that_comes_too_late_is_not_followed(controller: RobotController, stand: Stand) -> None:
    controller.observe(observation(0.0))
    for step in range(10):
        controller.command(step / 10)
    stand.answer(offset=1.0)
    command = controller.command(1.0)
    assert (command.status, command.values.tolist()) == ("stale", START.tolist())
    assert controller.failure


def test_a_silent_server_stops_the_robot_though_its_chunk_is_fresh(controller: RobotController, stand: Stand) -> None:
    controller.observe(observation(0.0))
    stand.answer()
    assert controller.command(0.0).status == "passed"
    stand.silent = TIMEOUT + 0.01
    held = controller.command(0.1)
    assert held.status == "stale"
    assert "silent for more than 0.3 s" in controller.failure
    stand.silent = 0.0
    assert controller.command(0.2).status == "stale"  # that it is back is not for a loop to decide


def test_a_lost_connection_stops_the_robot(controller: RobotController, stand: Stand) -> None:
    controller.observe(observation(0.0))
    stand.asked[-1][1].set_exception(GlamError("the connection is lost"))
    assert controller.command(0.0).status == "stale"
    assert controller.failure == "the connection is lost"


def test_a_closed_connection_stops_the_robot(controller: RobotController, stand: Stand) -> None:
    controller.observe(observation(0.0))
    stand.asked[-1][1].cancel()
    assert controller.command(0.0).status == "stale"
    assert controller.failure == "the connection was closed"


@pytest.mark.parametrize("problem", [MemoryError(), ValueError("array is too big"), RuntimeError()])
def test_whatever_goes_wrong_in_the_client_the_robot_holds(
    problem: Exception, controller: RobotController, stand: Stand
) -> None:
    controller.observe(observation(0.0))
    stand.answer()
    last = controller.command(0.1)
    controller.observe(observation(0.2))
    stand.asked[-1][1].set_exception(problem)
    for step in range(2, 20):
        command = controller.command(step / 10)
    assert command.status == "stale"
    assert command.values.tolist() == last.values.tolist()
    assert type(problem).__name__ in controller.failure


def test_a_person_may_stop_it_within_the_limits(stand: Stand) -> None:
    slow = Limits(tuple(replace(axis, speed=0.5, acceleration=2.0) for axis in AXES), 0.1, TIMEOUT)
    controller = RobotController(stand, slow, START, ActionChunking(3, temporal_ensemble_weight=0.0))
    controller.observe(observation(0.0))
    stand.answer(offset=2.5)
    moving = [joint(controller, step / 10) for step in range(4)]
    controller.hold("the button was pressed")
    path = [*moving, *(joint(controller, step / 10) for step in range(4, 10))]
    assert np.abs(np.diff(path, 2)).max() <= 0.02 + 1e-12
    assert path[3] < path[4] < path[-1] == path[-2]
    assert controller.failure == "the button was pressed"


def test_somebody_may_resume_with_a_new_connection(controller: RobotController, stand: Stand) -> None:
    controller.observe(observation(0.0))
    stand.silent = 1.0
    controller.command(0.0)
    fresh = Stand()
    controller.resume(fresh)
    assert controller.failure == ""
    assert controller.needs_observation(5.0)
    assert controller.command(5.0).status == "waiting"
    controller.observe(observation(5.0))
    stand.answer(offset=2.0)  # what the old connection says now is of no interest
    assert joint(controller, 5.0) == 0.0
    fresh.answer()
    assert joint(controller, 5.1) == pytest.approx(0.01)


def test_another_policy_is_no_reason_to_go_on(controller: RobotController) -> None:
    other = Stand()
    other.interface = replace(INTERFACE, policy="another")
    with pytest.raises(GlamError, match="another policy"):
        controller.resume(other)


def test_commands_keep_to_the_limits(stand: Stand) -> None:
    slow = Limits(tuple(replace(axis, speed=0.5, acceleration=2.0) for axis in AXES), 0.1, TIMEOUT)
    controller = RobotController(stand, slow, START, ActionChunking(3, temporal_ensemble_weight=0.0))
    controller.observe(observation(0.0))
    stand.answer(offset=2.5)
    path = [0.0, *(joint(controller, step / 10) for step in range(6))]
    assert np.diff(path).max() <= 0.05
    assert np.diff(path, 2).max() <= 0.02 + 1e-12
    assert controller.command(0.6).status == "limited"


@pytest.mark.parametrize(
    ("limits", "n_action_steps", "sentence"),
    [
        (replace(LIMITS, axes=AXES[::-1]), 3, "axes are gripper, joint, but actions joint, gripper"),
        (replace(LIMITS, axes=AXES[:1]), 3, "axes are joint, but"),
        (replace(LIMITS, period=0.05), 3, "the period is 0.05 s, but the policy acts 10 times a second"),
        (LIMITS, 0, "n-action-steps 0: at least 1 action"),
        (LIMITS, 7, "n_action_steps 7 must be from 1 to the 6 actions"),
    ],
)
def test_limits_of_another_robot_are_refused(stand: Stand, limits: Limits, n_action_steps: int, sentence: str) -> None:
    with pytest.raises(GlamError, match=sentence):
        RobotController(stand, limits, START, ActionChunking(n_action_steps))
