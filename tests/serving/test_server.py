import asyncio
import os
import threading
import time

import numpy as np
import pytest
from benchmarks.serve import objections
from benchmarks.serve_attacks import ATTACKS, Attacker, Target, attack, one
from tests.serving.conftest import INTERFACE, count, observation, running

from glam.core.errors import GlamError
from glam.serving import entrance
from glam.serving import server as module
from glam_client.client import PolicyClient

TOKEN = "correct-horse-battery"


def target(port: int, token: str = TOKEN) -> Target:
    return Target("127.0.0.1", port, INTERFACE, token)


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_a_robot_gets_what_the_policy_says_and_when_to_do_it(server) -> None:
    with PolicyClient(server.address) as client:
        assert client.interface == INTERFACE
        for time_seen in (3.0, 4.5):
            seen = observation(time_seen)
            chunk = client.ask(seen).result()
            expected = count(np.zeros(0), seen.pose[None], seen.state[None])[0]
            assert chunk.actions.tobytes() == expected.tobytes()
            assert chunk.times[:2].tolist() == pytest.approx([time_seen, time_seen + 0.1])
    assert server.said[0].endswith(": got its first chunk")


def test_a_robot_gets_the_doubt_of_the_policy_if_it_is_known(server) -> None:
    def act_and_doubt(*observed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return count(*observed), np.array([1.5], np.float32)

    with running(act_and_doubt=act_and_doubt) as other, PolicyClient(other.address) as client:
        assert client.ask(observation()).result().doubt == 1.5
    with PolicyClient(server.address) as client:
        assert np.isnan(client.ask(observation()).result().doubt)


def test_the_policy_sees_the_cameras_in_its_own_order() -> None:
    shown: list[np.ndarray] = []

    def act(images, poses, states):
        shown.append(images.copy())
        return count(images, poses, states)

    sent = observation()
    turned = observation(images=dict(reversed(sent.images.items())))
    with running(act) as server, PolicyClient(server.address) as client:
        client.ask(turned).result()
    assert (shown[0][0, 0] == sent.images["front"]).all()
    assert (shown[0][0, 1] == sent.images["wrist"]).all()


def test_robots_do_not_get_each_others_answers(server) -> None:
    with PolicyClient(server.address) as one, PolicyClient(server.address) as other:
        for number in range(20):
            states = [np.array([number, robot], np.float32) for robot in range(2)]
            answers = [client.ask(observation(state=state)) for client, state in zip((one, other), states, strict=True)]
            for state, answer in zip(states, answers, strict=True):
                assert answer.result().actions[0].tolist() == state.tolist()


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        (lambda *seen: count(*seen) * np.nan, "other than a chunk of finite actions"),
        (lambda *seen: count(*seen)[:, :3], "other than a chunk of finite actions"),
        (lambda *seen: 1 / 0, "the policy failed: division by zero"),
    ],
)
def test_a_policy_that_fails_is_an_error_and_never_an_action(act, sentence) -> None:
    with running(act) as server:
        for _ in range(2):  # it still answers afterwards
            with PolicyClient(server.address) as client, pytest.raises(GlamError, match=sentence):
                client.ask(observation()).result()


def test_a_robot_without_the_token_is_refused() -> None:
    with running(token=TOKEN) as server:
        for token in ("", "wrong-horse-battery"):
            with pytest.raises(GlamError, match=r"refused with 401, 'this server needs the token of its --token-file'"):
                PolicyClient(server.address, token)
        with PolicyClient(server.address, TOKEN) as client:
            client.ask(observation()).result()


