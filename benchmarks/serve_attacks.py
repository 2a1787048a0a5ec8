"""Malformed requests for `glam serve`: 30 kinds, from noise to messages that are nearly right.

Each attack is one connection made by hand, because a WebSocket library would refuse to send most of this.
"""

import asyncio
import base64
import struct
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgpack
import numpy as np

from glam_client.interface import ServerInterface

BINARY, FIRST_PART, NEXT_PART, TEXT, PING, CLOSE = 0x82, 0x02, 0x00, 0x81, 0x89, 0x88
AT_ONCE = 8
SLOW_SOCKETS = 50
PATIENCE = 15.0
"""More than the server waits for the rest of a frame."""


@dataclass(frozen=True)
class Target:
    """A server, with the facts that its attackers know."""

    host: str
    port: int
    interface: ServerInterface
    token: str


class LetInError(Exception):
    """An attacker was accepted like a robot."""


@dataclass(frozen=True)
class Attacker:
    """One connection."""

    target: Target
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    random: np.random.Generator

    async def say(self, data: bytes) -> None:
        """Send bytes."""
        self.writer.write(data)
        await self.writer.drain()

    async def hear(self) -> None:
        """Wait until the server closes the connection."""
        await self.reader.read(-1)

    async def hear_frames(self) -> None:
        """Wait until the server sends a close frame."""
        kind = BINARY
        while kind != CLOSE:
            kind, length = await self.reader.readexactly(2)
            if length >= 126:
                length = int.from_bytes(await self.reader.readexactly(2 if length == 126 else 8))
            await self.reader.readexactly(length)

    def noise(self, most: int = 2000) -> bytes:
        """Random bytes."""
        return self.random.bytes(int(self.random.integers(1, most)))

    def below(self, end: int) -> int:
        """A random number from 1."""
        return int(self.random.integers(1, end))

    def handshake(self, *more: str, version: str = "glam.v2", token: str = "") -> bytes:
        """A valid handshake but for the arguments; an empty version is left out."""
        lines = [
            "GET / HTTP/1.1", "Host: x", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {base64.b64encode(bytes(16)).decode()}",
            f"Authorization: Bearer {token or self.target.token}",
        ]  # fmt: skip
        versions = [f"Sec-WebSocket-Protocol: {version}"] if version else []
        return "\r\n".join([*lines, *versions, *more, "", ""]).encode()

    def question(self, **changes: Any) -> bytes:
        """A sound observation but for `changes`."""
        interface = self.target.interface
        fields: dict[str, Any] = {
            "type": "observation",
            "number": 1,
            "time": 0.0,
            "images": {camera: bytes(interface.image_bytes) for camera in interface.cameras},
            "pose": [0.0] * interface.pose_size,
            "state": [0.0] * len(interface.state_names),
        }
        packed: bytes = msgpack.packb(fields | changes)
        return packed


Words = Callable[[Attacker], Any]
Attack = Callable[[Attacker], Awaitable[None]]


def opening(words: Words) -> Attack:
    """An attack that never reaches the WebSocket protocol."""

    async def attack(attacker: Attacker) -> None:
        await attacker.say(words(attacker))
        attacker.writer.write_eof()
        await attacker.hear()

    return attack


def refused(words: Words) -> Attack:
    """A whole handshake that must be refused. The attacker does not close, so the server has to."""

    async def attack(attacker: Attacker) -> None:
        await attacker.say(words(attacker))
        head = await attacker.reader.readuntil(b"\r\n\r\n")
        if head.startswith(b"HTTP/1.1 101"):
            raise LetInError
        await attacker.hear()

    return attack


def frames(words: Words) -> Attack:
    """An attack by what follows a good handshake."""

    async def attack(attacker: Attacker) -> None:
        await attacker.say(attacker.handshake())
        await attacker.reader.readuntil(b"\r\n\r\n")
        await attacker.say(words(attacker))
        await attacker.hear_frames()

    return attack


def message(words: Words) -> Attack:
    """An attack by one message in a good frame."""
    return frames(lambda attacker: frame(words(attacker)))


def field(name: str, words: Words) -> Attack:
    """An attack by a message of which one field is wrong."""
    return message(lambda attacker: attacker.question(**{name: words(attacker)}))


def frame(payload: bytes, kind: int = BINARY, announced: int = -1) -> bytes:
    """A masked frame, with a mask of zeros; it may announce another length than it has."""
    return struct.pack("!BBQ", kind, 0x80 | 127, len(payload) if announced < 0 else announced) + bytes(4) + payload


def fragments(attacker: Attacker) -> bytes:
    part = bytes(attacker.target.interface.image_bytes)
    return frame(part, FIRST_PART) + 40 * frame(part, NEXT_PART)


def changed(attacker: Attacker) -> bytes:
    """One byte changed where the structure is, and a field nobody asked for, so that it is never right by chance."""
    whole = bytearray(attacker.question(version=2))
    whole[attacker.below(40)] ^= attacker.below(256)
    return bytes(whole)


