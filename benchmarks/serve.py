"""Malformed requests against `glam serve`, and how a robot fares beside them.

    python benchmarks/serve.py RUN [REQUESTS]

RUN is a folder made by train-policy. The server, the robot and the attackers are processes of their own. Printed are
the robot's times from observation to chunk without and with the attack, and the server's memory and descriptors.
"""

import asyncio
import multiprocessing
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from serve_attacks import Target, attack

from glam.serving.client import Client
from glam.serving.interface import Interface, Observation

TOKEN = "a-word-for-this-hour"
ALONE = 300
"""Questions without an attack, before and after."""
RATE = 10.0
"""Questions per second at most: what a robot asks that looks at every step."""


def main() -> None:
    run, requests = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    with server(run) as (child, address), Client(address, TOKEN) as client:
        before = ask(client, ALONE)
        tell("alone", before)
        first = condition(child.pid)
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            start = time.monotonic()
            attackers = pool.submit(strike, address, client.interface, requests)
            during = ask(client, sys.maxsize, attackers)
            seconds = time.monotonic() - start
        last = condition(child.pid)
        tell("attacked", during)
        after = ask(client, ALONE)
        tell("afterwards", after)
        is_alive = child.poll() is None
    print(f"{requests:,} malformed requests in {seconds:.0f} s: {dict(attackers.result())}")
    print(f"memory {first[0]:.0f} -> {last[0]:.0f} MB, descriptors {first[1]} -> {last[1]}, server alive: {is_alive}")
    alone = np.concatenate([before, after])
    print(f"p99 under attack is {np.quantile(during, 0.99) / np.quantile(alone, 0.99):.2f} times that without")


@contextmanager
def server(run: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The server's process and address."""
    with tempfile.TemporaryDirectory() as folder:
        token = Path(folder) / "token"
        token.touch(0o600)
        token.write_text(TOKEN)
        command = [sys.executable, "-m", "glam", "serve", "--policy", run, "--port", "0", "--token-file", str(token)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            address = child.stdout.readline().rsplit(" ", 1)[-1].strip()
            child.stdout.readline()
            try:
                yield child, address
            finally:
                child.terminate()


def strike(address: str, interface: Interface, requests: int) -> Counter[str]:
    host, port = address.removeprefix("ws://").split(":")
    return asyncio.run(attack(Target(host, int(port), interface, TOKEN), requests))


def ask(client: Client, most: int, others: Future[Any] | None = None) -> np.ndarray:
    """Seconds from observation to chunk, `most` times or until the others are done."""
    interface, random, times = client.interface, np.random.default_rng(0), []
    size = (interface.pixels, interface.pixels, 3)
    while len(times) < most and not (others and others.done()):
        pictures = {camera: random.integers(0, 256, size, np.uint8) for camera in interface.cameras}
        pose, state = random.normal(size=interface.pose_size), random.normal(size=len(interface.state_names))
        start = time.monotonic()
        client.ask(Observation(pictures, pose, state, start)).result()
        times.append(time.monotonic() - start)
        time.sleep(max(0.0, 1.0 / RATE - times[-1]))
    return np.array(times)


def tell(when: str, times: np.ndarray) -> None:
    p50, p99 = 1000.0 * np.quantile(times, [0.5, 0.99])
    print(f"{when:11s} {len(times):5d} chunks: p50 {p50:6.1f} ms, p99 {p99:6.1f} ms, longest {1000 * times.max():6.1f}")


def condition(pid: int) -> tuple[float, int]:
    """Resident memory in MB and open descriptors of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * 4096 / 1e6, len(list(Path(f"/proc/{pid}/fd").iterdir()))


if __name__ == "__main__":
    main()
