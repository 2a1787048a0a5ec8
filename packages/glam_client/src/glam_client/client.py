"""Connection from a robot to `glam serve`: request action chunks without blocking, and measure the server's silence.

    with PolicyClient("ws://127.0.0.1:8765") as client:
        chunk = client.ask(observation).result()

`glam_client.controller` turns chunks into commands for a robot that moves.
"""

import asyncio
import threading
import time
from collections.abc import Coroutine
from concurrent.futures import Future
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeVar

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, InvalidURI, WebSocketException
from websockets.typing import Subprotocol

from glam_client import access, messages
from glam_client.errors import GlamError
from glam_client.interface import ActionChunk, Observation, ServerInterface, check, resized

HEARTBEAT_SECONDS = 0.1
"""Pause between the answer to a ping and the next ping."""
_CLOSE_SECONDS = 1.0

Result = TypeVar("Result")


class PolicyClient:
    """A connection to a policy server. All network traffic happens in a thread of its own."""

    def __init__(self, address: str, token: str = access.NO_TOKEN, timeout: float = 10.0) -> None:
        """Connect.

        Args:
            address: such as `ws://127.0.0.1:8765`.
            token: shared secret, the content of the server's `--token-file`.
            timeout: seconds to wait for the connection and for each answer before it counts as lost.
        """
        self._address, self._timeout = address, timeout
        self._number = 0
        self._last_seen = time.monotonic()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="policy server", daemon=True)
        self._thread.start()
        try:
            self._connection, self.interface = self._start(self._open(token)).result()
        except BaseException:
            self._end()
            raise
        self._one_at_a_time = asyncio.Lock()
        self._start(self._ping())

    def ask(self, observation: Observation) -> Future[ActionChunk]:
        """Send an observation; the future holds its chunk, or a `GlamError` that says what went wrong."""
        check(observation, self.interface)
        if not self._thread.is_alive():
            raise GlamError(f"{self._address}: this client is closed; make a new one")
        self._number += 1
        return self._start(self._exchange(self._number, observation))

    def silence(self) -> float:
        """Seconds since the last sign of life; a healthy server answers ten pings a second."""
        return time.monotonic() - self._last_seen

    def close(self) -> None:
        """End the connection."""
        if self._thread.is_alive():
            with suppress(TimeoutError):
                self._start(self._disconnect()).result(2.0 * _CLOSE_SECONDS)
            self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _start(self, work: Coroutine[Any, Any, Result]) -> Future[Result]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _open(self, token: str) -> tuple[ClientConnection, ServerInterface]:
        try:
            async with asyncio.timeout(self._timeout):
                connection = await connect(
                    self._address,
                    subprotocols=[Subprotocol(messages.SUBPROTOCOL)],
                    additional_headers=access.authorization(token),
                    compression=None,
                    proxy=None,  # commands must not take a detour
                    ping_interval=None,  # `_ping` does it more often
                    close_timeout=_CLOSE_SECONDS,
                    max_size=messages.LONGEST_ANSWER,
                )
                return connection, await _read_hello(connection)
        except InvalidURI:
            raise GlamError(f"{self._address}: not an address such as ws://127.0.0.1:8765") from None
        except InvalidStatus as refusal:
            answer = bytes(refusal.response.body or b"").decode("ascii", "replace").strip()
            raise GlamError(f"{self._address}: refused with {refusal.response.status_code}, {answer!r}") from None
        except (OSError, TimeoutError, WebSocketException) as problem:
            raise GlamError(f"{self._address}: no policy server answers there ({_reason(problem)})") from None

    async def _disconnect(self) -> None:
        """Cancel all requests, then close the connection."""
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._connection.close()

    async def _ping(self) -> None:
        """Record signs of life. While the server is frozen this waits for its answer."""
        with suppress(ConnectionClosed):
            while True:
                await (await self._connection.ping())
                self._last_seen = time.monotonic()
                await asyncio.sleep(HEARTBEAT_SECONDS)

    async def _exchange(self, number: int, observation: Observation) -> ActionChunk:
        """Send one request and read its answer. A wrong or missing answer ends the connection."""
        small = resized(observation, self.interface)
        try:
            async with self._one_at_a_time, asyncio.timeout(self._timeout):
                await self._connection.send(messages.observation(number, small))
                answer = await self._connection.recv()
                chunk = messages.read_chunk(answer, number, self.interface, observation.time)
        except (ConnectionClosed, TimeoutError) as problem:
            self._connection.transport.abort()
            raise GlamError(f"{self._address}: the connection is lost ({_reason(problem)})") from None
        except GlamError:
            self._connection.transport.abort()
            raise
        self._last_seen = time.monotonic()
        return chunk


async def _read_hello(connection: ClientConnection) -> ServerInterface:
    try:
        return messages.read_hello(await connection.recv())
    except BaseException:
        connection.transport.abort()
        raise


def _reason(problem: BaseException) -> str:
    return str(problem) or "it took too long"