def poisoned(attacker: Attacker) -> list[float]:
    values = [0.0] * len(attacker.target.interface.state_names)
    values[attacker.below(len(values) + 1) - 1] = float(attacker.random.choice([np.nan, np.inf, -np.inf, 1e308]))
    return values


async def leave(attacker: Attacker) -> None:
    """Close the connection in the middle of a message."""
    await attacker.say(attacker.handshake())
    await attacker.say(frame(attacker.question())[: attacker.below(500)])


WRONG: list[Any] = [None, True, "x", b"x", {}, {"a": 1}, [[]], [None], -1, "1.5", msgpack.ExtType(5, b"x")]

ATTACKS: dict[str, Attack] = {
    "noise": opening(lambda me: me.noise()),
    "another protocol": opening(lambda me: b"\x16\x03\x01" + me.noise()),
    "half a handshake": opening(lambda me: me.handshake()[: me.below(150)]),
    "no websocket": refused(lambda _: b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
    "a post": opening(lambda me: b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n" + me.noise()),
    "a long header": opening(lambda me: me.handshake("X: " + "y" * 20_000)),
    "many headers": opening(lambda me: me.handshake(*["X: y"] * 500)),
    "another version": refused(lambda me: me.handshake(version="glam.v1")),
    "no version": refused(lambda me: me.handshake(version="")),
    "no token": refused(lambda me: me.handshake(token=" ")),
    "a wrong token": refused(lambda me: me.handshake(token="x" * me.below(2000))),
    "a web page": refused(lambda me: me.handshake("Origin: http://x.org")),
    "frames of noise": frames(lambda me: bytes([0xF0]) + me.noise()),
    "a gigabyte announced": frames(lambda _: frame(b"x", announced=1 << 30)),
    "exabytes announced": frames(lambda _: frame(b"x", announced=1 << 62)),
    "a long ping": frames(lambda _: frame(bytes(1000), PING)),
    "text": frames(lambda _: frame(b"hello", TEXT)),
    "endless fragments": frames(fragments),
    "a replayed number": frames(lambda me: 2 * frame(me.question())),
    "noise in a message": message(lambda me: me.noise()),
    "a cut message": message(lambda me: me.question()[: me.below(500)]),
    "a changed byte": message(changed),
    "deep lists": message(lambda me: b"\x91" * me.below(5000)),
    "a wide list": message(lambda me: b"\xdd\xff\xff\xff\xff" + me.noise()),
    "a wrong type": field("number", lambda me: WRONG[me.below(len(WRONG))]),
    "a wrong list": field("pose", lambda me: WRONG[me.below(len(WRONG))]),
    "no number": field("state", poisoned),
    "no time": field("time", lambda me: float(me.random.choice([np.nan, np.inf, 1e300]))),
    "wrong images": field("images", lambda me: {me.target.interface.cameras[0]: me.noise()}),
    "gone": leave,
}


async def attack(target: Target, count: int, first: int = 0) -> Counter[str]:
    """Send `count` malformed requests, some at once, beside sockets that send next to nothing. Counts the outcomes.

    Requests are numbered from `first`; a number is always the same request.

    After `unanswered` ones the server did not hang up; those `let in` it took for a robot. There must be no such.
    """
    outcomes: Counter[str] = Counter()
    names, numbers = list(ATTACKS), iter(range(first, first + count))
    slow = [asyncio.create_task(crawl(target, outcomes)) for _ in range(min(SLOW_SOCKETS, count // 4))]

    async def work() -> None:
        for number in numbers:
            outcomes[await one(target, names[number % len(names)], number)] += 1

    await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    for task in slow:
        task.cancel()
    await asyncio.gather(*slow, return_exceptions=True)
    return outcomes


async def one(target: Target, name: str, seed: int) -> str:
    """Run one attack and return its outcome."""
    reader, writer = await asyncio.open_connection(target.host, target.port)
    try:
        async with asyncio.timeout(PATIENCE):
            await ATTACKS[name](Attacker(target, reader, writer, np.random.default_rng(seed)))
        return "ended"
    except LetInError:
        return f"let in: {name}"
    except TimeoutError:
        return f"unanswered: {name}"
    except (OSError, asyncio.IncompleteReadError):
        return "cut off"
    finally:
        writer.transport.abort()


async def crawl(target: Target, outcomes: Counter[str]) -> None:
    """A handshake of one letter a second, over and over."""
    while True:
        reader, writer = await asyncio.open_connection(target.host, target.port)
        try:
            with suppress(OSError):
                for letter in Attacker(target, reader, writer, np.random.default_rng(0)).handshake():
                    if reader.at_eof() or writer.is_closing():
                        break
                    writer.write(bytes([letter]))
                    await asyncio.sleep(1.0)
            outcomes["slow sockets shut"] += 1
        finally:
            writer.transport.abort()