@pytest.mark.parametrize(
    ("more", "changes", "status"),
    [
        ((), {}, 101),
        ((), {"version": "glam.v3"}, 400),
        ((), {"version": ""}, 400),
        (("Origin: http://x.org",), {}, 403),
        ((), {"token": "wrong-horse-battery"}, 401),
    ],
    ids=["as it should be", "another version", "no version", "a web page", "a wrong token"],
)
def test_a_handshake_that_differs_in_one_thing_is_refused_for_it(more, changes, status) -> None:
    """The attacker does not hang up: that a connection ends does not mean that it was refused."""

    async def answered(port: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        attacker = Attacker(target(port), reader, writer, np.random.default_rng(0))
        await attacker.say(attacker.handshake(*more, **changes))
        head = await reader.readuntil(b"\r\n\r\n")
        writer.transport.abort()
        return head

    with running(token=TOKEN) as server:
        assert asyncio.run(answered(server.port)).startswith(b"HTTP/1.1 %d " % status)


@pytest.mark.parametrize("name", ATTACKS)
def test_every_kind_of_nonsense_ends_its_own_connection(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance, "OPEN_SECONDS", 0.2)
    with running(token=TOKEN) as server, PolicyClient(server.address, TOKEN) as client:
        assert asyncio.run(one(target(server.port), name, 0)) in {"ended", "cut off"}
        client.ask(observation()).result()


def test_200_malformed_requests_neither_stop_the_server_nor_a_robot_beside_them() -> None:
    with running(token=TOKEN) as server, PolicyClient(server.address, TOKEN) as client:
        client.ask(observation()).result()
        before, answered = descriptors(), 0
        outcomes: list[dict[str, int]] = []
        attackers = threading.Thread(target=lambda: outcomes.append(asyncio.run(attack(target(server.port), 200))))
        attackers.start()
        while attackers.is_alive():
            client.ask(observation()).result(timeout=5.0)
            answered += 1
            time.sleep(0.02)
        assert outcomes[0]["ended"] + outcomes[0]["cut off"] == 200
        assert answered >= 10
        deadline = time.monotonic() + 2 * module.CLOSE_SECONDS
        while descriptors() > before and time.monotonic() < deadline:
            time.sleep(0.05)
        assert descriptors() <= before
    assert sum("refused" in line for line in server.said) <= 3


def test_the_benchmark_objects_to_a_server_that_ends_hangs_or_starves_its_robot() -> None:
    sound = {"requests": 10, "outcomes": {"ended": 9, "cut off": 1}, "is_alive": True, "p99_ratio": 2.0}
    assert objections(sound) == []
    assert objections(sound | {"is_alive": False}) == ["the server has ended"]
    hung = {"outcomes": {"ended": 9, "unanswered: noise": 1}}
    assert objections(sound | hung) == ["1 requests were left without an end"]
    assert objections(sound | {"p99_ratio": 2.1}) == ["the p99 of a robot has grown by more than a factor of 2"]


def test_a_flood_of_refusals_is_one_line(server) -> None:
    for seed in range(5):
        asyncio.run(one(target(server.port, ""), "no number", seed))
    assert [line.partition(": ")[2] for line in server.said] == ["refused: the state must be 2 finite numbers"]


def test_no_more_robots_than_can_be_served(server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ROBOTS", 1)
    with PolicyClient(server.address), pytest.raises(GlamError, match="1 robots are connected already"):
        PolicyClient(server.address)


def test_without_a_token_a_robot_takes_the_place_of_the_longest_idle(server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ROBOTS", 2)
    monkeypatch.setattr(module, "IDLE_SECONDS", 0.1)
    with PolicyClient(server.address) as idle, PolicyClient(server.address) as busy:
        time.sleep(0.15)
        busy.ask(observation()).result()
        with PolicyClient(server.address) as new:
            new.ask(observation()).result()
            busy.ask(observation()).result()
            with pytest.raises(GlamError, match=r"idle for more than 0\.1 s, and another robot needed the place"):
                idle.ask(observation()).result()


def test_with_a_token_idle_robots_keep_their_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ROBOTS", 1)
    monkeypatch.setattr(module, "IDLE_SECONDS", 0.0)
    with running(token=TOKEN) as server, PolicyClient(server.address, TOKEN) as idle:
        with pytest.raises(GlamError, match="1 robots are connected already"):
            PolicyClient(server.address, TOKEN)
        idle.ask(observation()).result()


@pytest.mark.parametrize(("ping_timeout", "stays"), [(0.1, False), (30.0, True)])
def test_a_robot_that_blocks_may_be_silent_for_the_ping_timeout(ping_timeout, stays, monkeypatch) -> None:
    monkeypatch.setattr(module, "PING_SECONDS", 0.05)

    async def kept(port: int) -> bool:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        attacker = Attacker(target(port), reader, writer, np.random.default_rng(0))
        await attacker.say(attacker.handshake())
        await reader.readuntil(b"\r\n\r\n")
        try:
            await asyncio.wait_for(attacker.hear_frames(), 0.4)  # which answers no ping
        except TimeoutError:
            return True
        finally:
            writer.transport.abort()
        return False

    with running(token=TOKEN, ping_timeout=ping_timeout) as server:
        assert asyncio.run(kept(server.port)) is stays
