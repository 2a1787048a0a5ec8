"""Servers of policies that are one line long."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from glam.serving.server import PING_SECONDS, ActAndDoubt, PolicyServer, ServedPolicy, listen
from glam_client.access import NO_TOKEN
from glam_client.interface import Observation, ServerInterface

INTERFACE = ServerInterface(
    policy="0123456789abcdef",
    fps=10,
    cameras=("front", "wrist"),
    pixels=16,
    pose_size=10,
    state_names=("joint", "gripper"),
    action_names=("joint", "gripper"),
    chunk_size=6,
)


def count(images: np.ndarray, poses: np.ndarray, states: np.ndarray) -> np.ndarray:
    """Step k is the state plus k hundredths."""
    steps = np.arange(INTERFACE.chunk_size, dtype=np.float32)[None, :, None] / 100
    return states[:, None, :] + steps


def observation(time: float = 3.0, **changes: Any) -> Observation:
    """A sound one but for `changes`."""
    image = np.arange(16 * 16 * 3, dtype=np.uint32).reshape(16, 16, 3).astype(np.uint8)
    fields = {
        "images": {"front": image, "wrist": 255 - image},
        "pose": np.linspace(-1, 1, 10, dtype=np.float32),
        "state": np.array([0.25, 0.5], np.float32),
        "time": time,
    }
    return Observation(**(fields | changes))


@dataclass
class Running:
    """A server in a thread of this process."""

    port: int
    said: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"ws://127.0.0.1:{self.port}"


@contextmanager
def running(
    act: Callable[..., np.ndarray] = count,
    token: str = NO_TOKEN,
    interface: ServerInterface = INTERFACE,
    ping_timeout: float = PING_SECONDS,
    act_and_doubt: ActAndDoubt | None = None,
) -> Iterator[Running]:
    listener = listen("127.0.0.1", 0, token)
    server = Running(listener.getsockname()[1])
    ready: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
    begun = threading.Event()

    async def run() -> None:
        ready.append((asyncio.get_running_loop(), asyncio.Event()))
        begun.set()
        policy_server = PolicyServer(
            ServedPolicy(act, interface, act_and_doubt), token, server.said.append, ping_timeout
        )
        await policy_server.run(listener, ready[0][1])

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    begun.wait()
    try:
        yield server
    finally:
        loop, stop = ready[0]
        loop.call_soon_threadsafe(stop.set)
        thread.join()


@pytest.fixture
def server() -> Iterator[Running]:
    with running() as server:
        yield server
