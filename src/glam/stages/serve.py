"""`glam serve`: serve a trained policy to robots over the network."""

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
from glam.serving.server import LONGEST_PING_SECONDS, PolicyServer, Say, ServedPolicy, listen
from glam_client import messages
from glam_client.access import NO_TOKEN, read_token
from glam_client.interface import ServerInterface

_WARM_UPS = 3
_SWITCH_SECONDS = 0.0005
"""Switch interval of Python threads, a tenth of the default. The policy's thread releases the interpreter at every
layer and would otherwise wait long for the network thread when many clients send."""


def serve(policy: Path, host: str, port: int, token_file: Path | None, ping_timeout: float, say: Say) -> None:
    """Serve until interrupted. Bad flags are refused before the policy is loaded, which takes a while."""
    if not 0.0 < ping_timeout <= LONGEST_PING_SECONDS:
        raise GlamError(f"--ping-timeout {ping_timeout:g} must be more than 0 and at most {LONGEST_PING_SECONDS:g} s")
    token = read_token(token_file) if token_file else NO_TOKEN
    with listen(host, port, token) as listener:
        sys.setswitchinterval(_SWITCH_SECONDS)
        served = load_served(policy)
        interface = served.interface
        address, number = listener.getsockname()[:2]
        place = f"[{address}]" if ":" in address else address
        say(f"serving {policy} at ws://{place}:{number}")
        say(
            f"{len(interface.cameras)} cameras of {interface.pixels} pixels, chunks of {interface.chunk_size} actions "
            f"at {interface.fps} Hz, {1000.0 * _inference_seconds(served):.1f} ms each; "
            f"{'with' if token else 'without'} a token"
        )
        if interface.delta_actions:
            say(f"delta actions: {', '.join(interface.delta_actions)}")
        asyncio.run(_until_interrupted(PolicyServer(served, token, say, ping_timeout), listener))
    say("stopped")


async def _until_interrupted(server: PolicyServer, listener: socket.socket) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await server.run(listener, stop)


def load_served(root: Path) -> ServedPolicy:
    """Load a policy and its interface; runs it once, so that one with non-finite actions is refused."""
    policy = trained.load(root)
    known = policy.interface
    interface = ServerInterface(
        policy=policy.digest,
        fps=known.fps,
        cameras=known.cameras,
        pixels=known.pixels,
        pose_size=len(policy.normalizer.pose.mean),
        state_names=known.state_names,
        action_names=known.action_names,
        chunk_size=policy.chunk,
        delta_actions=known.delta_actions,
        poses=known.poses,
    )
    try:
        messages.read_hello(messages.hello(interface))
    except GlamError as problem:
        raise GlamError(f"{root}: no robot would accept this policy: {problem}") from None
    if not np.isfinite(policy.act(*_empty_inputs(interface))).all():
        raise GlamError(f"{root}: the policy predicts actions that are not finite; train it again")
    return ServedPolicy(policy.act, interface, policy.act_and_doubt)


def _inference_seconds(served: ServedPolicy) -> float:
    """Shortest time of one policy call after warm-up."""
    taken = []
    for _ in range(_WARM_UPS):
        start = time.perf_counter()
        served.act(*_empty_inputs(served.interface))
        taken.append(time.perf_counter() - start)
    return min(taken)


def _empty_inputs(
    interface: ServerInterface,
) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.float32]]:
    """Black images and a robot at zero."""
    images = np.zeros((1, len(interface.cameras), interface.pixels, interface.pixels, 3), np.uint8)
    poses, states = (np.zeros((1, size), np.float32) for size in (interface.pose_size, len(interface.state_names)))
    return images, poses, states
