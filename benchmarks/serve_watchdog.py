"""Time until a robot holds after its policy server is frozen or killed in the middle of a chunk.

    python -m benchmarks.serve_watchdog [--times 50] [--json OUT]

A robot at 20 Hz with a timeout of 200 ms must hold within two more periods: 300 ms. Exits with code 1 if one holds
later. Run it on a quiet machine: a robot program that gets no processor time is late too.
"""

import argparse
import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.conditions import conditions

from glam.core.files import write_json
from glam.serving.server import PolicyServer, ServedPolicy
from glam_client.action_chunking import ActionChunking
from glam_client.client import PolicyClient
from glam_client.controller import RobotController
from glam_client.interface import Observation, ServerInterface
from glam_client.safety import AxisLimits, Limits

PERIOD, TIMEOUT = 0.05, 0.2
LATEST = TIMEOUT + 2 * PERIOD
PATIENCE = 10.0
"""Seconds after which a robot counts as one that never holds."""
INTERFACE = ServerInterface("stand-in", 20, ("front",), 64, 10, ("joint",), ("joint",), chunk_size=20)
LIMITS = Limits((AxisLimits("joint", -3.0, 3.0, 1.0, 20.0),), PERIOD, TIMEOUT)


def main() -> None:
    if sys.argv[1:] == ["serve"]:
        asyncio.run(stand_in())
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    kinds = {"frozen": signal.SIGSTOP, "killed": signal.SIGKILL}
    found = {name: measured(name, kind, options.times // 2) for name, kind in kinds.items()}
    if options.json:
        facts = {"period_ms": 1000 * PERIOD, "timeout_ms": 1000 * TIMEOUT, "latest_ms": round(1000 * LATEST)}
        write_json(options.json, facts | found | conditions("numpy", "websockets", "msgpack"))
    sys.exit(1 if any(result["late"] for result in found.values()) else 0)


def measured(name: str, kind: signal.Signals, times: int) -> dict[str, Any]:
    held = 1000 * np.array([until_hold(kind, number) for number in range(times)])
    late = int((held > 1000 * LATEST).sum())
    print(f"{name}: {times} times, held after {np.median(held):.0f} ms, at most {held.max():.0f} ms; late: {late}")
    return {
        "times": times,
        "late": late,
        "held_after_ms": {"median": round(float(np.median(held)), 1), "longest": round(float(held.max()), 1)},
    }


async def stand_in() -> None:
    """Serve a policy that moves the joint all the time."""
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    chunk = np.linspace(0.0, 0.5, INTERFACE.chunk_size, dtype=np.float32)[None, :, None]
    await PolicyServer(ServedPolicy(lambda *_: chunk, INTERFACE), "", lambda _: None).run(listener, asyncio.Event())


@contextmanager
def server() -> Iterator[tuple[int, str]]:
    command = [sys.executable, "-m", "benchmarks.serve_watchdog", "serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        try:
            yield child.pid, f"ws://127.0.0.1:{child.stdout.readline().strip()}"
        finally:
            child.kill()


def until_hold(kind: signal.Signals, number: int) -> float:
    """Seconds from the signal, at a step of the chunk that varies, to the first command of a robot that holds."""
    with server() as (pid, address), PolicyClient(address) as client:
        controller = RobotController(client, LIMITS, np.zeros(1), ActionChunking(INTERFACE.chunk_size))
        image = np.zeros((64, 64, 3), np.uint8)
        controller.observe(Observation({"front": image}, np.zeros(10), np.zeros(1), time.monotonic())).result()
        for _ in range(number % 8):
            controller.command(time.monotonic())
            time.sleep(PERIOD)
        start = time.monotonic()
        os.kill(pid, kind)
        while controller.command(time.monotonic()).status != "stale" and time.monotonic() < start + PATIENCE:
            time.sleep(PERIOD)
        return time.monotonic() - start


if __name__ == "__main__":
    main()
