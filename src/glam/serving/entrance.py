"""Entrance of the policy server: a socket gets in when its whole opening handshake has arrived, and not before.

Until then it costs almost nothing: no task, no buffer, a look at what it has sent fifty times a second. Waiting sockets
are few, and a new one takes the place of the one that has waited longest. Those that bring the token are let in first
and lose their place last, so strangers cannot keep a robot out. Sockets are accepted and let in at a bounded rate, so a
flood of them leaves connected robots most of the server's time.
"""

import asyncio
import re
import socket
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from glam_client.access import is_authorized

TICK_SECONDS = 0.02
"""Time between two looks at the waiting sockets. In each, one handshake with the token and one without gets in."""
ACCEPTED_AT_ONCE = 4
"""Sockets accepted in one look: 200 per second. Others wait in the kernel."""
MOST_WAITING = 64
OPEN_SECONDS = 2.0
"""Time limit for the whole opening handshake."""
LONGEST_HANDSHAKE = 8192
"""Bytes."""
_BEGIN, _END = b"GET ", b"\r\n\r\n"
_AUTHORIZATION = re.compile(rb"\r\nauthorization:[ \t]*([^\r\n]*)", re.IGNORECASE)


@dataclass(eq=False)
class _Caller:
    """A socket that waits."""

    socket: socket.socket
    address: Any
    since: float
    is_complete: bool = False
    """Whether its whole handshake has arrived."""
    has_token: bool = False


class Entrance(socket.socket):
    """Stands in for the listening socket: asyncio accepts from it the sockets that are let in.

    asyncio waits until one end of a socket pair is readable. The other end gets a byte for each socket that is let in.
    What a socket has sent is only peeked at, so that the WebSocket library reads all of it.
    """

    def __init__(self, listener: socket.socket, token: str) -> None:
        """Take over a listening socket, to close it in the end."""
        end, self._bell = socket.socketpair()
        super().__init__(end.family, end.type, end.proto, fileno=end.detach())
        listener.settimeout(0.0)
        self._listener, self._token = listener, token
        self._waiting: list[_Caller] = []
        self._ready: deque[_Caller] = deque()

    async def watch(self) -> None:
        """Let sockets in, for ever."""
        while True:
            self._look(time.monotonic())
            await asyncio.sleep(TICK_SECONDS)

    def accept(self) -> tuple[socket.socket, Any]:
        """A socket that is let in, and its address; for asyncio."""
        if not self._ready:
            raise BlockingIOError
        self.recv(1)
        caller = self._ready.popleft()
        return caller.socket, caller.address

    def listen(self, backlog: int = 0, /) -> None:
        """Do nothing: the listening socket listens already. For asyncio."""

    def close(self) -> None:
        """Close all sockets that are not let in."""
        for caller in (*self._waiting, *self._ready):
            caller.socket.close()
        self._listener.close()
        self._bell.close()
        super().close()

    def _look(self, now: float) -> None:
        """Accept sockets, look at what the waiting ones have sent, and let some in."""
        for _ in range(ACCEPTED_AT_ONCE):
            with suppress(OSError):  # nobody is there, or this process has no descriptors left
                accepted, address = self._listener.accept()
                accepted.settimeout(0.0)
                self._waiting.append(_Caller(accepted, address, now))
        for caller in [caller for caller in self._waiting if not self._peek(caller, now)]:
            self._dismiss(caller)
        for has_token in (True, False):
            complete = (caller for caller in self._waiting if caller.is_complete and caller.has_token is has_token)
            if first := next(complete, None):
                self._waiting.remove(first)
                self._ready.append(first)
                self._bell.send(b"!")
        for caller in sorted(self._waiting, key=_rank)[:-MOST_WAITING]:
            self._dismiss(caller)

    def _dismiss(self, caller: _Caller) -> None:
        self._waiting.remove(caller)
        caller.socket.close()

    def _peek(self, caller: _Caller, now: float) -> bool:
        """Look at what a socket has sent; returns whether it may go on waiting."""
        is_in_time = now < caller.since + OPEN_SECONDS
        try:
            sent = caller.socket.recv(LONGEST_HANDSHAKE, socket.MSG_PEEK)
        except BlockingIOError:
            return is_in_time
        except OSError:
            return False
        caller.is_complete = sent.startswith(_BEGIN) and _END in sent
        if caller.is_complete:
            caller.has_token = is_authorized(_given(sent), self._token)
            return True
        return is_in_time and 0 < len(sent) < LONGEST_HANDSHAKE and _BEGIN.startswith(sent[: len(_BEGIN)])


def _rank(caller: _Caller) -> tuple[bool, float]:
    """The lowest loses its place first."""
    return caller.has_token, caller.since


def _given(handshake: bytes) -> str:
    """Content of the only `Authorization` header, or nothing. The server checks it again later."""
    given = _AUTHORIZATION.findall(handshake)
    return given[0].decode("latin-1").strip() if len(given) == 1 else ""
