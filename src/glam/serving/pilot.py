"""From chunks to commands, once each control period: receding chunking, safety filter and watchdog, on the robot.

    pilot = Pilot(client, limits, start)
    each period:
        if pilot.is_due(now):
            pilot.look(observation)        # does not wait
        send(pilot.command(now).values)    # always a command, and always a safe one

Time is the robot's. A chunk says when each action is due; when it arrives, those that are past are skipped, and while
the next one is on its way the rest of the last one is followed. When nothing fresh is left, or the server is silent for
longer than `limits.timeout`, the robot brakes and holds until somebody calls `resume`.

To hold is to be told the same place again, but of actions that say by how much to move, 0: to repeat one would be to
drive on. So it is also from the end of a chunk on, where an action that says where to be is kept until the next comes.
"""

from concurrent.futures import CancelledError, Future
from dataclasses import replace
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from glam.core.action_chunking import DEFAULT_CHUNKING, ActionChunking
from glam.core.errors import GlamError
from glam.policies.safety import Limits, SafetyFilter
from glam.serving.interface import Chunk, Interface, Observation

Status = Literal["waiting", "passed", "limited", "refused", "stale"]
"""waiting: for the first chunk, at rest. The others are what the safety filter says."""


class Source(Protocol):
    """Where chunks come from: a `Client`, or a stand-in for tests."""

    interface: Interface

    def ask(self, observation: Observation) -> Future[Chunk]:
        """Send an observation."""

    def silence(self) -> float:
        """Seconds since the last sign of life."""


class Command(NamedTuple):
    """What to send to the robot now."""

    values: NDArray[np.float64]
    status: Status


class Pilot:
    """Decides when to look, and what to command."""

    def __init__(
        self,
        source: Source,
        limits: Limits,
        start: NDArray[np.floating[Any]],
        chunking: ActionChunking = DEFAULT_CHUNKING,
    ) -> None:
        """Stand still at `start`.

        Args:
            source: where chunks come from.
            limits: of the robot, with the names of the policy's actions as those of the axes.
            start: where the robot is commanded to be now; 0 for delta_actions.
            chunking: after how many actions of a chunk the robot looks again, and how much of the chunk is remembered
                then. What is not yet executed bridges the time until the answer.
        """
        _agree(source.interface, limits, chunking.n_action_steps)
        self._source, self._timeout, self._chunking = source, limits.timeout, chunking
        self._safe = SafetyFilter(limits, start, source.interface.delta_actions)
        self._is_delta = [name in source.interface.delta_actions for name in source.interface.action_names]
        self._chunk: Chunk | None = None
        self._answer: Future[Chunk] | None = None
        self.failure = ""
        """Why the robot brakes and holds; empty while it does not."""

    def is_due(self, now: float) -> bool:
        """Whether the policy should be shown what the robot sees."""
        self._take_note()
        is_used_up = self._chunk is None or self._step(self._chunk, now) >= self._chunking.n_action_steps
        return not self.failure and self._answer is None and is_used_up

    def look(self, observation: Observation) -> Future[Chunk]:
        """Ask the policy. A simulation may wait for the answer, a robot goes on."""
        self._answer = self._source.ask(observation)
        return self._answer

    def command(self, now: float) -> Command:
        """The command for this period; to be called in each, whatever happens."""
        self._take_note()
        if self.failure:
            return Command(*self._safe(None, np.nan, now))
        if self._chunk is None:
            return Command(self._safe(None, now, now).command, "waiting")
        step, last = self._step(self._chunk, now), len(self._chunk.times) - 1
        action, due = self._chunk.actions[min(step, last)], float(self._chunk.times[min(step, last)])
        command, verdict = self._safe(self._at_rest(action) if step > last else action, due, now)
        if verdict == "stale":
            self.hold(f"no chunk for {self._timeout} s after the last one ended")
        return Command(command, verdict)

    def hold(self, why: str) -> None:
        """Brake and hold from now on, as when the server is lost: the end of a run, or a person's wish."""
        self.failure = self.failure or why

    def resume(self, source: Source) -> None:
        """Follow chunks of `source` again, which may be a new connection. To be called by a person, not by a loop."""
        if source.interface != self._source.interface:
            raise GlamError("the server has another policy now; start again rather than go on")
        self._source, self._chunk, self._answer, self.failure = source, None, None, ""
        self._safe.rearm()

    def _take_note(self) -> None:
        """Of an answer that came, and of a server that is gone."""
        if self._answer is not None and self._answer.done():
            try:
                self._chunk = self._remembering(self._answer.result())
            except (GlamError, CancelledError) as problem:
                self.hold(str(problem) or "the connection was closed")
            self._answer = None
        if self._source.silence() > self._timeout:
            self.hold(f"the server was silent for more than {self._timeout} s")

    def _remembering(self, chunk: Chunk) -> Chunk:
        """A new chunk, with the old one mixed in from the moment on at which it begins."""
        if self._chunk is None:
            return chunk
        rest = self._chunk.actions[self._step(self._chunk, float(chunk.times[0])) :]
        return replace(chunk, actions=self._chunking.mixed(chunk.actions.copy(), rest))

    def _at_rest(self, action: NDArray[np.float32]) -> NDArray[np.float32]:
        """What keeps the robot where an action leads."""
        return np.where(self._is_delta, np.float32(0.0), action)

    def _step(self, chunk: Chunk, now: float) -> int:
        """Number of the action that is due."""
        return max(round((now - float(chunk.times[0])) * self._source.interface.fps), 0)


def _agree(interface: Interface, limits: Limits, n_action_steps: int) -> None:
    """Limits of other axes, or at another rate, would protect another robot."""
    names = tuple(axis.name for axis in limits.axes)
    if names != interface.action_names:
        raise GlamError(f"limits: axes are {', '.join(names)}, but actions {', '.join(interface.action_names)}")
    if not np.isclose(limits.period * interface.fps, 1.0):
        raise GlamError(f"limits: a period of {limits.period} s, but the policy acts {interface.fps} times a second")
    if not 1 <= n_action_steps <= interface.chunk:
        raise GlamError(f"n_action_steps {n_action_steps} must be from 1 to the {interface.chunk} actions of a chunk")
