"""Robot controller: from action chunks to one safe command per control period. Runs on the robot's computer.

    controller = RobotController(client, limits, start)
    each period:
        if controller.needs_observation(now):
            controller.observe(observation)         # does not block
        send(controller.command(now).values)        # always a command, and always within the limits

It combines action chunking, the safety filter and a watchdog. All times are on the robot's clock. A chunk says when
each action is due. When it arrives, actions in the past are skipped. While the next chunk is on its way, the rest of
the last one is executed. When no fresh action is left, or the server is silent for longer than `limits.timeout`, the
robot brakes and holds until somebody calls `resume`.

To hold, an absolute target is sent again. A delta action becomes 0, because to repeat it would keep the robot moving.
The same happens from the end of a chunk until the next one arrives.

Delays of camera and robot are made up for: actions are sent earlier by them. With `most_doubt` the robot holds when the
policy sees what it was not trained on, so that a person can take over.
"""

import math
from concurrent.futures import CancelledError, Future
from dataclasses import replace
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from glam_client.action_chunking import DEFAULT_CHUNKING, ActionChunking
from glam_client.errors import GlamError
from glam_client.interface import ActionChunk, Observation, ServerInterface
from glam_client.latency import NO_DELAYS, Delays, LatencyLog
from glam_client.safety import Limits, SafetyFilter

Status = Literal["waiting", "passed", "limited", "refused", "stale"]
"""waiting: at rest until the first chunk arrives. The others are verdicts of the safety filter."""


class ChunkSource(Protocol):
    """Source of action chunks: a `PolicyClient`, or a replacement in tests."""

    interface: ServerInterface

    def ask(self, observation: Observation) -> Future[ActionChunk]:
        """Send an observation."""

    def silence(self) -> float:
        """Seconds since the last sign of life."""


class RobotCommand(NamedTuple):
    """Command for the present control period."""

    values: NDArray[np.float64]
    status: Status


