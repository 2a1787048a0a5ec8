"""Policy server: observations in, action chunks out. Nothing that an unknown client sends can stop it.

One thread does the network traffic, another runs the policy. Each robot has one request at a time, so at most
`MOST_ROBOTS` requests wait. A malformed message ends its own connection and no other. Other machines can reach the
server only if there is a token. Without one, a connection that asks nothing loses its place when another needs it.
"""

import asyncio
import ipaddress
import logging
import math
import os
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
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
from glam.serving.entrance import OPEN_SECONDS, Entrance
from glam_client import messages
from glam_client.access import NO_TOKEN, is_authorized
from glam_client.interface import ActionChunk, Observation, ServerInterface, step_times
from glam_client.messages import MessageError

_BACKLOG = 512
"""Sockets that wait in the kernel until the entrance accepts them."""


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
IDLE_SECONDS = 5.0
"""Time without a question after which a connection may lose its place, where there is no token."""
PING_SECONDS = 5.0
"""Time between two pings, and by default from a ping to its answer."""
LONGEST_PING_SECONDS = 86_400.0
CLOSE_SECONDS = 2.0
_QUIET_SECONDS = 10.0
"""Time between two log lines about refusals."""

Act = Callable[[NDArray[np.uint8], NDArray[np.float32], NDArray[np.float32]], NDArray[np.float32]]
"""Images (1, V, Y, X, 3), poses (1, p), states (1, n_s) -> chunks of actions (1, H, n_a)."""
ActAndDoubt = Callable[
    [NDArray[np.uint8], NDArray[np.float32], NDArray[np.float32]], tuple[NDArray[np.float32], NDArray[np.float32]]
]
"""The same, and doubts (1,)."""
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
    act_and_doubt: ActAndDoubt | None = None
    """Used instead of `act` if the policy knows its doubt."""


class PolicyServer:
    """Serves a policy to robots until it is stopped."""

    def __init__(self, served: ServedPolicy, token: str, say: Say, ping_timeout: float = PING_SECONDS) -> None:
        """Prepare to serve.

        Args:
            served: the policy.
            token: shared secret of robots and server; without one, only programs of this machine should reach it.
            say: prints a line about a connection.
            ping_timeout: seconds without an answer to a ping after which a robot counts as gone.
        """
        self._served, self._token, self._log = served, token, _Log(say)
        self._ping_timeout = ping_timeout
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="policy")
        self._robots: dict[ServerConnection, float] = {}
        """When each of them asked last."""
        self._farewells: set[asyncio.Task[None]] = set()

    async def run(self, listener: socket.socket, stop: asyncio.Event) -> None:
        """Serve on `listener` until `stop` is set, then close it."""
        entrance = Entrance(listener, self._token)
        watch = asyncio.create_task(entrance.watch())
        async with serve(
            self._handle,
            sock=entrance,
            process_request=self._authorize,
            origins=[None],  # a web page in a browser on this machine has an origin; a robot has none
            subprotocols=[Subprotocol(messages.SUBPROTOCOL)],
            compression=None,  # a few bytes could grow to many
            open_timeout=OPEN_SECONDS,
            ping_interval=PING_SECONDS,
            ping_timeout=self._ping_timeout,
            close_timeout=CLOSE_SECONDS,
            max_size=messages.longest_observation(self._served.interface),
            max_queue=1,
            server_header=None,
            logger=_SILENT,
        ):
            await stop.wait()
            watch.cancel()
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _authorize(self, connection: ServerConnection, request: Request) -> Response | None:
        """Refuse a handshake without the right token, before anything else is read."""
        headers = request.headers.get_all("Authorization")
        if is_authorized(headers[0] if len(headers) == 1 else "", self._token):
            return None
        self._log.refused(connection, "no token or a wrong one")
        return connection.respond(HTTPStatus.UNAUTHORIZED, "this server needs the token of its --token-file\n")

    async def _handle(self, connection: ServerConnection) -> None:
        if len(self._robots) >= MOST_ROBOTS and not self._made_room():
            await connection.close(CloseCode.TRY_AGAIN_LATER, f"{MOST_ROBOTS} robots are connected already")
            return
        self._robots[connection] = time.monotonic()
        try:
            with suppress(ConnectionClosed):
                await self._serve_robot(connection)
        finally:
            self._robots.pop(connection, None)

    def _made_room(self) -> bool:
        """Take the place of the connection that has been idle for longest; with a token, all are robots and stay."""
        idle = min(self._robots, key=self._robots.__getitem__)
        if self._token != NO_TOKEN or time.monotonic() < self._robots[idle] + IDLE_SECONDS:
            return False
        del self._robots[idle]
        reason = f"idle for more than {IDLE_SECONDS:g} s, and another robot needed the place"
        farewell = asyncio.create_task(idle.close(CloseCode.TRY_AGAIN_LATER, reason))
        self._farewells.add(farewell)  # the event loop itself does not keep tasks alive
        farewell.add_done_callback(self._farewells.discard)
        return True

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
                if connection in self._robots:
                    self._robots[connection] = time.monotonic()
                if number <= last:
                    raise MessageError("the numbers of observations must increase")
                chunk = await asyncio.get_running_loop().run_in_executor(self._executor, self._predict, observation)
                await connection.send(messages.chunk(number, chunk))
                last, answered = number, answered + 1
                if answered == 1:
                    self._log.joined(connection)
        finally:
            if answered:
                self._log.left(connection, answered)

    def _predict(self, observation: Observation) -> ActionChunk:
        """Run the policy. A failure or an action that is not finite is an error, never a made-up action."""
        interface = self._served.interface
        images = np.stack([observation.images[camera] for camera in interface.cameras])
        try:
            actions, doubt = self._answer(images[None], observation.pose[None], observation.state[None])
        except Exception as problem:  # anything a network may raise: this robot gets an error, the others are served
            raise MessageError(f"the policy failed: {problem}") from problem
        if actions.shape != (interface.chunk_size, len(interface.action_names)) or not np.isfinite(actions).all():
            raise MessageError("the policy returned something other than a chunk of finite actions")
        return ActionChunk(actions, step_times(observation.time, interface), doubt)

    def _answer(self, *observed: Any) -> tuple[NDArray[np.float32], float]:
        """Actions for one observation, and the doubt about it."""
        if self._served.act_and_doubt is None:
            return self._served.act(*observed)[0], math.nan
        chunks, doubts = self._served.act_and_doubt(*observed)
        return chunks[0], float(doubts[0])


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
