"""The messages between server and robot, version 2: msgpack maps, one in each binary WebSocket frame.

| message       | from   | fields                                                                            |
|---------------|--------|-----------------------------------------------------------------------------------|
| `hello`       | server | `protocol` (2), `interface` (a map with the fields of `ServerInterface`)            |
| `observation` | robot  | `number`, `time`, `images` (camera -> RGB bytes, row by row), `pose`, `state`       |
| `chunk`       | server | `number`, `actions` (a list for each step), `times`, `doubt` (a number, or nil)       |
| `error`       | server | `message`: one sentence; the connection ends                                       |

Every map also has a `type`. Observations are numbered in increasing order; a chunk has the number of its observation.

Readers trust nothing: sizes are bounded before memory is allocated, and every field is checked. msgpack has no type
that could run code, and extension types are refused.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgpack
import numpy as np
from numpy.typing import NDArray

from glam_client.configs import from_json, to_json
from glam_client.errors import GlamError
from glam_client.interface import LATEST, ActionChunk, Observation, ServerInterface, check, step_times

PROTOCOL = 2
SUBPROTOCOL = f"glam.v{PROTOCOL}"
"""Negotiated in the opening handshake, so that another version is refused before the first message."""

LONGEST_ANSWER = 1 << 20
"""Largest message to a robot, in bytes."""
LONGEST_QUESTION = 1 << 26
"""Largest message to a server, in bytes: 21 images of 1024 x 1024 pixels."""
MOST_PIXELS = 4096
HIGHEST_RATE = 10_000
_NUMBER_BYTES = 9
_LONGEST_NAME = 256
_LONGEST_SENTENCE = 500
_MOST_CONTAINERS = 512
"""Lists and maps in a `hello`; every number of a pose recipe is one."""
_MARGIN = 4096
"""Bytes of an observation besides its images and numbers."""


class MessageError(GlamError):
    """A malformed or unexpected message."""


class NumberedObservation(NamedTuple):
    """An observation and its number."""

    number: int
    observation: Observation


def hello(interface: ServerInterface) -> bytes:
    """The first message on a connection."""
    return _packed({"type": "hello", "protocol": PROTOCOL, "interface": to_json(interface)})


def observation(number: int, seen: Observation) -> bytes:
    """A request to the policy; images already have its size."""
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


def chunk(number: int, answer: ActionChunk) -> bytes:
    """The policy's answer."""
    doubt = answer.doubt if math.isfinite(answer.doubt) else None
    fields = {"actions": answer.actions.tolist(), "times": answer.times.tolist(), "doubt": doubt}
    return _packed({"type": "chunk", "number": number, **fields})


def error(sentence: str) -> bytes:
    """The last message on a connection."""
    return _packed({"type": "error", "message": sentence[:_LONGEST_SENTENCE]})


def longest_observation(interface: ServerInterface) -> int:
    """Upper bound in bytes; a longer frame is refused unread."""
    numbers = interface.pose_size + len(interface.state_names)
    return len(interface.cameras) * (interface.image_bytes + _LONGEST_NAME) + _NUMBER_BYTES * numbers + _MARGIN


def read_hello(message: bytes | str) -> ServerInterface:
    """Read the policy's interface; another protocol version is refused."""
    fields = _unpacked(message, _Bounds(containers=_MOST_CONTAINERS, entries=1024, text=_LONGEST_NAME, binary=0))
    _expect(fields, "hello", ("protocol", "interface"))
    if fields["protocol"] != PROTOCOL:
        raise MessageError(
            f"the server uses another protocol version than {PROTOCOL}; install the same GLAM on both machines"
        )
    interface = from_json(ServerInterface, fields["interface"])
    _check_sizes(interface)
    if not set(interface.delta_actions) <= set(interface.action_names):
        raise MessageError("the server's policy has delta actions that are not among its actions")
    return interface