class RobotController:
    """Decides when the policy needs an observation, and which command to send."""

    def __init__(
        self,
        source: ChunkSource,
        limits: Limits,
        start: NDArray[np.floating[Any]],
        chunking: ActionChunking = DEFAULT_CHUNKING,
        delays: Delays = NO_DELAYS,
        most_doubt: float = math.inf,
    ) -> None:
        """Begin at rest at `start`.

        Args:
            source: source of action chunks.
            limits: of the robot; its axes have the names of the policy's actions.
            start: the present command, which keeps the robot where it is; 0 for delta actions.
            chunking: number of actions to execute before the next observation, and the weight of the previous chunk.
                The remaining actions bridge the time until the answer arrives.
            delays: of camera and robot; actions are sent earlier by them.
            most_doubt: doubt of the policy above which the robot holds; never by default.
        """
        self._skipped = round(delays.total * source.interface.fps)
        _check_agreement(source.interface, limits, chunking.n_action_steps, self._skipped)
        self._source, self._timeout, self._chunking = source, limits.timeout, chunking
        self._delays, self._most_doubt, self._is_new = delays, most_doubt, False
        self._safety_filter = SafetyFilter(limits, start, source.interface.delta_actions)
        self._is_delta = [name in source.interface.delta_actions for name in source.interface.action_names]
        self._chunk: ActionChunk | None = None
        self._answer: Future[ActionChunk] | None = None
        self.failure = ""
        """Reason why the robot brakes and holds; empty while it does not."""
        self.doubt = math.nan
        """Doubt of the policy about the last observation; NaN if it does not know."""
        self.latency = LatencyLog()

    def needs_observation(self, now: float) -> bool:
        """Return whether the policy should get an observation now."""
        self._update()
        is_used_up = (
            self._chunk is None or self._step(self._chunk, now) >= self._chunking.n_action_steps + self._skipped
        )
        return not self.failure and self._answer is None and is_used_up

    def observe(self, observation: Observation) -> Future[ActionChunk]:
        """Send an observation to the policy. A simulation may wait for the result, a robot goes on."""
        self._answer = self._source.ask(observation)
        return self._answer

    def command(self, now: float) -> RobotCommand:
        """Return the command of this control period. Call it in every period, whatever happens."""
        self._update()
        if self.failure:
            return RobotCommand(*self._safety_filter(None, np.nan, now))
        if self._chunk is None:
            return RobotCommand(self._safety_filter(None, now, now).command, "waiting")
        if self._is_new:
            self.latency.add(now - float(self._chunk.times[0]) - self._delays.actuation)
            self._is_new = False
        step, last = self._step(self._chunk, now), len(self._chunk.times) - 1
        action, due = self._chunk.actions[min(step, last)], float(self._chunk.times[min(step, last)])
        command, verdict = self._safety_filter(self._at_rest(action) if step > last else action, due, now)
        if verdict == "stale":
            self.hold(f"no new chunk within {self._timeout} s after the end of the last one")
        return RobotCommand(command, verdict)

    def hold(self, reason: str) -> None:
        """Brake and hold from now on, as when the server is lost; for the end of a run or a stop button."""
        self.failure = self.failure or reason

    def resume(self, source: ChunkSource) -> None:
        """Execute chunks of `source` again, which may be a new connection. A person decides this, never a loop."""
        if source.interface != self._source.interface:
            raise GlamError("the server has another policy now; make a new RobotController instead of resuming")
        self._source, self._chunk, self._answer, self.failure = source, None, None, ""
        self._safety_filter.rearm()

    def _update(self) -> None:
        """Take over a chunk that has arrived, and hold if the server is lost."""
        if self._answer is not None and self._answer.done():
            try:
                self._take_over(self._answer.result())
            except (GlamError, CancelledError) as problem:
                self.hold(str(problem) or "the connection was closed")
            except Exception as problem:  # whatever it is, a robot that moves must be told to stop, not left alone
                self.hold(f"the client failed: {problem!r}")
            self._answer = None
        if self._source.silence() > self._timeout:
            self.hold(f"the server was silent for more than {self._timeout} s")

    def _take_over(self, chunk: ActionChunk) -> None:
        self.doubt = chunk.doubt
        if self._most_doubt < math.inf and not chunk.doubt <= self._most_doubt:
            known = "is not known; train the policy again" if math.isnan(chunk.doubt) else f"is {chunk.doubt:.1f}"
            self.hold(f"the doubt of the policy {known}; at most {self._most_doubt:g} is allowed")
        self._chunk = self._ensembled(replace(chunk, times=chunk.times - self._delays.total))
        self._is_new = True

    def _ensembled(self, chunk: ActionChunk) -> ActionChunk:
        """Mix the previous chunk into a new one, from the time at which the new one begins."""
        if self._chunk is None:
            return chunk
        rest = self._chunk.actions[self._step(self._chunk, float(chunk.times[0])) :]
        return replace(chunk, actions=self._chunking.mixed(chunk.actions.copy(), rest))

    def _at_rest(self, action: NDArray[np.float32]) -> NDArray[np.float32]:
        """The action that keeps the robot where `action` leads."""
        return np.where(self._is_delta, np.float32(0.0), action)

    def _step(self, chunk: ActionChunk, now: float) -> int:
        """Index of the action that is due."""
        return max(round((now - float(chunk.times[0])) * self._source.interface.fps), 0)


def _check_agreement(interface: ServerInterface, limits: Limits, n_action_steps: int, skipped: int) -> None:
    """Refuse limits with other axes or another control period than the policy's: they belong to another robot."""
    names = tuple(axis.name for axis in limits.axes)
    if names != interface.action_names:
        raise GlamError(f"limits: axes are {', '.join(names)}, but actions {', '.join(interface.action_names)}")
    if not np.isclose(limits.period * interface.fps, 1.0):
        raise GlamError(f"limits: the period is {limits.period} s, but the policy acts {interface.fps} times a second")
    if not 1 <= n_action_steps <= interface.chunk_size - skipped:
        late = f", of which the delays skip {skipped}" if skipped else ""
        raise GlamError(
            f"n_action_steps {n_action_steps} must be from 1 to the {interface.chunk_size} actions of a chunk{late}"
        )
