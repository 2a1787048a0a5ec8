from dataclasses import replace
from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glam.core.errors import GlamError
from glam.core.geometry import rotation_from_vector, rotation_z, vector_from_rotation
from glam.sim.embodiments.embodiment import POINTING_DOWN, HandPose
from glam.sim.expert import Disturbance, Expert, MotionStyle, Path, minimum_jerk

RATE = 10
STYLE = MotionStyle(speed=0.2, turning=0.5, overlap=0.3, hover=0.08, approach=np.zeros(2), grasp_offset=0.0)
STILL = Disturbance(probability=0.0)
START = HandPose(np.array([0.4, 0.0, 0.2]), POINTING_DOWN, 1.0)
COORDINATE = st.floats(-0.4, 0.4)
POSES = st.builds(
    lambda x, y, z, turn, opening: HandPose(np.array([x, y, z]), rotation_z(turn) @ POINTING_DOWN, opening),
    COORDINATE,
    COORDINATE,
    COORDINATE,
    st.floats(-1.5, 1.5),
    st.floats(0.0, 1.0),
)


def expert(disturbance: Disturbance = STILL, seed: int = 0) -> Expert:
    """An expert whose hand is always where it is told to be."""
    told: list[Expert] = []
    made = Expert(lambda: told[0].at if told else START, np.random.default_rng(seed), disturbance, RATE)
    told.append(made)
    return made


