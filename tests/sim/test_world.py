import mujoco
import numpy as np
import pytest

from glam.sim.demonstrator import expert_actions
from glam.sim.embodiments import EMBODIMENTS
from glam.sim.expert import Disturbance
from glam.sim.tasks import TASKS
from glam.sim.world import CONTROL_RATE, START_RANGE, EpisodeFailedError, World, start_pose

NO_JOLTS = Disturbance(probability=0.0)


@pytest.fixture
def world(world_of) -> World:
    world = world_of("lift", "umi")
    world.reset(3)
    return world


@pytest.mark.parametrize("task", TASKS)
def test_the_same_seed_places_objects_and_hands_alike_for_every_embodiment(world_of, task):
    places = []
    for embodiment in EMBODIMENTS:
        world = world_of(task, embodiment)
        world.reset(5)
        objects = [np.append(world.position(name), world.rotation(name)) for name in world.task.objects]
        hands = [np.append(world.hand(arm).position, world.hand(arm).rotation) for arm in world.arms]
        places.append((np.array(objects), np.array(hands)))
    for objects, hands in places[1:]:
        assert objects.tobytes() == places[0][0].tobytes()
        assert hands == pytest.approx(places[0][1], abs=1e-3)


def test_different_seeds_give_different_episodes(world):
    seen = set()
    for seed in range(10):
        world.reset(seed)
        seen.add(tuple(world.position("cube")))
    assert len(seen) == 10


def test_an_episode_does_not_depend_on_those_before_it(world_of):
    world = world_of("stack-two", "kinova-lab")
    world.reset(1)
    first = world.observe()
    for action in expert_actions(world, Disturbance()):
        world.step(action)
    world.reset(2)
    world.reset(1)
    again = world.observe()
    assert all(a.tobytes() == b.tobytes() for a, b in zip(first, again, strict=True))


def test_a_control_step_is_a_tenth_of_a_second_of_even_movement_of_the_targets(world):
    action = world.last_action.copy()
    action[0] += 0.05
    before, started = world.data.ctrl.copy(), world.data.time
    targets = []
    real_step = mujoco.mj_step

    def noting(model, data):
        targets.append(data.ctrl[0])
        real_step(model, data)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mujoco, "mj_step", noting)
        world.step(action)
    assert world.data.time - started == pytest.approx(1 / CONTROL_RATE)
    assert np.diff([before[0], *targets]) == pytest.approx(0.05 / 25)
    assert targets[-1] == pytest.approx(action[0])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_non_finite_action_fails_loudly_and_moves_nothing(world, bad):
    action = world.last_action.copy()
    action[2] = bad
    before = world.data.qpos.copy()
    with pytest.raises(EpisodeFailedError, match="finite"):
        world.step(action)
    assert (world.data.qpos == before).all()


def test_an_action_of_the_wrong_length_fails_loudly(world):
    with pytest.raises(EpisodeFailedError, match="must be 7 finite numbers"):
        world.step(np.zeros(8))


@pytest.mark.parametrize("value", [1e12, np.nan])
def test_physics_that_blows_up_fails_loudly_and_a_reset_mends_it(world, value):
    world.data.qvel[0] = value
    with pytest.raises(EpisodeFailedError, match="mjWARN_BADQVEL"):
        world.step(world.last_action)
    with pytest.raises(EpisodeFailedError):
        world.step(world.last_action)
    world.reset(3)
    world.step(world.last_action)


