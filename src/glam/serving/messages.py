"""The messages between server and robot, version 1: msgpack maps, one in each binary WebSocket frame.

| message       | from   | fields                                                                            |
|---------------|--------|-----------------------------------------------------------------------------------|
| `hello`       | server | `protocol` (1), `interface` (a map with the fields of `Interface`)                  |
| `observation` | robot  | `number`, `time`, `images` (camera -> RGB bytes, row by row), `pose`, `state`       |
| `chunk`       | server | `number`, `actions` (a list for each step), `times`                                  |
| `error`       | server | `message`: one sentence; the connection ends                                       |

Every map also has its `type`. Numbers of observations rise; a chunk has the number of the observation it answers.

Whoever reads, trusts nothing: sizes are bounded before memory is taken, and every field is checked. There is no type in
msgpack that could run code, and extension types are refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgpack
import numpy as np
from numpy.typing import NDArray

from glam.core.configs import from_json, to_json
from glam.core.errors import GlamError
from glam.serving.interface import LATEST, Chunk, Interface, Observation, check, step_times

PROTOCOL = 1
SUBPROTOCOL = f"glam.v{PROTOCOL}"
"""Offered and chosen in the opening handshake, so that another version is refused before anything is said."""

LONGEST_ANSWER = 1 << 20
"""Bytes of a message to the robot."""
_LONGEST_NAME = 256
_LONGEST_SENTENCE = 500
_MOST_TOLD = 512
"""Lists and maps in a greeting; each number that a pose is made of is one."""
_MARGIN = 4096
"""Bytes of an observation besides images and numbers."""


class MessageError(GlamError):
    """A message that is not what it should be."""


class Numbered(NamedTuple):
    """An observation and its number."""

    number: int
    observation: Observation


def hello(interface: Interface) -> bytes:
    """The first message on a connection."""
    return _packed({"type": "hello", "protocol": PROTOCOL, "interface": to_json(interface)})


def observation(number: int, seen: Observation) -> bytes:
    """A question; images have the size that the policy wants."""
    return _packed(
        {
            "type": "observation",
            "number": number,
            "time": float(seen.time),
            "images": {camera: image.tobytes() for camera, image in seen.images.items()},
            "pose": seen.pose.tolist(),
            "state": seen.state.tolist(),
        }
    )


def chunk(number: int, answer: Chunk) -> bytes:
    """An answer."""
    fields = {"actions": answer.actions.tolist(), "times": answer.times.tolist()}
    return _packed({"type": "chunk", "number": number, **fields})


def error(sentence: str) -> bytes:
    """The last message on a connection."""
    return _packed({"type": "error", "message": sentence[:_LONGEST_SENTENCE]})


def longest_observation(interface: Interface) -> int:
    """No question is longer than this; a frame that announces more is refused unread."""
    numbers = interface.pose_size + len(interface.state_names)
    return len(interface.cameras) * (interface.image_bytes + _LONGEST_NAME) + 9 * numbers + _MARGIN


def read_hello(message: bytes | str) -> Interface:
    """The policy's interface; refuses another version."""
    fields = _unpacked(message, _Bounds(containers=_MOST_TOLD, entries=1024, text=_LONGEST_NAME, binary=0))
    _expect(fields, "hello", ("protocol", "interface"))
    if fields["protocol"] != PROTOCOL:
        raise MessageError(f"the server speaks another version than {PROTOCOL}; install the same GLAM on both machines")
    interface = from_json(Interface, fields["interface"])
    if min(interface.fps, interface.pixels, interface.chunk, len(interface.action_names)) < 1:
        raise MessageError("the server's policy has no rate, no images or no actions")
    if not set(interface.delta_actions) <= set(interface.action_names):
        raise MessageError("the server's policy has deltas that are none of its actions")
    return interface


def read_observation(message: bytes | str, interface: Interface) -> Numbered:
    """A question to the policy, all of it checked."""
    sizes = interface.pose_size, len(interface.state_names)
    entries = max(*sizes, len(interface.cameras), 6)
    fields = _unpacked(message, _Bounds(4, entries, _LONGEST_NAME, interface.image_bytes))
    _expect(fields, "observation", ("number", "time", "images", "pose", "state"))
    images, pixels = fields["images"], interface.pixels
    if not isinstance(images, dict) or any(_is_short(image, interface) for image in images.values()):
        raise MessageError(f"images must be a map of cameras to {pixels} x {pixels} x 3 bytes")
    seen = Observation(
        {name: np.frombuffer(image, np.uint8).reshape(pixels, pixels, 3) for name, image in images.items()},
        _vector(fields["pose"], "pose"),
        _vector(fields["state"], "state"),
        _number(fields["time"], "time"),
    )
    try:
        check(seen, interface)
    except GlamError as problem:
        raise MessageError(str(problem)) from None
    return Numbered(_whole(fields["number"]), seen)


