import asyncio
import pkgutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from tests.serving.conftest import INTERFACE, count, observation, running
from websockets.asyncio.server import serve

import glam_client
from glam_client import messages
from glam_client.client import PolicyClient
from glam_client.errors import GlamError
from glam_client.messages import SUBPROTOCOL


@contextmanager
def impostor(hello: bytes, answer: bytes) -> Iterator[str]:
    """A server that says what it likes."""
    loop, addresses, begun = asyncio.new_event_loop(), [], threading.Event()
    stop = asyncio.Event()

    async def attend(connection) -> None:
        await connection.send(hello)
        async for _ in connection:
            await connection.send(answer)

    async def run() -> None:
        async with serve(attend, "127.0.0.1", 0, subprotocols=[SUBPROTOCOL]) as server:
            addresses.append(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}")
            begun.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()))
    thread.start()
    begun.wait()
    try:
        yield addresses[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


def test_nobody_at_the_address_is_one_sentence() -> None:
    with pytest.raises(GlamError, match=r"ws://127.0.0.1:1: no policy server answers there"):
        PolicyClient("ws://127.0.0.1:1")


@pytest.mark.parametrize("address", ["127.0.0.1:8765", "http://127.0.0.1:8765", "robot"])
def test_what_is_no_address_is_one_sentence(address: str) -> None:
    with pytest.raises(GlamError, match="not an address such as ws://"):
        PolicyClient(address)


def test_a_server_that_never_greets_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute, pytest.raises(GlamError, match="no policy server answers"):
        PolicyClient(f"ws://127.0.0.1:{mute.getsockname()[1]}", timeout=0.2)


def test_a_server_of_another_kind_is_refused() -> None:
    with impostor(b"hello", b"") as address, pytest.raises(GlamError, match="not msgpack"):
        PolicyClient(address)


def test_a_server_with_absurd_images_is_refused_before_a_robot_moves() -> None:
    hello = messages.hello(replace(INTERFACE, pixels=1_000_000))
    with impostor(hello, b"") as address, pytest.raises(GlamError, match="images above 4096 pixels"):
        PolicyClient(address)


@pytest.mark.parametrize("answer", [b"", b"\x80", messages.hello(INTERFACE), messages.error("no"), b"\xff" * 2_000_000])
def test_a_wrong_answer_is_an_error_and_ends_the_connection(answer: bytes) -> None:
    with impostor(messages.hello(INTERFACE), answer) as address, PolicyClient(address) as client:
        with pytest.raises(GlamError):
            client.ask(observation()).result()
        with pytest.raises(GlamError, match="the connection is lost"):
            client.ask(observation()).result()


def test_what_cannot_be_asked_is_refused_before_it_is_sent(server) -> None:
    with PolicyClient(server.address) as client:
        with pytest.raises(GlamError, match="state must be 2 finite numbers"):
            client.ask(observation(state=np.array([np.nan, 0.0])))
        client.ask(observation()).result()


def thinking():
    """A policy that answers when the event is set, and the event."""
    wait = threading.Event()

    def act(*seen):
        wait.wait()
        return count(*seen)

    return wait, act


def test_an_answer_that_takes_too_long_is_a_lost_connection() -> None:
    wait, act = thinking()
    with running(act) as server, PolicyClient(server.address, timeout=3.0) as client:
        start = time.monotonic()
        with pytest.raises(GlamError, match="the connection is lost"):
            client.ask(observation()).result()
        assert time.monotonic() - start >= 3.0
        wait.set()


def test_a_server_that_thinks_is_not_silent_and_one_that_is_gone_is() -> None:
    wait, act = thinking()
    with running(act) as server:
        client = PolicyClient(server.address)
        answer = client.ask(observation())
        heard = [client.silence() for _ in range(20) if not time.sleep(0.1)]
        assert not answer.done()
        wait.set()
        answer.result()
        assert min(heard[5:]) < 0.5  # less than the silence of a server that says nothing until it has an answer
    silence = client.silence()
    time.sleep(0.3)
    assert client.silence() >= silence + 0.3
    client.close()


def test_closing_cancels_what_is_under_way_and_may_be_repeated() -> None:
    wait, act = thinking()
    with running(act) as server:
        client = PolicyClient(server.address)
        answer = client.ask(observation())
        time.sleep(0.1)
        client.close()
        client.close()
        with pytest.raises(CancelledError):
            answer.result(timeout=20.0)
        with pytest.raises(GlamError, match="this client is closed"):
            client.ask(observation())
        wait.set()


def test_the_client_imports_neither_torch_nor_mujoco_nor_glam() -> None:
    names = sorted(module.name for module in pkgutil.iter_modules(glam_client.__path__, "glam_client."))
    assert "glam_client.client" in names
    foreign = "{'torch', 'mujoco', 'glam', 'av', 'pyarrow', 'PIL', 'gymnasium', 'tyro', 'rich', 'safetensors'}"
    program = f"import sys, {', '.join(names)}; print({foreign} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "set()"
