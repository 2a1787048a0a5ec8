"""Strangers wait outside, few at a time; whoever brings a whole handshake gets in, with the token first."""

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import numpy as np
import pytest
from benchmarks.serve_attacks import Attacker, Target
from tests.serving.conftest import INTERFACE, observation, running

from glam.serving import entrance as module
from glam.serving.entrance import Entrance
from glam.serving.server import listen
from glam_client.client import PolicyClient

TOKEN = "correct-horse-battery"


@contextmanager
def strangers(port: int, count: int, words: bytes = b"G") -> Iterator[list[socket.socket]]:
    """Sockets that send the beginning of a handshake and then nothing more."""
    sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(count)]
    try:
        for stranger in sockets:
            stranger.sendall(words)
            stranger.settimeout(5.0)
        yield sockets
    finally:
        for stranger in sockets:
            stranger.close()


def handshake(token: str = TOKEN) -> bytes:
    target = Target("127.0.0.1", 0, INTERFACE, token)
    return Attacker(target, None, None, np.random.default_rng(0)).handshake()  # type: ignore[arg-type]  # says nothing


def hung_up(stranger: socket.socket) -> bool:
    """Whether the server closes the connection; it may do so in the middle of what it was sent."""
    try:
        return stranger.recv(1) == b""
    except ConnectionResetError:
        return True


def test_robots_get_in_beside_200_slow_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ACCEPTED_AT_ONCE", 32)  # for a quick test: the order is the same
    with running(token=TOKEN) as server, PolicyClient(server.address, TOKEN) as before, strangers(server.port, 200):
        for _ in range(3):
            with PolicyClient(server.address, TOKEN) as robot:
                robot.ask(observation()).result(timeout=5.0)
        before.ask(observation()).result(timeout=5.0)


def test_the_socket_that_has_waited_longest_loses_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 4)
    with running(token=TOKEN) as server, strangers(server.port, 6) as sockets:
        assert [hung_up(stranger) for stranger in sockets[:2]] == [True, True]
        sockets[5].settimeout(0.0)
        with pytest.raises(BlockingIOError):
            sockets[5].recv(1)


def test_a_handshake_that_is_not_whole_in_time_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "OPEN_SECONDS", 0.1)
    with running(token=TOKEN) as server, strangers(server.port, 1) as sockets:
        assert hung_up(sockets[0])


@pytest.mark.parametrize("words", [b"\x16\x03\x01", b"POST / HTTP/1.1\r\n\r\n", b"GEX", b"GET " + b"x" * 9000])
def test_what_is_no_handshake_ends_at_once(words: bytes) -> None:
    begin = time.monotonic()
    with running(token=TOKEN) as server, strangers(server.port, 1, words) as sockets:
        assert hung_up(sockets[0])
        assert time.monotonic() - begin < module.OPEN_SECONDS


def test_a_handshake_in_two_pieces_gets_in() -> None:
    with running(token=TOKEN) as server, strangers(server.port, 1, handshake()[:60]) as sockets:
        time.sleep(2 * module.TICK_SECONDS)
        sockets[0].sendall(handshake()[60:])
        assert sockets[0].recv(12) == b"HTTP/1.1 101"


def test_whoever_brings_the_token_gets_in_before_earlier_strangers() -> None:
    async def let_in(entrance: Entrance, count: int) -> list[int]:
        watch, ports = asyncio.create_task(entrance.watch()), []
        while len(ports) < count:
            await asyncio.sleep(0)
            try:
                accepted, address = entrance.accept()
            except BlockingIOError:
                continue
            accepted.close()
            ports.append(address[1])
        watch.cancel()
        return ports

    listener = listen("127.0.0.1", 0, TOKEN)
    entrance, port = Entrance(listener, TOKEN), listener.getsockname()[1]
    entrance.settimeout(0.0)
    with strangers(port, 3, handshake("wrong-horse-battery")) as early, strangers(port, 1, handshake()) as late:
        ports = asyncio.run(let_in(entrance, 4))
        assert ports == [socket.getsockname()[1] for socket in (late[0], *early)]
    entrance.close()


def test_what_waits_is_closed_with_the_server() -> None:
    with ExitStack() as stack:
        with running(token=TOKEN) as server:
            (waiting,) = stack.enter_context(strangers(server.port, 1))
            time.sleep(3 * module.TICK_SECONDS)
        assert hung_up(waiting)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", server.port))