def shifted(pose: HandPose, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> HandPose:
    return pose._replace(position=pose.position + np.array([x, y, z]))


@given(st.floats(0.0, 1.0))
def test_minimum_jerk_is_the_polynomial_of_flash_and_hogan(u):
    assert minimum_jerk(u) == pytest.approx(10 * u**3 - 15 * u**4 + 6 * u**5, abs=1e-12)


def test_minimum_jerk_starts_and_ends_at_rest_without_acceleration():
    h = 1e-4
    assert (minimum_jerk(0.0), minimum_jerk(0.5), minimum_jerk(1.0)) == (0.0, 0.5, 1.0)
    assert minimum_jerk(h) / h == pytest.approx(0.0, abs=1e-6)
    assert (1.0 - minimum_jerk(1.0 - h)) / h == pytest.approx(0.0, abs=1e-6)
    assert minimum_jerk(2 * h) / h**2 == pytest.approx(0.0, abs=1e-2)
    assert (minimum_jerk(-3.0), minimum_jerk(7.0)) == (0.0, 1.0)


@given(st.lists(POSES, min_size=1, max_size=4))
def test_a_path_ends_exactly_on_its_last_waypoint(waypoints):
    path = Path(START, waypoints, STYLE, RATE)
    end = path.pose(path.steps)
    assert end.position == pytest.approx(waypoints[-1].position, abs=1e-12)
    assert end.rotation == pytest.approx(waypoints[-1].rotation, abs=1e-9)
    assert end.opening == pytest.approx(waypoints[-1].opening, abs=1e-12)
    assert path.pose(0).position == pytest.approx(START.position, abs=1e-12)


@given(st.lists(POSES, min_size=1, max_size=4))
def test_a_path_is_continuous_and_its_speed_bounded_by_two_overlapping_submovements(waypoints):
    path = Path(START, waypoints, STYLE, RATE)
    poses = [path.pose(step) for step in range(path.steps + 1)]
    peak = 1.875 / RATE  # of a minimum-jerk movement of mean speed 1
    for before, after in pairwise(poses):
        assert np.linalg.norm(after.position - before.position) <= 2 * peak * STYLE.speed + 1e-9
        turn = vector_from_rotation(after.rotation @ before.rotation.T)
        assert np.linalg.norm(turn) <= 2 * peak * STYLE.turning + 1e-6
        assert 0.0 <= after.opening <= 1.0


def test_one_submovement_never_exceeds_the_peak_of_minimum_jerk():
    path = Path(START, [shifted(START, y=0.3)], STYLE, RATE)
    places = np.array([path.pose(step).position for step in range(path.steps + 1)])
    fastest = np.linalg.norm(np.diff(places, axis=0), axis=1).max() * RATE
    assert STYLE.speed < fastest <= 1.875 * STYLE.speed


def test_a_path_rounds_its_corners_without_stopping():
    corner, end = shifted(START, y=0.2), shifted(START, y=0.2, z=-0.2)
    path = Path(START, [corner, end], STYLE, RATE)
    places = np.array([path.pose(step).position for step in range(path.steps + 1)])
    speeds = np.linalg.norm(np.diff(places, axis=0), axis=1) * RATE
    nearest = int(np.linalg.norm(places - corner.position, axis=1).argmin())
    assert 0.001 < np.linalg.norm(places[nearest] - corner.position) < 0.05
    assert speeds[nearest - 1 : nearest + 1].min() > 0.02


def test_a_slower_pace_takes_longer_and_ends_in_the_same_place():
    usual, slow = expert(), expert()
    goal = shifted(START, y=0.2)
    steps = len(list(usual.move(lambda: [goal])))
    assert len(list(slow.move(lambda: [goal], pace=0.5))) == pytest.approx(2 * steps, abs=1)
    assert slow.at.position == pytest.approx(usual.at.position, abs=1e-12)


def test_without_disturbances_a_movement_is_its_path():
    one = expert()
    one.style = STYLE
    goals = [shifted(START, y=0.2), shifted(START, y=0.2, z=-0.1)]
    path = Path(one.at, goals, STYLE, RATE)
    moved = list(one.move(lambda: goals))
    assert len(moved) == path.steps
    for step, pose in enumerate(moved, start=1):
        assert pose.position.tolist() == path.pose(step).position.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_an_expert_jolted_at_every_chance_still_reaches_the_goal(seed):
    one = expert(Disturbance(probability=1.0), seed)
    goal = HandPose(np.array([0.5, 0.1, 0.05]), rotation_z(0.3) @ POINTING_DOWN, 1.0)
    steps = list(islice(one.move(lambda: [one.above(goal), goal]), 500))
    assert len(steps) < 500
    assert steps[-1].position == pytest.approx(goal.position, abs=1e-12)
    assert steps[-1].rotation == pytest.approx(goal.rotation, abs=1e-9)


def test_jolts_push_the_hand_off_its_path_upwards_and_never_more_often_than_allowed():
    calm, jolted = expert(), expert(Disturbance(probability=1.0, position=0.2, most=2))
    jolted.style = calm.style = STYLE
    goals = [shifted(START, y=0.3), shifted(START, y=0.3, z=-0.1)]
    off = list(jolted.move(lambda: goals))
    on = list(calm.move(lambda: goals))
    leaps = np.linalg.norm(np.diff([pose.position for pose in off], axis=0), axis=1) > 2 * 1.875 * STYLE.speed / RATE
    assert leaps.sum() == 2 * Disturbance.steps
    heights = np.array([pose.position[2] for pose in off])
    assert heights.max() > START.position[2] + 0.01
    assert off[1].position.tolist() != on[1].position.tolist()
    assert off[-1].position == pytest.approx(on[-1].position, abs=1e-12)


def test_the_last_submovement_is_never_jolted():
    one = expert(Disturbance(probability=1.0, position=1.0))
    one.style = STYLE
    assert np.ptp([pose.position[0] for pose in one.move(lambda: [shifted(START, y=0.3)])]) == 0.0


def test_a_route_is_worked_out_again_after_a_jolt():
    asked = []
    one = expert(Disturbance(probability=1.0, most=3))

    def route():
        asked.append(1)
        return [shifted(START, y=0.2), shifted(START, y=0.2, z=-0.1)]

    list(one.move(route))
    assert len(asked) == 4


@pytest.mark.parametrize("probability", [-0.1, 1.5, float("nan")])
def test_a_probability_outside_nought_and_one_is_refused(probability):
    with pytest.raises(GlamError, match="between 0 and 1"):
        Disturbance(probability=probability)
    with pytest.raises(GlamError, match=r"--misses .* between 0 and 1"):
        Disturbance(misses=probability)


def test_who_never_misses_draws_nothing_about_it():
    rng = np.random.default_rng(0)
    one = Expert(lambda: START, rng, STILL, RATE)
    before = rng.bit_generator.state
    assert one.next_missed_grasp() is None
    assert rng.bit_generator.state == before


def test_as_many_grasps_miss_as_are_asked_for():
    one = expert(Disturbance(misses=0.25))
    missed = [one.next_missed_grasp() is not None for _ in range(2000)]
    assert 0.22 < np.mean(missed) < 0.28


def test_settling_ends_when_the_hand_has_followed_and_is_never_endless():
    one = expert()
    assert list(one.settle()) == []
    lagging = Expert(lambda: shifted(START, x=0.01), np.random.default_rng(0), STILL, RATE)
    lagging.at = START
    assert len(list(lagging.settle())) == 10


def test_gripping_closes_evenly_and_then_waits():
    one = expert()
    openings = [pose.opening for pose in one.grip(0.0, steps=4, settle=2)]
    assert openings == pytest.approx([0.75, 0.5, 0.25, 0.0, 0.0, 0.0])


def test_an_approach_comes_from_above():
    one = expert()
    one.style = replace(STYLE, hover=0.1, approach=np.array([0.01, -0.01]))
    goal = HandPose(np.array([0.5, 0.1, 0.05]), POINTING_DOWN, 1.0)
    hover = one.above(goal)
    assert hover.position == pytest.approx([0.51, 0.09, 0.15])
    steps = list(one.approach(lambda: goal))
    assert steps[-1].position == pytest.approx(goal.position)
    low = [pose for pose in steps if pose.position[2] < 0.10]
    assert max(np.linalg.norm((pose.position - goal.position)[:2]) for pose in low) < 0.02


def test_raised_is_straight_up():
    x, y, z = START.position
    assert expert().raised(0.1).position == pytest.approx([x, y, z + 0.1])


def test_manners_vary_between_episodes():
    styles = [MotionStyle.draw(np.random.default_rng(seed)) for seed in range(20)]
    for field in ("speed", "turning", "overlap", "hover", "grasp_offset"):
        assert len({getattr(style, field) for style in styles}) == 20


def test_rotations_about_any_axis_are_interpolated():
    goal = HandPose(START.position, rotation_from_vector(np.array([0.4, -0.3, 0.2])) @ POINTING_DOWN, 1.0)
    path = Path(START, [goal], STYLE, RATE)
    for step in range(path.steps + 1):
        rotation = path.pose(step).rotation
        assert rotation @ rotation.T == pytest.approx(np.identity(3), abs=1e-9)
