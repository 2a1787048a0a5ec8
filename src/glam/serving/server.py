"""The policy server: observations in, chunks of actions out, and nothing that a stranger sends can stop it.

One thread talks, another thinks. A robot is answered one question at a time, so that at most `MOST_ROBOTS` questions
wait. Whatever is malformed ends its own connection and no other.
"""

import asyncio
import logging
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any

import numpy as np
from numpy.typing import NDArray
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from glam.serving import messages
from glam.serving.access import is_known
from glam.serving.interface import Chunk, Interface, Observation, step_times
from glam.serving.messages import MessageError

MOST_ROBOTS = 16
MOST_SOCKETS = 128
"""Robots, and whoever has not finished the opening handshake."""
STRANGERS_PER_SECOND = 50
STRANGERS_AT_ONCE = 2
"""Opening handshakes that are dealt with; others wait for their turn."""
OPEN_SECONDS = 5.0
"""For the opening handshake."""
PING_SECONDS = 5.0
"""Between two pings, and from a ping to its answer."""
CLOSE_SECONDS = 2.0
_QUIET_SECONDS = 10.0
"""Between two lines about refusals."""

Act = Callable[[NDArray[np.uint8], NDArray[np.float32], NDArray[np.float32]], NDArray[np.float32]]
"""Images (1, V, Y, X, 3), poses (1, p), states (1, n_s) -> chunks of actions (1, H, n_a)."""
Say = Callable[[str], None]

# The library tells with a traceback of every connection that breaks; what matters is said by `_Log`.
_SILENT = logging.getLogger("glam.serving.websockets")
_SILENT.addHandler(logging.NullHandler())
_SILENT.propagate = False


@dataclass(frozen=True)
class Served:
    """A policy and what it wants to see."""

    act: Act
    interface: Interface


class PolicyServer:
    """Answers robots until it is told to stop."""

    def __init__(self, served: Served, token: str, say: Say) -> None:
        self._served, self._token, self._log = served, token, _Log(say)
        self._mind = ThreadPoolExecutor(1, thread_name_prefix="policy")
        self._robots = 0

    async def run(self, listener: socket.socket, stop: asyncio.Event) -> None:
        """Serve on `listener` until `stop` is set."""
        async with serve(
            self._attend,
            sock=listener,
            create_connection=partial(_Stranger, _Gate()),  # type: ignore[arg-type]  # makes one, and is no class
            process_request=self._admit,
            origins=[None],  # a web page in a browser on this machine has an origin; a robot has none
            subprotocols=[Subprotocol(messages.SUBPROTOCOL)],
            compression=None,  # a few bytes could grow to many
            open_timeout=OPEN_SECONDS,
            ping_interval=PING_SECONDS,
            ping_timeout=PING_SECONDS,
            close_timeout=CLOSE_SECONDS,
            max_size=messages.longest_observation(self._served.interface),
            max_queue=1,
            server_header=None,
            logger=_SILENT,
        ):
            await stop.wait()
        self._mind.shutdown(wait=False, cancel_futures=True)

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        """Refuse who does not know the token, before anything else is looked at."""
        said = request.headers.get_all("Authorization")
        if is_known(said[0] if len(said) == 1 else "", self._token):
            return None
        self._log.refused(connection, "no token or a wrong one")
        return connection.respond(HTTPStatus.UNAUTHORIZED, "this server wants the token of its --token-file\n")

    async def _attend(self, connection: ServerConnection) -> None:
        if self._robots >= MOST_ROBOTS:
            await connection.close(CloseCode.TRY_AGAIN_LATER, f"{MOST_ROBOTS} robots are connected already")
            return
        self._robots += 1
        try:
            with suppress(ConnectionClosed):
                await self._converse(connection)
        finally:
            self._robots -= 1

    async def _converse(self, connection: ServerConnection) -> None:
        try:
            await connection.send(messages.hello(self._served.interface))
            await self._answer_all(connection)
        except MessageError as problem:
            self._log.refused(connection, str(problem))
            await connection.send(messages.error(str(problem)))
            await connection.close(CloseCode.POLICY_VIOLATION)

    async def _answer_all(self, connection: ServerConnection) -> None:
        interface, last, answered = self._served.interface, -1, 0
        try:
            async for message in connection:
                number, seen = messages.read_observation(message, interface)
                if number <= last:
                    raise MessageError("numbers of observations must rise")
                actions = await asyncio.get_running_loop().run_in_executor(self._mind, self._think, seen)
                await connection.send(messages.chunk(number, Chunk(actions, step_times(seen.time, interface))))
                last, answered = number, answered + 1
                if answered == 1:
                    self._log.joined(connection)
        finally:
            if answered:
                self._log.left(connection, answered)

    def _think(self, seen: Observation) -> NDArray[np.float32]:
        """The policy's answer; one that fails or says what is no number is an error, never a made-up action."""
        interface = self._served.interface
        images = np.stack([seen.images[camera] for camera in interface.cameras])
        try:
            actions: NDArray[np.float32] = self._served.act(images[None], seen.pose[None], seen.state[None])[0]
        except Exception as problem:  # whatever a network may raise: this robot is told, the others are served
            raise MessageError(f"the policy failed: {problem}") from problem
        if actions.shape != (interface.chunk, len(interface.action_names)) or not np.isfinite(actions).all():
            raise MessageError("the policy answered with what is no chunk of finite actions")
        return actions


class _Gate:
    """When the next stranger may speak. However many come, those who are in keep most of the server's time."""

    def __init__(self) -> None:
        self.sockets = 0
        """Open at this moment."""
        self._next = 0.0

    def wait(self) -> float:
        """Seconds for one more; a few may come at once."""
        now, share = time.monotonic(), 1.0 / STRANGERS_PER_SECOND
        self._next = max(self._next, now - STRANGERS_AT_ONCE * share) + share
        return max(self._next - now, 0.0)


class _Stranger(ServerConnection):
    """Nothing is read from it before its turn; and when too many wait it is turned away at once."""

    def __init__(self, gate: _Gate, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._gate = gate

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._gate.sockets += 1
        if self._gate.sockets > MOST_SOCKETS:
            self.transport.abort()
        elif wait := self._gate.wait():
            self.transport.pause_reading()
            self.loop.call_later(wait, self._begin)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._gate.sockets -= 1

    def _begin(self) -> None:
        if not self.transport.is_closing():
            self.transport.resume_reading()


class _Log:
    """Lines for whoever watches the server. A flood of strangers makes one line in ten seconds."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._unsaid, self._next = 0, 0.0

    def joined(self, connection: ServerConnection) -> None:
        self._say(f"{_name(connection)}: got its first chunk")

    def left(self, connection: ServerConnection, answered: int) -> None:
        self._say(f"{_name(connection)}: left after {answered} chunks")

    def refused(self, connection: ServerConnection, why: str) -> None:
        now = time.monotonic()
        if now < self._next:
            self._unsaid += 1
            return
        more = f"; {self._unsaid} more were refused before" if self._unsaid else ""
        self._say(f"{_name(connection)}: refused: {why}{more}")
        self._unsaid, self._next = 0, now + _QUIET_SECONDS


def _name(connection: ServerConnection) -> str:
    address = connection.remote_address
    return f"{address[0]} port {address[1]}" if address else "a stranger"
