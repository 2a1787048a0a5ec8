"""Delays are made up for: a robot with a slow camera and slow motors follows a moving thing as if it had neither."""

import math
from collections import deque
from concurrent.futures import Future
from dataclasses import replace

import numpy as np
import pytest
from tests.packages.glam_client.test_controller import LIMITS, START, Stand
from tests.serving.conftest import INTERFACE, observation

from glam_client.action_chunking import ActionChunking
from glam_client.controller import RobotController
from glam_client.errors import GlamError
from glam_client.interface import ActionChunk, Observation, step_times
from glam_client.latency import NO_DELAYS, Delays, LatencyLog

LONG = replace(INTERFACE, chunk_size=20)
CAMERA, ACTUATION, ANSWER = 0.2, 0.3, 0.1
"""Seconds of the simulated robot: age of its images, lag of its motors, and time of an answer."""


def path(time: float) -> float:
    return 0.8 * math.sin(1.5 * time)


class Oracle(Stand):
    """A scripted policy: it knows where the thing that it sees will be, counted from the moment the image shows."""

    def ask(self, seen: Observation) -> Future[ActionChunk]:
        future = super().ask(seen)
        shown = float(seen.state[0])  # the moment that the image shows
        joint = [path(shown + step / LONG.fps) for step in range(LONG.chunk_size)]
        actions = np.stack([joint, np.full(LONG.chunk_size, 0.5)], axis=1).astype(np.float32)
        self.ready = (seen.time + ANSWER, future, ActionChunk(actions, step_times(seen.time, LONG)))
        return future

    def deliver(self, now: float) -> None:
        if self.asked and not self.asked[-1][1].done() and now >= self.ready[0] - 1e-9:
            self.ready[1].set_result(self.ready[2])


def path_error(delays: Delays) -> tuple[float, RobotController]:
    """Root mean square distance between the arm and the thing over 20 s, after the first two."""
    stand = Oracle(LONG)
    start = np.array([path(0.0), START[1]])
    controller = RobotController(stand, LIMITS, start, ActionChunking(3, 0.0), delays)
    sent: deque[float] = deque([start[0]] * round(ACTUATION * LONG.fps))
    errors = []
    for step in range(20 * LONG.fps):
        now = step / LONG.fps
        stand.deliver(now)
        if controller.needs_observation(now):
            seen = observation(now)
            controller.observe(replace(seen, state=np.array([now - CAMERA, *seen.state[1:]])))
        sent.append(float(controller.command(now).values[0]))
        if now > 2.0:
            errors.append(sent.popleft() - path(now))
        else:
            sent.popleft()
    return float(np.sqrt(np.mean(np.square(errors)))), controller


def test_a_path_is_followed_much_better_if_delays_are_known() -> None:
    plain, _ = path_error(NO_DELAYS)
    made_up, controller = path_error(Delays(CAMERA, ACTUATION))
    assert plain > 0.3
    assert made_up < 0.1 * plain
    assert not controller.failure


def test_latency_from_the_image_to_its_first_command_is_measured() -> None:
    _, controller = path_error(Delays(CAMERA, ACTUATION))
    assert controller.latency.quantile(0.5) == pytest.approx(CAMERA + ANSWER, abs=1e-6)
    assert controller.latency.sentence.startswith("latency from camera to command: 300 ms at the median, 300 ms at")
    assert "no chunk was executed" in LatencyLog().sentence


def test_delays_that_no_robot_has_are_refused() -> None:
    for delays in ({"camera": -0.1}, {"actuation": 3.0}, {"camera": math.nan}):
        with pytest.raises(GlamError, match="must be from 0 to 2 s"):
            Delays(**delays)


def test_a_chunk_that_is_too_short_for_the_delays_is_refused() -> None:
    with pytest.raises(GlamError, match="of which the delays skip 10"):
        RobotController(Stand(), LIMITS, START, ActionChunking(3), Delays(0.0, 1.0))


@pytest.mark.parametrize(("doubt", "reason"), [(2.5, "is 2.5; at most 2 is allowed"), (math.nan, "is not known")])
def test_it_holds_when_the_policy_is_in_doubt(doubt: float, reason: str) -> None:
    stand = Stand()
    controller = RobotController(stand, LIMITS, START, ActionChunking(3), most_doubt=2.0)
    controller.observe(observation(0.0))
    actions = np.zeros((INTERFACE.chunk_size, 2), np.float32)
    stand.asked[-1][1].set_result(ActionChunk(actions, step_times(0.0, INTERFACE), doubt))
    controller.command(0.1)
    assert reason in controller.failure
    assert controller.doubt == pytest.approx(doubt, nan_ok=True)
    controller.resume(stand)
    assert not controller.failure


def test_doubt_stops_nothing_by_default() -> None:
    stand = Stand()
    controller = RobotController(stand, LIMITS, START, ActionChunking(3))
    controller.observe(observation(0.0))
    actions = np.zeros((INTERFACE.chunk_size, 2), np.float32)
    stand.asked[-1][1].set_result(ActionChunk(actions, step_times(0.0, INTERFACE), 99.0))
    controller.command(0.1)
    assert not controller.failure
