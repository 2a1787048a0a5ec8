"""Policy server: observations in, action chunks out. Nothing that an unknown client sends can stop it.

One thread does the network traffic, another runs the policy. Each robot has one request at a time, so at most
`MOST_ROBOTS` requests wait. A malformed message ends its own connection and no other. Other machines can reach the
server only if there is a token.
"""

import asyncio
import ipaddress
import logging
import os
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

from glam.core.errors import GlamError
from glam_client import messages
from glam_client.access import NO_TOKEN, is_authorized
from glam_client.interface import ActionChunk, Observation, ServerInterface, step_times
from glam_client.messages import MessageError

_BACKLOG = 64


def listen(host: str, port: int, token: str) -> socket.socket:
    """Open a listening socket; an address that other machines can reach needs a token."""
    if not 0 <= port <= 65535:
        raise GlamError(f"--port {port} must be from 0 to 65535; 0 is any free port")
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise GlamError(f"--host {host}: no such address; give one of this machine, such as 127.0.0.1") from None
    if not ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback and token == NO_TOKEN:
        raise GlamError(f"--host {host}: other machines can reach it, so --token-file must be given too")
    try:
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except OSError as error:
        raise GlamError(
            f"--host {host} --port {port}: cannot listen there ({os.strerror(error.errno or 0)}); choose another"
        ) from None


MOST_ROBOTS = 16
MOST_SOCKETS = 128
"""Open sockets: robots, and pending connections that have not finished the opening handshake."""
HANDSHAKES_PER_SECOND = 50
HANDSHAKE_BURST = 2
"""Opening handshakes that are processed; further ones wait."""
OPEN_SECONDS = 5.0
"""Time limit of the opening handshake."""
PING_SECONDS = 5.0
"""Time between two pings, and from a ping to its answer."""
CLOSE_SECONDS = 2.0
_QUIET_SECONDS = 10.0
"""Time between two log lines about refusals."""

Act = Callable[[NDArray[np.uint8], NDArray[np.float32], NDArray[np.float32]], NDArray[np.float32]]
"""Images (1, V, Y, X, 3), poses (1, p), states (1, n_s) -> chunks of actions (1, H, n_a)."""
Say = Callable[[str], None]

# The library logs a traceback for every connection that breaks; `_Log` reports what matters.
_SILENT = logging.getLogger("glam.serving.websockets")
_SILENT.addHandler(logging.NullHandler())
_SILENT.propagate = False


@dataclass(frozen=True)
class ServedPolicy:
    """A policy and its interface."""

    act: Act
    interface: ServerInterface


class PolicyServer:
    """Serves a policy to robots until it is stopped."""

    def __init__(self, served: ServedPolicy, token: str, say: Say) -> None:
        self._served, self._token, self._log = served, token, _Log(say)
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="policy")
        self._robots = 0

    async def run(self, listener: socket.socket, stop: asyncio.Event) -> None:
        """Serve on `listener` until `stop` is set."""
        async with serve(
            self._handle,
            sock=listener,
            create_connection=partial(_PendingConnection, _RateLimit()),  # type: ignore[arg-type]  # a factory, not a class
            process_request=self._authorize,
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
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _authorize(self, connection: ServerConnection, request: Request) -> Response | None:
        """Refuse a handshake without the right token, before anything else is read."""
        headers = request.headers.get_all("Authorization")
        if is_authorized(headers[0] if len(headers) == 1 else "", self._token):
            return None
        self._log.refused(connection, "no token or a wrong one")
        return connection.respond(HTTPStatus.UNAUTHORIZED, "this server needs the token of its --token-file\n")

    async def _handle(self, connection: ServerConnection) -> None:
        if self._robots >= MOST_ROBOTS:
            await connection.close(CloseCode.TRY_AGAIN_LATER, f"{MOST_ROBOTS} robots are connected already")
            return
        self._robots += 1
        try:
            with suppress(ConnectionClosed):
                await self._serve_robot(connection)
        finally:
            self._robots -= 1

    async def _serve_robot(self, connection: ServerConnection) -> None:
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
                number, observation = messages.read_observation(message, interface)
                if number <= last:
                    raise MessageError("the numbers of observations must increase")
                actions = await asyncio.get_running_loop().run_in_executor(self._executor, self._predict, observation)
                await connection.send(
                    messages.chunk(number, ActionChunk(actions, step_times(observation.time, interface)))
                )
                last, answered = number, answered + 1
                if answered == 1:
                    self._log.joined(connection)
        finally:
            if answered:
                self._log.left(connection, answered)

    def _predict(self, observation: Observation) -> NDArray[np.float32]:
        """Run the policy. A failure or an action that is not finite is an error, never a made-up action."""
        interface = self._served.interface
        images = np.stack([observation.images[camera] for camera in interface.cameras])
        try:
            actions: NDArray[np.float32] = self._served.act(
                images[None], observation.pose[None], observation.state[None]
            )[0]
        except Exception as problem:  # anything a network may raise: this robot gets an error, the others are served
            raise MessageError(f"the policy failed: {problem}") from problem
        if actions.shape != (interface.chunk_size, len(interface.action_names)) or not np.isfinite(actions).all():
            raise MessageError("the policy returned something other than a chunk of finite actions")
        return actions


class _RateLimit:
    """Limits the rate of opening handshakes, so that connected robots keep most of the server's time."""

    def __init__(self) -> None:
        self.sockets = 0
        """Number of open sockets."""
        self._next = 0.0

    def wait(self) -> float:
        """Seconds that the next handshake must wait; a short burst passes at once."""
        now, share = time.monotonic(), 1.0 / HANDSHAKES_PER_SECOND
        self._next = max(self._next, now - HANDSHAKE_BURST * share) + share
        return max(self._next - now, 0.0)


class _PendingConnection(ServerConnection):
    """A connection whose opening handshake waits for its turn. Too many sockets: it is closed at once."""

    def __init__(self, limit: _RateLimit, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._limit = limit

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._limit.sockets += 1
        if self._limit.sockets > MOST_SOCKETS:
            self.transport.abort()
        elif wait := self._limit.wait():
            self.transport.pause_reading()
            self.loop.call_later(wait, self._read)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._limit.sockets -= 1

    def _read(self) -> None:
        if not self.transport.is_closing():
            self.transport.resume_reading()


class _Log:
    """Log lines for the console. A flood of refusals gives one line in ten seconds."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._skipped, self._next = 0, 0.0

    def joined(self, connection: ServerConnection) -> None:
        self._say(f"{_name(connection)}: got its first chunk")

    def left(self, connection: ServerConnection, answered: int) -> None:
        self._say(f"{_name(connection)}: left after {answered} chunks")

    def refused(self, connection: ServerConnection, reason: str) -> None:
        now = time.monotonic()
        if now < self._next:
            self._skipped += 1
            return
        more = f"; {self._skipped} more were refused since the last line" if self._skipped else ""
        self._say(f"{_name(connection)}: refused: {reason}{more}")
        self._skipped, self._next = 0, now + _QUIET_SECONDS


def _name(connection: ServerConnection) -> str:
    address = connection.remote_address
    return f"{address[0]} port {address[1]}" if address else "an unknown address"