def test_a_warning_goes_to_the_log_and_not_into_a_file_in_the_working_folder(world, tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    world.data.qvel[0] = 1e12
    with pytest.raises(EpisodeFailedError):
        world.step(world.last_action)
    assert "huge value in QVEL" in caplog.text
    assert list(tmp_path.iterdir()) == []


def test_a_broken_episode_is_no_success_however_well_it_went_before(world, monkeypatch):
    monkeypatch.setattr(type(world.task), "is_done", lambda self, world: True)
    for _ in range(world.task.hold_steps):
        world.step(world.last_action)
    assert world.is_success
    with pytest.raises(EpisodeFailedError):
        world.step(np.full(7, np.nan))
    assert not world.is_success


@pytest.mark.parametrize("task", TASKS)
def test_success_comes_after_the_goal_has_held_for_its_time_and_goes_with_it(world_of, task, monkeypatch):
    world = world_of(task, "umi")
    world.reset(0)
    holds = [True]
    monkeypatch.setattr(type(world.task), "is_done", lambda self, world: holds[0])
    for _ in range(world.task.hold_steps - 1):
        world.step(world.last_action)
        assert not world.is_success
    world.step(world.last_action)
    assert world.is_success
    holds[0] = False
    world.step(world.last_action)
    assert not world.is_success
    holds[0] = True
    world.step(world.last_action)
    assert not world.is_success


def test_contact_is_between_the_two_that_were_asked_about(diorama):
    scene = diorama("stack-two")
    world = scene.world
    scene.put("blue", (0.45, 0.0, 0.025))
    scene.put("red", (0.45, 0.0, 0.0749))
    assert world.touches("red", "blue")
    assert world.touches("blue", "red")
    assert not world.touches("arm", "red")
    scene.grip("arm", "red")
    assert world.touches("arm", "red")
    assert world.is_held("red")
    assert not world.is_held("blue")


@pytest.mark.parametrize(
    ("linear", "angular", "is_still"), [(0.019, 0.29, True), (0.021, 0.0, False), (0.0, 0.31, False)]
)
def test_still_means_slower_than_two_centimetres_and_a_third_of_a_radian_a_second(world, linear, angular, is_still):
    start = world.model.joint("cube_free").dofadr[0]
    world.data.qvel[start : start + 6] = [0.0, linear, 0.0, angular, 0.0, 0.0]
    assert world.is_still("cube") == is_still


def test_the_recorded_pose_is_that_of_the_hand_and_the_opening(world):
    hand = world.hand("arm")
    assert world.ee_pose().shape == (10,)
    assert world.ee_pose().dtype == np.float32
    assert world.ee_pose() == pytest.approx(hand.code(world.arms["arm"].stroke), abs=1e-6)


def test_two_arms_have_poses_states_and_actions_one_after_the_other(world_of):
    world = world_of("stack-three", "kinova")
    world.reset(0)
    assert world.ee_pose().shape == (20,)
    assert world.state().shape == (16,)
    assert world.last_action.shape == (16,)
    assert world.ee_pose()[1] == pytest.approx(world.hand("left").position[1], abs=1e-6)
    assert world.ee_pose()[11] == pytest.approx(world.hand("right").position[1], abs=1e-6)
    moved = world.last_action.copy()
    moved[8] += 0.1
    left = world.state()[:8]
    for _ in range(5):
        world.step(moved)
    assert world.state()[:8] == pytest.approx(left, abs=1e-3)
    assert world.state()[8] == pytest.approx(moved[8], abs=0.01)


def test_masks_mark_the_objects_and_images_are_the_same_with_and_without_them(world_of):
    world = world_of("pick-place", "umi", 64)
    world.reset(0)
    frame = world.observe()
    assert frame.images.shape == (2, 64, 64, 3)
    assert frame.masks.shape == (2, 64, 64, 3)
    assert set(np.unique(frame.masks)) == {0, 255}
    assert world.images().tobytes() == frame.images.tobytes()
    red = frame.images[frame.masks[..., 0] == 255].mean(axis=0)
    assert red[0] > 2 * red[1]


def test_hands_start_near_their_usual_place_open_and_pointing_down():
    rng = np.random.default_rng(0)
    poses = [start_pose(np.array([0.4, 0.0, 0.25]), rng) for _ in range(100)]
    offsets = np.abs([pose.position - [0.4, 0.0, 0.25] for pose in poses])
    assert (offsets.max(axis=0) <= START_RANGE).all()
    assert (offsets.max(axis=0) > 0.8 * START_RANGE).all()
    assert all(pose.rotation[2, 2] == -1.0 and pose.opening == 1.0 for pose in poses)
