import gymnasium
import numpy as np
import pytest

import glam.sim  # noqa: F401 - registers the environments
from glam.sim.demonstrator import expert_actions
from glam.sim.env import environment_id
from glam.sim.expert import Disturbance

KINOVA = environment_id("lift", "kinova")
UMI = environment_id("lift", "umi")
LAB = environment_id("lift", "kinova-lab")


def holding(env) -> np.ndarray:
    return env.unwrapped.world.last_action.astype(np.float32)


def test_a_non_finite_action_ends_the_episode_loudly():
    env = gymnasium.make(KINOVA, image_size=32)
    env.reset(seed=0)
    action = holding(env)
    action[3] = np.nan
    with pytest.warns(UserWarning, match="episode failed: action must be 8 finite numbers"):
        observation, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (0.0, True, False)
    assert not info["is_success"]
    assert "finite" in info["failure"]
    assert np.isfinite(observation["agent_pos"]).all()


def test_a_mujoco_warning_ends_the_episode_loudly():
    env = gymnasium.make(UMI, image_size=32)
    env.reset(seed=0)
    env.unwrapped.world.data.qvel[:] = 1e12
    with pytest.warns(UserWarning, match="episode failed: MuJoCo warning"):
        _, reward, terminated, _, info = env.step(holding(env))
    assert (reward, terminated, info["is_success"]) == (0.0, True, False)
    assert "mjWARN" in info["failure"]
    env.reset(seed=0)
    _, _, terminated, _, info = env.step(holding(env))
    assert not terminated
    assert "failure" not in info


def test_success_is_reported_rewarded_and_ends_the_episode():
    env = gymnasium.make(UMI, image_size=32)
    env.reset(seed=1000)
    outcomes = [env.step(action) for action in expert_actions(env.unwrapped.world, Disturbance())]
    ends = [terminated for _, _, terminated, _, _ in outcomes]
    first = ends.index(True)
    _, reward, _, truncated, info = outcomes[first]
    assert (reward, truncated, info["is_success"]) == (1.0, False, True)
    assert all(reward == 0.0 and not info["is_success"] for _, reward, _, _, info in outcomes[:first])


def test_the_step_limit_truncates():
    env = gymnasium.make(UMI, image_size=32)
    env.reset(seed=0)
    steps = env.unwrapped.world.task.max_episode_steps
    truncations = [env.step(holding(env))[3] for _ in range(steps)]
    assert truncations == [False] * (steps - 1) + [True]


@pytest.mark.parametrize(("name", "has_state"), [(KINOVA, True), (UMI, False), (LAB, True)])
def test_a_hand_held_gripper_has_no_robot_state_to_observe(name, has_state):
    env = gymnasium.make(name, image_size=32)
    observation, info = env.reset(seed=0)
    assert ("agent_pos" in observation) == has_state
    assert set(observation["pixels"]) == {"front", "overhead"}
    assert info == {"is_success": False}
    assert env.unwrapped.task_description == "Pick up the red cube and hold it in the air."


def test_the_same_seed_repeats_an_episode_and_no_seed_draws_a_new_one():
    env = gymnasium.make(LAB, image_size=32)
    first, again = (env.reset(seed=4)[0]["pixels"]["front"] for _ in range(2))
    assert first.tobytes() == again.tobytes()
    others = [env.reset()[0]["pixels"]["front"].tobytes() for _ in range(2)]
    assert len({first.tobytes(), *others}) == 3


def test_rendering_shows_what_was_observed_and_disturbs_nothing():
    env, other = (gymnasium.make(LAB, image_size=32, render_mode="rgb_array") for _ in range(2))
    env.reset(seed=4)
    other.reset(seed=4)
    image = env.render()
    assert image.shape == (32, 64, 3)
    seen, unseen = env.step(holding(env))[0], other.step(holding(other))[0]
    assert seen["pixels"]["front"].tobytes() == unseen["pixels"]["front"].tobytes()
    assert (env.render()[:, :32] == seen["pixels"]["front"]).all()


@pytest.mark.parametrize("mode", [gymnasium.VectorizeMode.SYNC, gymnasium.VectorizeMode.ASYNC])
def test_vectorised_environments_do_what_single_ones_do(mode):
    single = gymnasium.make(UMI, image_size=32)
    many = gymnasium.make_vec(UMI, num_envs=2, vectorization_mode=mode, vector_kwargs=None, image_size=32)
    try:
        observations, _ = many.reset(seed=7)
        actions = []
        for index in range(2):
            wanted, _ = single.reset(seed=7 + index)
            assert (observations["pixels"]["front"][index] == wanted["pixels"]["front"]).all()
            actions.append(holding(single) + np.array([0.01, 0, 0, 0, 0, 0, 0], np.float32))
        observations, rewards, _, _, infos = many.step(np.stack(actions))
        assert rewards.tolist() == [0.0, 0.0]
        assert infos["is_success"].tolist() == [False, False]
        for index in range(2):
            single.reset(seed=7 + index)
            wanted = single.step(actions[index])[0]
            assert observations["ee_pose"][index].tobytes() == wanted["ee_pose"].tobytes()
            assert (observations["pixels"]["overhead"][index] == wanted["pixels"]["overhead"]).all()
    finally:
        many.close()
