import numpy as np
import pytest

from glam.data.command_delay import LONGEST, CommandDelay, delay_of, response
from glam.sim.demonstrator import expert_actions
from glam.sim.embodiments import find_embodiment
from glam.sim.expert import Disturbance
from glam.sim.tasks import find_task
from glam.sim.world import World


def driven(delay: int, seed: int, follows: float = 0.6, noise: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """A smooth command, and a joint that closes a part of the gap to it in every frame, so many frames late."""
    rng = np.random.default_rng(seed)
    changes = np.convolve(rng.normal(size=100), np.hanning(9), mode="same") * 0.02
    command, position = np.cumsum(changes), np.zeros(100)
    position[0] = command[0]
    for frame in range(99):
        position[frame + 1] = position[frame] + follows * (command[max(0, frame - delay)] - position[frame])
    return command, position + noise * rng.normal(size=100)


@pytest.mark.parametrize("delay", [0, 1, 2, 3])
@pytest.mark.parametrize(("follows", "noise"), [(1.0, 0.0), (0.6, 0.0), (0.4, 0.0), (0.6, 0.002)])
def test_the_response_of_a_joint_begins_after_its_delay(delay: int, follows: float, noise: float) -> None:
    found = response([driven(delay, seed, follows, noise) for seed in range(8)])
    assert found is not None
    assert len(found) == LONGEST + 1
    assert int((found >= 0.25 * found.max()).argmax()) == delay
    if not noise:
        assert found[delay] == pytest.approx(follows, abs=0.2)


def test_a_joint_that_rests_or_goes_its_own_way_has_no_response() -> None:
    command, _ = driven(0, 0)
    assert response([(command, np.zeros(100))]) is None
    assert response([(command, np.random.default_rng(5).normal(size=100))]) is None
    assert response([(command[:5], command[:5])]) is None


def test_the_sentence_says_what_an_inverse_dynamics_model_must_see() -> None:
    late, prompt = CommandDelay(1, 3, 6, 7, 10), CommandDelay(0, 0, 7, 7, 10)
    assert late.needed_frames == 3
    assert late.sentence.startswith(
        "delay: commands move the robot 1 frame (0.1 s) late, 90% of their effect is seen 4"
    )
    assert "(6 of 7 joints); an inverse dynamics model must see at least 3 frames" in late.sentence
    assert "move the robot without delay" in prompt.sentence


@pytest.mark.parametrize(("robot", "frames"), [("kinova", 0), ("kinova-lab", 1)])
def test_the_delay_of_our_robots_is_found_in_one_demonstration(robot: str, frames: int) -> None:
    world = World(find_task("lift"), find_embodiment(robot), (16, 16))
    world.reset(200_000)
    states, actions = [], []
    for action in expert_actions(world, Disturbance()):
        states.append(world.state())
        actions.append(action)
        world.step(action)
    world.close()
    names = (*(f"joint{number}" for number in range(1, 8)), "gripper")
    found = delay_of([(np.stack(actions), np.stack(states))], names, names, fps=10)
    assert found is not None
    assert (found.frames, found.measured, found.joints) == (frames, 7, 7)


def test_actions_that_are_no_joint_targets_have_no_delay() -> None:
    rng = np.random.default_rng(0)
    episodes = [(rng.normal(size=(50, 7)), np.cumsum(rng.normal(size=(50, 8)), axis=0))]
    hand = ("x", "y", "z", "roll", "pitch", "yaw", "gripper")
    assert delay_of(episodes, hand, tuple(f"joint{number}" for number in range(8)), fps=10) is None
    assert delay_of(episodes, hand, (*hand, "time"), fps=10) is None
