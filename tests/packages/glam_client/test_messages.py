import tracemalloc
from bisect import bisect_left
from dataclasses import replace

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.serving.conftest import INTERFACE, observation

from glam_client import messages
from glam_client.configs import to_json
from glam_client.errors import GlamError
from glam_client.interface import ActionChunk, ServerInterface, step_times
from glam_client.messages import MessageError, read_chunk, read_hello, read_observation
from glam_client.pose_conversion import ArmRecipe, PoseRecipe

QUESTION = messages.observation(7, observation())
ANSWER = ActionChunk(np.linspace(0, 1, 12, dtype=np.float32).reshape(6, 2), step_times(3.0, INTERFACE))


def changed(message: bytes, **changes: object) -> bytes:
    return msgpack.packb(msgpack.unpackb(message) | changes)


def test_an_observation_arrives_as_it_was_sent() -> None:
    number, seen = read_observation(QUESTION, INTERFACE)
    sent = observation()
    assert (number, seen.time) == (7, 3.0)
    assert all((seen.images[name] == sent.images[name]).all() for name in INTERFACE.cameras)
    assert seen.pose.dtype == seen.state.dtype == np.float32
    assert (seen.pose == sent.pose).all()
    assert (seen.state == sent.state).all()


def test_a_chunk_arrives_bit_for_bit() -> None:
    chunk = read_chunk(messages.chunk(7, ANSWER), 7, INTERFACE, 3.0)
    assert chunk.actions.tobytes() == ANSWER.actions.tobytes()
    assert chunk.times.tolist() == ANSWER.times.tolist()


def test_the_interface_arrives_whole() -> None:
    for changes in ({}, {"delta_actions": ("joint",)}, {"pose_size": 0}, {"poses": two_arms()}):
        interface = replace(INTERFACE, **changes)
        assert read_hello(messages.hello(interface)) == interface


def two_arms() -> PoseRecipe:
    """The largest kind of recipe: rotation matrices, and one number per finger."""
    names = tuple(f"number {place}" for place in range(30))
    numbers = tuple(("observation.state", place) for place in range(30))
    arms = (
        ArmRecipe("left", numbers[:12], "matrix", gripper=numbers[24:26], opened=0.1),
        ArmRecipe("right", numbers[12:24], "matrix", gripper=numbers[26:28], closed=1.0, opened=0.0),
    )
    return PoseRecipe(
        {"observation.state": names}, arms, "degrees", "millimetres", tool=(0.0, 0.0, 0.1, 0.0, 0.0, 90.0)
    )


