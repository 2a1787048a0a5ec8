import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.sim.demonstrator import Demonstration, demonstrate
from glam.sim.expert import Disturbance
from glam.sim.retargeting import Retargeter


@pytest.fixture(scope="module")
def arm() -> Retargeter:
    return Retargeter("kinova", ("arm",))


def poses(shown: Demonstration) -> np.ndarray:
    return np.stack([frame.ee_pose for frame in shown.frames])


def test_a_robots_own_path_leads_back_to_its_own_joints(world_of, arm: Retargeter) -> None:
    shown = demonstrate(world_of("lift", "kinova"), 1000, Disturbance())
    path = arm.follow(poses(shown))
    states = np.stack([frame.state for frame in shown.frames])
    assert np.abs(path.reached - states)[:, :7].max() < np.radians(1.0)
    np.testing.assert_array_equal(path.reached[:, 7], poses(shown)[:, 9])


def test_the_hands_of_two_arms_are_followed_each_by_its_own_arm(world_of) -> None:
    world = world_of("stack-three", "kinova")
    shown = demonstrate(world, 1000, Disturbance())
    arms = Retargeter("kinova", ("left", "right"))
    assert arms.action_names == tuple(name for arm in world.arms.values() for name in arm.action_names)
    assert arms.grippers == (7, 15)
    path = arms.follow(poses(shown)[:40])
    states = np.stack([frame.state for frame in shown.frames])[:40]
    joints = [entry for entry in range(16) if entry not in arms.grippers]
    assert np.abs(path.reached - states)[:, joints].max() < np.radians(1.5)
    places = poses(shown)[:40].reshape(40, 2, 10)[:, :, :3]
    np.testing.assert_allclose(arms.tools(path.reached), places, atol=5e-4)
    swapped = arms.follow(np.roll(poses(shown)[:2], 10, axis=1))
    assert np.abs(swapped.reached - states[:2])[:, joints].max() > 0.1


def test_poses_of_another_embodiment_are_reached(world_of, arm: Retargeter) -> None:
    path = arm.follow(poses(demonstrate(world_of("lift", "umi"), 1000, Disturbance())))
    assert path.misses[:, 0].max() < 3e-4
    assert path.misses[:, 1].max() < 2e-3
    assert np.abs(np.diff(path.reached[:, :7], axis=0)).max() < 0.3


def test_a_pose_out_of_reach_shows_how_far_it_is_missed(world_of, arm: Retargeter) -> None:
    path = poses(demonstrate(world_of("lift", "umi"), 1000, Disturbance()))[:3].copy()
    path[1, 0] += 2.0
    found = arm.follow(path)
    assert found.misses[1, 0] > 1.0
    assert found.misses[[0, 2], 0].max() < 3e-4
    assert np.isfinite(found.reached).all()


def test_the_worse_of_two_arms_counts(world_of) -> None:
    start = poses(demonstrate(world_of("stack-three", "umi"), 1000, Disturbance()))[:1].copy()
    arms = Retargeter("kinova", ("left", "right"))
    for hand in (0, 10):
        far = start.copy()
        far[0, hand] += 2.0
        assert arms.follow(far).misses[0, 0] > 1.0
    assert arms.follow(start).misses[0, 0] < 3e-4


@pytest.mark.parametrize(
    ("robot", "arms", "sentence"),
    [
        ("octopus", ("arm",), "'octopus' to retarget to; known are kinova, kinova-lab"),
        ("umi", ("arm",), "'umi' to retarget to"),
        ("kinova", ("arm", "third"), "an arm 'third'; known are arm, left, right"),
    ],
)
def test_what_is_not_known_is_named_with_what_is(robot: str, arms: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(GlamError, match=sentence):
        Retargeter(robot, arms)


def test_the_fingerprint_tells_arms_apart(arm: Retargeter) -> None:
    assert arm.fingerprint == Retargeter("kinova", ("arm",)).fingerprint
    assert arm.fingerprint != Retargeter("kinova", ("left",)).fingerprint
