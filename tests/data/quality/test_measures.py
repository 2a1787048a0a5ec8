"""Measurements of an episode whose motion is known."""

import numpy as np
from tests.data.quality.demonstrations import FPS, SCHEMA, film, measures, poses

from glam.data.quality.measures import measured


def test_a_jump_is_measured_where_it_is() -> None:
    hand = poses()
    hand[30, 0] += 0.2
    jump = measures(hand).jumps[0]
    assert jump.frame in {30, 31}
    np.testing.assert_allclose(jump.metres, 0.2, atol=0.02)
    np.testing.assert_allclose(jump.change, 0.2 * FPS**2, rtol=0.1)


def test_a_frozen_pose_is_measured_with_the_step_that_ends_it() -> None:
    hand = poses()
    hand[20:31, :9] = hand[20, :9]
    frozen = measures(hand).frozen[0]
    assert (frozen.start, frozen.steps) == (20, 10)
    np.testing.assert_allclose(frozen.jump, np.linalg.norm(hand[31, :3] - hand[30, :3]), rtol=1e-5)


def test_a_pause_is_the_longest_rest() -> None:
    rows = np.r_[:30, np.full(40, 30), 30:120]
    rest = measures(poses()[rows]).rest
    assert rest.start in {28, 29, 30, 31, 32}
    assert 36 <= rest.steps <= 42


def test_an_episode_without_poses_has_its_length_and_its_look() -> None:
    one = measured(
        4, {}, {"front": film(poses())}, SCHEMA.__class__(FPS, (48, 48), ("front",), (), ("arm",), has_pose=False)
    )
    assert (one.episode, one.frames, one.lag, one.rows, one.strokes) == (4, 120, None, frozenset(), ())
    assert len(one.look) == 3 * 16 * 16 * 3
