"""Malformed requests against `glam serve`, and the response times of a robot beside them.

    python -m benchmarks.serve RUN [--requests 10000] [--json OUT]

RUN is a folder made by train-policy. Server, robot and attackers are separate processes; the attackers have a lower
priority, because elsewhere they would have a processor of their own. Prints the robot's times from observation to chunk
without and with the attack, and the memory and descriptors of the server. Exits with code 1 if the server died, if it
left a connection open, or if the p99 under attack is more than twice that without. Run it on a quiet machine.
"""

import argparse
import asyncio
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.conditions import conditions
from benchmarks.serve_attacks import ATTACKS, Target, attack

from glam.core.files import write_json
from glam_client.client import PolicyClient
from glam_client.interface import Observation, ServerInterface

TOKEN = "a-token-for-this-run"
ALONE = 300
"""Requests without an attack, before and after."""
RATE = 10.0
"""Requests per second at most, as of a robot with one prediction per step."""
MOST_SLOWER = 2.0
"""Allowed growth of a robot's p99 under attack."""
Strike = Callable[[str, ServerInterface, int], Counter[str]]
"""Attacks the server at an address so many times, in a process of its own; returns the number of each outcome."""


def main() -> None:
    options = parse()
    found = measured(options.run, options.requests)
    print(f"{options.requests:,} malformed requests in {found['seconds']:.0f} s: {found['outcomes']}")
    print(f"server before {found['server_before']} and after {found['server_after']}, alive: {found['is_alive']}")
    print(f"p99 under attack is {found['p99_ratio']:.2f} times that without")
    faults = objections(found)
    if options.json:
        write_json(options.json, found | {"objections": faults} | conditions("numpy", "torch", "websockets", "msgpack"))
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run")
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def measured(run: str, requests: int, alone: int = ALONE, strike: Strike | None = None) -> dict[str, Any]:
    """The outcomes of an attack, by default by malformed requests, and the times of a robot without and beside it."""
    with server(run) as (child, address), PolicyClient(address, TOKEN) as client:
        before = ask(client, alone)
        first = condition(child.pid)
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            start = time.monotonic()
            attackers = pool.submit(strike or malformed, address, client.interface, requests)
            during = ask(client, sys.maxsize, attackers)
            seconds = time.monotonic() - start
        last = condition(child.pid)
        after = ask(client, alone)
        is_alive = child.poll() is None
    quiet = np.concatenate([before, after])
    return {
        "policy": client.interface.policy,
        "requests": requests,
        "kinds_of_requests": len(ATTACKS),
        "seconds": round(seconds, 1),
        "outcomes": dict(attackers.result()),
        "is_alive": is_alive,
        "robot": {"alone": summary("alone", quiet), "attacked": summary("attacked", during)},
        "p99_ratio": round(float(np.quantile(during, 0.99) / np.quantile(quiet, 0.99)), 3),
        "server_before": first,
        "server_after": last,
    }


def objections(found: dict[str, Any]) -> list[str]:
    """Requirements that the server failed."""
    outcomes: dict[str, int] = found["outcomes"]
    ended = outcomes.get("ended", 0) + outcomes.get("cut off", 0)
    faults = []
    if not found["is_alive"]:
        faults.append("the server has ended")
    if ended != found["requests"]:
        faults.append(f"{found['requests'] - ended} requests were left without an end")
    if found["p99_ratio"] > MOST_SLOWER:
        faults.append(f"the p99 of a robot has grown by more than a factor of {MOST_SLOWER:g}")
    return faults


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


def malformed(address: str, interface: ServerInterface, requests: int, first: int = 0) -> Counter[str]:
    os.nice(10)
    host, port = address.removeprefix("ws://").split(":")
    return asyncio.run(attack(Target(host, int(port), interface, TOKEN), requests, first))


def ask(client: PolicyClient, most: int, others: Future[Any] | None = None) -> np.ndarray:
    """Seconds from observation to chunk, `most` times or until the others are done."""
    interface, random = client.interface, np.random.default_rng(0)
    times: list[float] = []
    while len(times) < most and not (others and others.done()):
        observation = seen(interface, random)
        start = time.monotonic()
        client.ask(observation).result()
        times.append(time.monotonic() - start)
        time.sleep(max(0.0, 1.0 / RATE - times[-1]))
    return np.array(times)


def seen(interface: ServerInterface, random: np.random.Generator) -> Observation:
    """An observation of noise."""
    size = (interface.pixels, interface.pixels, 3)
    images = {camera: random.integers(0, 256, size, np.uint8) for camera in interface.cameras}
    pose, state = random.normal(size=interface.pose_size), random.normal(size=len(interface.state_names))
    return Observation(images, pose, state, time.monotonic())


def summary(when: str, times: np.ndarray) -> dict[str, Any]:
    p50, p99, longest = 1000.0 * np.quantile(times, [0.5, 0.99, 1.0])
    print(f"{when:8s} {len(times):5d} chunks: p50 {p50:6.1f} ms, p99 {p99:6.1f} ms, longest {longest:6.1f} ms")
    return {"chunks": len(times), "p50_ms": round(p50, 1), "p99_ms": round(p99, 1), "longest_ms": round(longest, 1)}


def condition(pid: int) -> dict[str, int]:
    """Resident memory and open descriptors of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return {"memory_mb": round(pages * 4096 / 1e6), "descriptors": len(list(Path(f"/proc/{pid}/fd").iterdir()))}


if __name__ == "__main__":
    main()
