"""The robot's end of the line to `glam serve`: ask for chunks without waiting, and know how long the server is silent.

    with Client("ws://127.0.0.1:8765") as client:
        chunk = client.ask(observation).result()

Runs on a computer without torch: numpy, msgpack and websockets are all it needs. What to do with the chunks on a robot
that moves is `glam.serving.pilot`.
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

from glam.core.errors import GlamError
from glam.serving import access, messages
from glam.serving.interface import Chunk, Interface, Observation, check, resized

HEARTBEAT_SECONDS = 0.1
"""From the answer to a ping to the next ping."""
_CLOSE_SECONDS = 1.0

Result = TypeVar("Result")


class Client:
    """A connection to a policy server. Everything on the line happens in a thread of its own."""

    def __init__(self, address: str, token: str = access.NO_TOKEN, patience: float = 10.0) -> None:
        """Connect.

        Args:
            address: such as `ws://127.0.0.1:8765`.
            token: the word in the server's `--token-file`.
            patience: seconds for the connection, and for each answer, after which it counts as lost.
        """
        self._address, self._patience = address, patience
        self._number = 0
        self._heard = time.monotonic()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="policy server", daemon=True)
        self._thread.start()
        try:
            self._connection, self.interface = self._start(self._open(token)).result()
        except BaseException:
            self._end()
            raise
        self._turn = asyncio.Lock()
        self._start(self._beat())

    def ask(self, observation: Observation) -> Future[Chunk]:
        """Send an observation; its chunk comes later, or a `GlamError` that says what went wrong."""
        check(observation, self.interface)
        self._number += 1
        return self._start(self._exchange(self._number, observation))

    def silence(self) -> float:
        """Seconds since the server was last heard; while all is well it answers a ping ten times a second."""
        return time.monotonic() - self._heard

    def close(self) -> None:
        """Hang up."""
        if self._thread.is_alive():
            with suppress(TimeoutError):
                self._start(self._hang_up()).result(2.0 * _CLOSE_SECONDS)
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

    async def _open(self, token: str) -> tuple[ClientConnection, Interface]:
        try:
            async with asyncio.timeout(self._patience):
                connection = await connect(
                    self._address,
                    subprotocols=[Subprotocol(messages.SUBPROTOCOL)],
                    additional_headers=access.header(token),
                    compression=None,
                    proxy=None,  # a robot's commands take no detour
                    ping_interval=None,  # we ping more often ourselves
                    close_timeout=_CLOSE_SECONDS,
                    max_size=messages.LONGEST_ANSWER,
                )
                return connection, await _greeted(connection)
        except InvalidURI:
            raise GlamError(f"{self._address}: not an address such as ws://127.0.0.1:8765") from None
        except InvalidStatus as refusal:
            said = bytes(refusal.response.body or b"").decode("ascii", "replace").strip()
            raise GlamError(f"{self._address}: refused with {refusal.response.status_code}, {said!r}") from None
        except (OSError, TimeoutError, WebSocketException) as problem:
            raise GlamError(f"{self._address}: no policy server answers there ({_words(problem)})") from None

    async def _hang_up(self) -> None:
        """End all that is under way; whoever waits for an answer learns that it was cancelled."""
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._connection.close()

    async def _beat(self) -> None:
        """Note that the server lives, for as long as it does. A server that has stopped leaves us waiting here."""
        with suppress(ConnectionClosed):
            while True:
                await (await self._connection.ping())
                self._heard = time.monotonic()
                await asyncio.sleep(HEARTBEAT_SECONDS)

    async def _exchange(self, number: int, observation: Observation) -> Chunk:
        """One question and its answer. After an answer that is wrong or missing the line is of no more use."""
        small = resized(observation, self.interface)
        try:
            async with self._turn, asyncio.timeout(self._patience):
                await self._connection.send(messages.observation(number, small))
                answer = await self._connection.recv()
                chunk = messages.read_chunk(answer, number, self.interface, observation.time)
        except (ConnectionClosed, TimeoutError) as problem:
            self._connection.transport.abort()
            raise GlamError(f"{self._address}: the connection is lost ({_words(problem)})") from None
        except GlamError:
            self._connection.transport.abort()
            raise
        self._heard = time.monotonic()
        return chunk


async def _greeted(connection: ClientConnection) -> Interface:
    try:
        return messages.read_hello(await connection.recv())
    except BaseException:
        connection.transport.abort()
        raise


def _words(problem: BaseException) -> str:
    return str(problem) or "it took too long"