def _check_sizes(interface: ServerInterface) -> None:
    """Refuse a policy whose messages no robot could send or read, before memory for one is allocated."""
    if min(interface.fps, interface.pixels, interface.chunk_size, len(interface.action_names)) < 1:
        raise MessageError("the server's policy has no rate, no images or no actions")
    if interface.fps > HIGHEST_RATE or interface.pixels > MOST_PIXELS or interface.pose_size < 0:
        raise MessageError(
            f"the server's policy has a rate above {HIGHEST_RATE} Hz or images above {MOST_PIXELS} pixels"
        )
    numbers = interface.chunk_size * (len(interface.action_names) + 2)  # each with its time, in a list of its own
    if longest_observation(interface) > LONGEST_QUESTION or _NUMBER_BYTES * numbers > LONGEST_ANSWER - _MARGIN:
        raise MessageError(
            f"the server's policy needs observations above {LONGEST_QUESTION} bytes or chunks above {LONGEST_ANSWER}"
        )


def read_observation(message: bytes | str, interface: ServerInterface) -> NumberedObservation:
    """Read a request to the policy and check every field."""
    sizes = interface.pose_size, len(interface.state_names)
    entries = max(*sizes, len(interface.cameras), 6)
    fields = _unpacked(message, _Bounds(4, entries, _LONGEST_NAME, interface.image_bytes))
    _expect(fields, "observation", ("number", "time", "images", "pose", "state"))
    images, pixels = fields["images"], interface.pixels
    if not isinstance(images, dict) or any(_is_misfit(image, interface) for image in images.values()):
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
    return NumberedObservation(_whole(fields["number"]), seen)


def read_chunk(message: bytes | str, number: int, interface: ServerInterface, start: float) -> ActionChunk:
    """Read the answer to observation `number` of time `start`; an `error` message is raised."""
    steps, size = interface.chunk_size, len(interface.action_names)
    fields = _unpacked(message, _Bounds(steps + 3, max(steps, size, 4), _LONGEST_SENTENCE, 0))
    if fields.get("type") == "error":
        raise MessageError(f"the server says: {_printable(fields.get('message'))}")
    _expect(fields, "chunk", ("number", "actions", "times", "doubt"))
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
        raise MessageError("the server's action times do not follow from the time of the observation")
    doubt = math.nan if fields["doubt"] is None else _number(fields["doubt"], "doubt")
    return ActionChunk(np.stack(actions), times, doubt)


@dataclass(frozen=True)
class _Bounds:
    """Bounds on the content of a message."""

    containers: int
    """Lists and maps, all together."""
    entries: int
    """Of one list or map."""
    text: int
    binary: int


def _packed(fields: dict[str, Any]) -> bytes:
    return msgpack.packb(fields)


def _unpacked(message: bytes | str, bounds: _Bounds) -> dict[str, Any]:
    if isinstance(message, str):
        raise MessageError("messages must be binary, not text")
    containers = 0

    def count(container: Any) -> Any:
        """Bound nested lists: they would cost much time for few bytes."""
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
        raise MessageError("a message that is not msgpack, or with a part longer than allowed") from None
    if not isinstance(fields, dict) or not all(isinstance(name, str) for name in fields):
        raise MessageError("a message must be a map with names")
    return fields


def _expect(fields: dict[str, Any], kind: str, names: Sequence[str]) -> None:
    if fields.get("type") != kind or fields.keys() != {"type", *names}:
        raise MessageError(f"a message of type {kind} with exactly these fields was expected: {', '.join(names)}")


def _is_misfit(image: Any, interface: ServerInterface) -> bool:
    return not isinstance(image, bytes) or len(image) != interface.image_bytes


def _is_number(value: Any) -> bool:
    return type(value) in {int, float}  # excludes bool, which is an int in Python


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
    """Text of the other side without terminal control characters."""
    return "".join(letter for letter in value if letter.isprintable()) if isinstance(value, str) else "nothing"
