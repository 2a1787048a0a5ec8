"""`glam serve`: a policy for a robot that is not this machine."""

import asyncio
import signal
import socket
import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.policies import trained
from glam.serving.access import NO_TOKEN, listen, read_token
from glam.serving.interface import Interface
from glam.serving.server import PolicyServer, Say, Served

_WARM_UPS = 3
_TURN_SECONDS = 0.0005
"""How long a Python thread may keep another waiting; by default ten times as long. A policy in its thread gives up its
turn at every layer, and would wait for whatever a stranger has sent to the other."""


def serve(policy: Path, host: str, port: int, token_file: Path | None, say: Say) -> None:
    """Serve until interrupted. What cannot work is refused before the policy is loaded, which takes a while."""
    token = read_token(token_file) if token_file else NO_TOKEN
    with listen(host, port, token) as listener:
        sys.setswitchinterval(_TURN_SECONDS)
        served = _served(policy)
        interface = served.interface
        address, number = listener.getsockname()[:2]
        place = f"[{address}]" if ":" in address else address
        say(f"serving {policy} at ws://{place}:{number}")
        say(
            f"{len(interface.cameras)} cameras of {interface.pixels} pixels, chunks of {interface.chunk} actions at "
            f"{interface.fps} Hz, {1000.0 * _seconds(served):.1f} ms each; {'with' if token else 'without'} a token"
        )
        if interface.delta_actions:
            say(f"actions that say by how much to move: {', '.join(interface.delta_actions)}")
        asyncio.run(_until_interrupted(PolicyServer(served, token, say), listener))
    say("stopped")


async def _until_interrupted(server: PolicyServer, listener: socket.socket) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await server.run(listener, stop)


def _served(root: Path) -> Served:
    """The policy and its interface; it is asked once, so that one that answers nonsense is refused before it serves."""
    policy = trained.load(root)
    told = policy.interface
    interface = Interface(
        policy=policy.digest,
        fps=told.fps,
        cameras=told.cameras,
        pixels=told.pixels,
        pose_size=len(policy.normalizer.pose.mean),
        state_names=told.state_names,
        action_names=told.action_names,
        chunk=policy.chunk,
        delta_actions=told.delta_actions,
        poses=told.poses,
    )
    if not np.isfinite(policy.act(*_nothing(interface))).all():
        raise GlamError(f"{root}: the policy answers with numbers that are not finite; train it again")
    return Served(policy.act, interface)


def _seconds(served: Served) -> float:
    """How long the policy thinks, once it is warm."""
    taken = []
    for _ in range(_WARM_UPS):
        start = time.perf_counter()
        served.act(*_nothing(served.interface))
        taken.append(time.perf_counter() - start)
    return min(taken)


def _nothing(interface: Interface) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.float32]]:
    """Black images of a robot at zero."""
    images = np.zeros((1, len(interface.cameras), interface.pixels, interface.pixels, 3), np.uint8)
    poses, states = (np.zeros((1, size), np.float32) for size in (interface.pose_size, len(interface.state_names)))
    return images, poses, states
