"""Robots under attack: the policy server among strangers, a server that freezes, and actions no robot should get."""

import asyncio
import signal
import socket
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from benchmarks import safety_filter, serve, serve_watchdog
from benchmarks.serve_attacks import Attacker, Target, frame
from benchmarks.torture.samples import Samples
from benchmarks.torture.tally import Result, Section

from glam_client.client import PolicyClient
from glam_client.interface import ServerInterface

MESSAGES = 1000
"""Malformed messages of one try."""
ALONE = 100
"""Requests of the robot before and after each attack, to compare with."""
SLOW, ROBOTS = 200, 20
GIANT = 16 << 20
MOST_GROWTH = 50
"""Megabytes by which the server may grow under an attack."""
ACTIONS = 10_000
ENDS = ("ended", "cut off")


def messages(samples: Samples, numbers: range) -> Iterator[Result]:
    """Malformed messages of all kinds, other ones in every try."""
    for number in numbers:
        found = serve.measured(
            str(samples.sound / "policy"), MESSAGES, ALONE, partial(serve.malformed, first=number * MESSAGES)
        )
        yield from judged(found, MESSAGES)


def siege(strike: serve.Strike, count: int, samples: Samples, numbers: range) -> Iterator[Result]:
    """One kind of attack on a server, beside a robot."""
    for _ in numbers:
        yield from judged(serve.measured(str(samples.sound / "policy"), count, ALONE, strike), count)


def judged(found: dict[str, Any], count: int) -> Iterator[Result]:
    """Verdict on one attack; the times of the robot beside it are facts."""
    outcomes = found["outcomes"]
    grown = found["server_after"]["memory_mb"] - found["server_before"]["memory_mb"]
    opened = found["server_after"]["descriptors"] - found["server_before"]["descriptors"]
    facts = {"alone": found["robot"]["alone"], "beside": found["robot"]["attacked"], "server_grew_mb": grown}
    facts |= {"p99_ratio": found["p99_ratio"]}
    kept_out = outcomes.get("robots kept out", 0)
    left = {name: number for name, number in outcomes.items() if name.startswith(("unanswered", "let in"))}
    case = f"{count} times: {left}, {kept_out} robots kept out, {grown} MB and {opened} descriptors more"
    if not found["is_alive"] or kept_out or grown > MOST_GROWTH:
        yield Result("lost", case, max(kept_out, 1), facts)
        return
    for name, number in left.items():
        yield Result("hang" if name.startswith("unanswered") else "silent", name, number, facts)
    yield Result("detected", case, count - sum(left.values()), facts)


def slow_sockets(address: str, interface: ServerInterface, count: int) -> Counter[str]:
    """Sockets that send two letters a second of a handshake, while robots with the token come; none of these asks."""
    host, port = address.removeprefix("ws://").split(":")
    outcomes: Counter[str] = Counter()
    words = Attacker(Target(host, int(port), interface, "x"), None, None, np.random.default_rng(0)).handshake()  # type: ignore[arg-type]
    sockets = [socket.create_connection((host, int(port))) for _ in range(count)]
    for letter in range(ROBOTS):
        for stranger in sockets:
            try:
                stranger.send(words[letter : letter + 1])
            except OSError:
                outcomes["shut"] += 1
        time.sleep(0.5)
        try:
            PolicyClient(address, serve.TOKEN).close()
            outcomes["robots let in"] += 1
        except Exception:
            outcomes["robots kept out"] += 1
    for stranger in sockets:
        stranger.close()
    return outcomes


def giant_frames(address: str, interface: ServerInterface, count: int) -> Counter[str]:
    """Frames of 16 MB that are really sent, by somebody who has the token."""
    host, port = address.removeprefix("ws://").split(":")
    target = Target(host, int(port), interface, serve.TOKEN)

    async def one(number: int) -> str:
        reader, writer = await asyncio.open_connection(host, int(port))
        attacker = Attacker(target, reader, writer, np.random.default_rng(number))
        try:
            async with asyncio.timeout(20.0):
                await attacker.say(attacker.handshake())
                await reader.readuntil(b"\r\n\r\n")
                await attacker.say(frame(bytes(GIANT)))
                await attacker.hear_frames()
            return "ended"
        except TimeoutError:
            return "unanswered: a giant frame"
        except (OSError, asyncio.IncompleteReadError):
            return "cut off"
        finally:
            writer.transport.abort()

    async def every() -> Counter[str]:
        return Counter([await one(number) for number in range(count)])

    return asyncio.run(every())


def never_reading(address: str, interface: ServerInterface, count: int) -> Counter[str]:
    """Clients with the token that ask for 5 seconds and never read an answer."""
    host, port = address.removeprefix("ws://").split(":")
    target = Target(host, int(port), interface, serve.TOKEN)

    async def one(number: int) -> str:
        reader, writer = await asyncio.open_connection(host, int(port), limit=1024)
        attacker = Attacker(target, reader, writer, np.random.default_rng(number))
        try:
            async with asyncio.timeout(5.0):
                await attacker.say(attacker.handshake())
                await reader.readuntil(b"\r\n\r\n")
                asked = 1
                while True:
                    await attacker.say(frame(attacker.question(number=asked)))
                    asked += 1
        except TimeoutError:
            return "ended"  # by the client itself: the server may wait, but not keep what it cannot send
        except (OSError, asyncio.IncompleteReadError):
            return "cut off"
        finally:
            writer.transport.abort()

    async def every() -> Counter[str]:
        return Counter(await asyncio.gather(*(one(number) for number in range(count))))

    return asyncio.run(every())


def freezes(samples: Samples, numbers: range) -> Iterator[Result]:
    """A server that is frozen or killed in the middle of a chunk: the robot must hold in time."""
    del samples
    times: list[float] = []
    for number in numbers:
        kind = signal.SIGSTOP if number % 2 else signal.SIGKILL
        times.append(1000 * serve_watchdog.until_hold(kind, number // 2))
        facts = {"held_after_ms": {"median": round(float(np.median(times)), 1), "longest": round(max(times), 1)}}
        is_late = times[-1] > 1000 * serve_watchdog.LATEST
        case = f"{kind.name} {number}, held after {times[-1]:.0f} ms"
        yield Result("lost" if is_late else "detected", case, facts=facts)


def actions(samples: Samples, numbers: range) -> Iterator[Result]:
    """Hostile actions through the safety filter; every command is judged from outside."""
    del samples
    for number in numbers:
        found = safety_filter.attack(ACTIONS, seed=number)
        facts = {"microseconds": safety_filter.summary(found)["microseconds"]}
        if found.violations:
            yield Result("lost", f"{found.violations} unsafe commands, seed {number}", found.violations, facts)
        yield Result("detected", "", ACTIONS - found.violations, facts)


SECTIONS = (
    Section("malformed messages", "malformed messages to the policy server", 10, 1, messages, is_timed=True),
    Section(
        "slow sockets",
        "200 slow sockets, and robots",
        3,
        1,
        partial(siege, slow_sockets, SLOW),
        is_timed=True,
    ),
    Section("giant frames", "frames of 16 MB", 1, 1, partial(siege, giant_frames, 20), is_timed=True),
    Section(
        "clients that never read", "clients that never read", 1, 1, partial(siege, never_reading, 8), is_timed=True
    ),
    Section("freezes", "servers frozen or killed under a robot", 50, 4, freezes, is_timed=True),
    Section("hostile actions", "hostile actions through the safety filter", 100, 10, actions, is_timed=True),
)