def test_a_question_is_never_longer_than_is_allowed() -> None:
    assert len(QUESTION) <= messages.longest_observation(INTERFACE) < len(QUESTION) + 8192


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"type": "chunk"}, "of type observation"),
        ({"more": 1}, "exactly these fields"),
        ({"number": True}, "whole number"),
        ({"number": -1}, "whole number"),
        ({"number": 1.0}, "whole number"),
        ({"number": 2**60}, "whole number"),
        ({"time": None}, "time must be"),
        ({"time": True}, "time must be"),
        ({"time": float("nan")}, "time must be"),
        ({"pose": [0.0] * 9}, "pose must be 10 finite numbers"),
        ({"pose": [True] * 10}, "pose must be a list of numbers"),
        ({"pose": "0000000000"}, "pose must be a list of numbers"),
        ({"pose": [0.0] * 11}, "longer than allowed"),
        ({"state": [0.0, float("inf")]}, "state must be 2 finite numbers"),
        ({"state": [0.0, 1e308]}, "state must be 2 finite numbers"),
        ({"state": [[0.0], [0.0]]}, "too many lists and maps"),
        ({"images": [b"", b""]}, "map of cameras to 16 x 16 x 3 bytes"),
        ({"images": {"front": b"x" * 768}}, "exactly these cameras"),
        ({"images": {"front": b"x" * 768, "rear": b"x" * 768}}, "exactly these cameras"),
        ({"images": {"front": b"x" * 767, "wrist": b"x" * 768}}, "map of cameras to"),
        ({"images": {"front": "x" * 768, "wrist": b"x" * 768}}, "longer than allowed"),
        ({"images": {"front": b"x" * 769, "wrist": b"x" * 768}}, "longer than allowed"),
        ({"images": {1: b"x" * 768}}, "not msgpack"),
        ({"time": msgpack.ExtType(5, b"x")}, "longer than allowed"),
        ({"time": msgpack.Timestamp(1)}, "longer than allowed"),
    ],
)
def test_a_wrong_field_is_named(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(MessageError, match=sentence):
        read_observation(changed(QUESTION, **changes), INTERFACE)


@pytest.mark.parametrize(
    "message",
    [
        "text",
        b"",
        b"\xc0",
        msgpack.packb([1, 2]),
        msgpack.packb({b"type": 1}),
        QUESTION + b"\x00",
        b"\x91" * 5000,
        b"\xdd\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff",
        b"\xc6\xff\xff\xff\xff",
    ],
)
def test_what_is_no_message_is_refused(message: bytes | str) -> None:
    with pytest.raises(MessageError):
        read_observation(message, INTERFACE)


@given(st.binary(max_size=200))
def test_noise_is_refused(noise: bytes) -> None:
    with pytest.raises(MessageError):
        read_observation(noise, INTERFACE)


@given(st.integers(0, len(QUESTION) - 1))
def test_a_cut_message_is_refused(length: int) -> None:
    with pytest.raises(MessageError):
        read_observation(QUESTION[:length], INTERFACE)


@given(st.integers(0, len(QUESTION) - 1), st.integers(1, 255))
def test_a_changed_byte_is_refused_or_leaves_a_sound_observation(place: int, change: int) -> None:
    message = bytearray(QUESTION)
    message[place] ^= change
    try:
        _, seen = read_observation(bytes(message), INTERFACE)
    except MessageError:
        return
    assert np.isfinite(seen.pose).all()
    assert np.isfinite(seen.state).all()
    assert {image.shape for image in seen.images.values()} == {(16, 16, 3)}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"number": 6}, "another observation"),
        ({"actions": [[0.0, 0.0]] * 5}, "must have 6 actions"),
        ({"actions": [[0.0]] * 6}, "2 finite numbers each"),
        ({"actions": [[0.0, float("nan")]] * 6}, "2 finite numbers each"),
        ({"times": [0.0] * 6}, "do not follow from the time"),
        ({"times": [3.0]}, "do not follow from the time"),
        ({"type": "hello"}, "of type chunk"),
    ],
)
def test_a_robot_does_not_follow_a_wrong_answer(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(MessageError, match=sentence):
        read_chunk(changed(messages.chunk(7, ANSWER), **changes), 7, INTERFACE, 3.0)


def test_rows_of_different_lengths_are_refused() -> None:
    rows = [[0.0, 0.0]] * 5 + [[0.0]]
    with pytest.raises(MessageError, match="2 finite numbers each"):
        read_chunk(changed(messages.chunk(7, ANSWER), actions=rows), 7, INTERFACE, 3.0)


def test_the_servers_sentence_reaches_the_robot_without_what_drives_a_terminal() -> None:
    with pytest.raises(MessageError, match=r"the server says: no \[2Jpose$"):
        read_chunk(messages.error("no \x1b[2Jpose\n"), 7, INTERFACE, 3.0)


@pytest.mark.parametrize(
    "changes",
    [
        {"protocol": 1},
        {"interface": {}},
        {"interface": to_json(INTERFACE) | {"fps": 0}},
        {"interface": to_json(INTERFACE) | {"delta_actions": ["dx"]}},
        {"interface": None},
    ],
)
def test_a_server_that_greets_otherwise_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(GlamError):
        read_hello(changed(messages.hello(INTERFACE), **changes))


ABSURD = 2**31, 2**62, 2**64 - 1


@pytest.mark.parametrize(
    "changes",
    [
        *({name: size} for name in ("fps", "pixels", "pose_size", "chunk_size") for size in ABSURD),
        {"pixels": 20_000},
        {"pose_size": -1},
        {"chunk_size": 40_000},
        {"pixels": 4096, "cameras": ["front", "wrist"]},
    ],
)
def test_sizes_that_no_robot_could_meet_are_refused_before_memory_is_taken(changes: dict[str, object]) -> None:
    tracemalloc.start()
    with pytest.raises(MessageError, match="the server's policy"):
        read_hello(changed(messages.hello(INTERFACE), interface=to_json(INTERFACE) | changes))
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_the_longest_chunk_that_is_allowed_fits_into_an_answer() -> None:
    names = ("joint", "gripper")
    most = bisect_left(range(40_000), x=True, key=lambda size: not is_allowed(replace(INTERFACE, chunk_size=size + 1)))
    interface = replace(INTERFACE, chunk_size=most)
    actions = np.full((most, len(names)), 0.1, np.float32)
    assert len(messages.chunk(1, ActionChunk(actions, step_times(3.0, interface)))) <= messages.LONGEST_ANSWER


def is_allowed(interface: ServerInterface) -> bool:
    try:
        return read_hello(messages.hello(interface)) == interface
    except MessageError:
        return False