def read_chunk(message: bytes | str, number: int, interface: Interface, start: float) -> Chunk:
    """The answer to observation `number` of time `start`; raises the sentence of an `error`."""
    steps, size = interface.chunk, len(interface.action_names)
    fields = _unpacked(message, _Bounds(steps + 3, max(steps, size, 4), _LONGEST_SENTENCE, 0))
    if fields.get("type") == "error":
        raise MessageError(f"the server says: {_printable(fields.get('message'))}")
    _expect(fields, "chunk", ("number", "actions", "times"))
    if _whole(fields["number"]) != number:
        raise MessageError("the server answered another observation")
    rows = fields["actions"]
    if not isinstance(rows, list) or len(rows) != steps:
        raise MessageError(f"the server's chunk must have {steps} actions")
    actions = [_vector(row, "action") for row in rows]
    if not all(action.shape == (size,) and np.isfinite(action).all() for action in actions):
        raise MessageError(f"the server's actions must be {size} finite numbers each")
    times, due = _vector(fields["times"], "times", np.float64), step_times(start, interface)
    if times.shape != due.shape or not np.allclose(times, due, rtol=0.0, atol=1e-3):
        raise MessageError("the server's actions are due at other times than those after the observation")
    return Chunk(np.stack(actions), times)


@dataclass(frozen=True)
class _Bounds:
    """What a message may hold at most."""

    containers: int
    """Lists and maps, all together."""
    entries: int
    """Of a list or map."""
    text: int
    binary: int


def _packed(fields: dict[str, Any]) -> bytes:
    packed: bytes = msgpack.packb(fields)
    return packed


def _unpacked(message: bytes | str, bounds: _Bounds) -> dict[str, Any]:
    if isinstance(message, str):
        raise MessageError("messages must be binary, not text")
    containers = 0

    def count(container: Any) -> Any:
        """Lists in lists in lists would cost much time for few bytes."""
        nonlocal containers
        containers += 1
        if containers > bounds.containers:
            raise MessageError("too many lists and maps in a message")
        return container

    try:
        fields = msgpack.unpackb(
            message,
            strict_map_key=True,
            list_hook=count,
            object_hook=count,
            max_array_len=bounds.entries,
            max_map_len=bounds.entries,
            max_str_len=bounds.text,
            max_bin_len=bounds.binary,
            max_ext_len=0,
        )
    except (ValueError, TypeError, OverflowError, RecursionError):
        raise MessageError("a message that is not msgpack, or is longer in parts than it may be") from None
    if not isinstance(fields, dict) or not all(isinstance(name, str) for name in fields):
        raise MessageError("a message must be a map with names")
    return fields


def _expect(fields: dict[str, Any], kind: str, names: Sequence[str]) -> None:
    if fields.get("type") != kind or fields.keys() != {"type", *names}:
        raise MessageError(f"a message of type {kind} with exactly these fields was expected: {', '.join(names)}")


def _is_short(image: Any, interface: Interface) -> bool:
    return not isinstance(image, bytes) or len(image) != interface.image_bytes


def _is_number(value: Any) -> bool:
    return type(value) in {int, float}  # a bool is a number to Python


def _number(value: Any, what: str) -> float:
    if not _is_number(value) or not abs(value) <= LATEST:
        raise MessageError(f"the {what} must be a number of at most {LATEST:g}")
    return float(value)


def _whole(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 1 << 53:
        raise MessageError("the number of an observation must be a whole number from 0 to 2^53")
    return value


def _vector(value: Any, what: str, dtype: type[np.floating[Any]] = np.float32) -> NDArray[Any]:
    if not isinstance(value, list) or not all(map(_is_number, value)):
        raise MessageError(f"the {what} must be a list of numbers")
    with np.errstate(over="ignore"):  # too large for single precision becomes infinite, which is refused
        return np.array(value, np.float64).astype(dtype)


def _printable(value: Any) -> str:
    """A sentence of the other side, without what could drive a terminal."""
    return "".join(letter for letter in value if letter.isprintable()) if isinstance(value, str) else "nothing"
