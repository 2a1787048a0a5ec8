"""How soon a robot holds when its policy server is frozen or killed in the middle of a chunk.

    python benchmarks/serve_watchdog.py [TIMES]

A robot at 20 Hz that may move on for 200 ms without the server must hold within two periods more: 300 ms.
"""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from glam.core.horizon import Horizon
from glam.policies.safety import Axis, Limits
from glam.serving.client import Client
from glam.serving.interface import Interface, Observation
from glam.serving.pilot import Pilot
from glam.serving.server import PolicyServer, Served

PERIOD, TIMEOUT = 0.05, 0.2
INTERFACE = Interface("stand-in", 20, ("front",), 64, 10, ("joint",), ("joint",), chunk=20)
LIMITS = Limits((Axis("joint", -3.0, 3.0, 1.0, 20.0),), PERIOD, TIMEOUT)


def main() -> None:
    if sys.argv[1:] == ["serve"]:
        asyncio.run(stand_in())
        return
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    for name, kind in (("frozen", signal.SIGSTOP), ("killed", signal.SIGKILL)):
        held = np.array([until_hold(kind, number) for number in range(times // 2)])
        late = int((held > TIMEOUT + 2 * PERIOD).sum())
        print(
            f"{name}: {len(held)} times, held after {1000 * np.median(held):.0f} ms, at most {1000 * held.max():.0f} ms"
        )
        print(f"later than {1000 * (TIMEOUT + 2 * PERIOD):.0f} ms: {late}")


async def stand_in() -> None:
    """A policy that lets the joint move all the time."""
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    chunk = np.linspace(0.0, 0.5, INTERFACE.chunk, dtype=np.float32)[None, :, None]
    await PolicyServer(Served(lambda *_: chunk, INTERFACE), "", lambda _: None).run(listener, asyncio.Event())


@contextmanager
def server() -> Iterator[tuple[int, str]]:
    with subprocess.Popen([sys.executable, __file__, "serve"], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        try:
            yield child.pid, f"ws://127.0.0.1:{child.stdout.readline().strip()}"
        finally:
            child.kill()


def until_hold(kind: signal.Signals, number: int) -> float:
    """Seconds from the signal, at a step of the chunk that varies, to the first command of a robot that holds."""
    with server() as (pid, address), Client(address) as client:
        pilot = Pilot(client, LIMITS, np.zeros(1), Horizon(INTERFACE.chunk))
        picture = np.zeros((64, 64, 3), np.uint8)
        pilot.look(Observation({"front": picture}, np.zeros(10), np.zeros(1), time.monotonic())).result()
        for _ in range(number % 8):
            pilot.command(time.monotonic())
            time.sleep(PERIOD)
        os.kill(pid, kind)
        start = time.monotonic()
        while pilot.command(time.monotonic()).status != "stale":
            time.sleep(PERIOD)
        return time.monotonic() - start


if __name__ == "__main__":
    main()
