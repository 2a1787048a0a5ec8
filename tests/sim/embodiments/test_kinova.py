import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from glam.core.geometry import rotation_z
from glam.sim.embodiments.embodiment import POINTING_DOWN, HandPose
from glam.sim.embodiments.kinova import READY, ROBOTIQ_85, SPEED_LIMITS

Matrix = NDArray[np.float64]

HOME = np.deg2rad([0.0, 15.0, 180.0, 230.0, 0.0, 55.0, 90.0])  # the posture of Kinova's "home" button
RETRACT = np.deg2rad([0.0, -20.0, 180.0, -146.0, 0.0, 50.0, 90.0])

# Gen3 user guide, classical Denavit-Hartenberg parameters of the 7-DoF arm: alpha, d, theta offset (a is 0 everywhere).
DENAVIT_HARTENBERG = (
    (np.pi / 2, -(0.1564 + 0.1284), 0.0),
    (np.pi / 2, -(0.0054 + 0.0064), np.pi),
    (np.pi / 2, -(0.2104 + 0.2104), np.pi),
    (np.pi / 2, -(0.0064 + 0.0064), np.pi),
    (np.pi / 2, -(0.2084 + 0.1059), np.pi),
    (np.pi / 2, 0.0, np.pi),
    (np.pi, -(0.1059 + 0.0615), np.pi),
)

# Kinova's robot description: origin of each joint in the frame before it (m), and roll about x in quarter turns.
DESCRIPTION = (
    ((0.0, 0.0, 0.15643), 2),
    ((0.0, 0.005375, -0.12838), 1),
    ((0.0, -0.21038, -0.006375), -1),
    ((0.0, 0.006375, -0.21038), 1),
    ((0.0, -0.20843, -0.006375), -1),
    ((0.0, 0.00017505, -0.10593), 1),
    ((0.0, -0.10593, -0.00017505), -1),
)
INTERFACE = ((0.0, 0.0, -0.0615250), 2)


def about_x(angle: float) -> Matrix:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1.0]])


def about_z(angle: float) -> Matrix:
    matrix = np.identity(4)
    matrix[:3, :3] = rotation_z(angle)
    return matrix


def shifted(x: float, y: float, z: float) -> Matrix:
    matrix = np.identity(4)
    matrix[:3, 3] = x, y, z
    return matrix


def flange_by_denavit_hartenberg(q: Matrix) -> Matrix:
    pose = about_x(np.pi)
    for angle, (alpha, d, offset) in zip(q, DENAVIT_HARTENBERG, strict=True):
        pose = pose @ about_z(angle + offset) @ shifted(0.0, 0.0, d) @ about_x(alpha)
    return pose


def flange_by_description(q: Matrix) -> Matrix:
    pose = np.identity(4)
    for angle, (origin, quarters) in zip(q, DESCRIPTION, strict=True):
        pose = pose @ shifted(*origin) @ about_x(quarters * np.pi / 2) @ about_z(angle)
    origin, quarters = INTERFACE
    return pose @ shifted(*origin) @ about_x(quarters * np.pi / 2)


@pytest.fixture
def world(world_of):
    world = world_of("lift", "kinova")
    world.reset(0)
    return world


def flange(world, q: Matrix) -> tuple[Matrix, Matrix]:
    for number, angle in enumerate(q, start=1):
        world.data.joint(f"arm_joint_{number}").qpos = angle
    mujoco.mj_forward(world.model, world.data)
    return world.data.body("arm_flange").xpos, world.data.body("arm_flange").xmat.reshape(3, 3)


def postures() -> list[Matrix]:
    rng = np.random.default_rng(0)
    return [np.zeros(7), HOME, RETRACT, READY, *rng.uniform(-2.0, 2.0, (5, 7))]


@pytest.mark.parametrize("q", postures())
def test_the_flange_is_where_kinovas_robot_description_puts_it(world, q):
    position, rotation = flange(world, q)
    wanted = flange_by_description(q)
    assert position == pytest.approx(wanted[:3, 3], abs=1e-6)
    assert rotation == pytest.approx(wanted[:3, :3], abs=1e-9)


@pytest.mark.parametrize("q", postures())
def test_the_flange_is_where_the_user_guide_puts_it_to_its_printed_precision(world, q):
    position, rotation = flange(world, q)
    wanted = flange_by_denavit_hartenberg(q)
    assert position == pytest.approx(wanted[:3, 3], abs=1e-3)
    assert rotation == pytest.approx(wanted[:3, :3], abs=1e-9)


def test_the_tool_point_lies_between_the_pads_along_the_flanges_axis(world):
    position, rotation = flange(world, HOME)
    hand = world.hand("arm")
    assert hand.position == pytest.approx(position + rotation[:, 2] * ROBOTIQ_85.tool_offset, abs=1e-9)
    assert hand.rotation == pytest.approx(rotation, abs=1e-9)
    fingers = [world.data.geom(f"arm_{side}_finger_pad").xpos for side in ("left", "right")]
    across = (fingers[0] - fingers[1]) / np.linalg.norm(fingers[0] - fingers[1])
    assert across == pytest.approx(hand.rotation[:, 1], abs=1e-9)


def test_the_arm_weighs_what_the_data_sheet_says(world):
    names = [world.model.body(body).name for body in range(world.model.nbody)]
    parts = {name: float(world.model.body(name).mass[0]) for name in names if name.startswith("arm_")}
    hand = sum(parts.pop(name) for name in ("arm_flange", "arm_left_finger", "arm_right_finger"))
    assert sum(parts.values()) == pytest.approx(8.2, abs=0.02)  # kg, Gen3 7-DoF without gripper
    assert 0.5 < hand < 1.0  # a Robotiq 2F-85 weighs 0.9 kg


def test_joint_limits_are_those_of_the_data_sheet_or_a_little_tighter(world):
    published = {2: 128.9, 4: 147.8, 6: 120.3}  # degrees; the other joints turn freely
    for number in range(1, 8):
        joint = world.model.joint(f"arm_joint_{number}")
        assert bool(world.model.jnt_limited[joint.id]) == (number in published)
        if number in published:
            assert published[number] - 1.0 < np.rad2deg(joint.range[1]) <= published[number]
            assert joint.range[0] == -joint.range[1]


def test_servos_push_no_harder_than_their_actuators_can(world):
    for number in range(1, 8):
        low, high = world.model.actuator_forcerange[world.model.actuator(f"arm_joint_{number}").id]
        assert (low, high) == ((-105.0, 105.0) if number <= 4 else (-52.0, 52.0))
    assert world.model.actuator_forcelimited.all()


def test_actions_are_joint_targets_within_the_limits_and_a_gripper_command(world):
    arm = world.arms["arm"]
    assert arm.action_names == (*(f"arm_joint_{n}.pos" for n in range(1, 8)), "arm_gripper.pos")
    assert arm.state_names == arm.action_names
    wild = np.array([9.0, 9.0, -9.0, -9.0, 0.5, 9.0, 0.0, 2.0])
    controls = arm.controls(wild)
    assert controls[[1, 3, 5]] == pytest.approx([2.24, -2.57, 2.09])
    assert controls[4] == 0.5
    assert controls[7] == pytest.approx(ROBOTIQ_85.stroke / 2)


def test_an_action_towards_a_pose_puts_the_hand_there_within_a_millimetre(world):
    arm = world.arms["arm"]
    rng = np.random.default_rng(1)
    for _ in range(20):
        position = rng.uniform([0.34, -0.2, 0.03], [0.56, 0.2, 0.3])
        rotation = rotation_z(rng.uniform(-0.8, 0.8)) @ POINTING_DOWN
        action = np.append(READY, 1.0)
        for _ in range(20):
            action = arm.action_towards(HandPose(position, rotation, 0.5), action)
        world.data.qpos[[world.model.joint(f"arm_joint_{n}").qposadr[0] for n in range(1, 8)]] = action[:7]
        mujoco.mj_forward(world.model, world.data)
        hand = world.hand("arm")
        assert np.linalg.norm(hand.position - position) < 1e-3
        assert np.arccos(np.clip((np.trace(hand.rotation.T @ rotation) - 1) / 2, -1, 1)) < np.deg2rad(0.5)
        assert action[7] == 0.5


def test_the_same_pose_is_reached_with_the_same_joints_whatever_came_before(world):
    arm = world.arms["arm"]
    target = HandPose(np.array([0.45, 0.05, 0.1]), POINTING_DOWN, 1.0)
    ends = []
    for start in ([0.36, -0.15, 0.2], [0.54, 0.15, 0.05]):
        action = arm.put(world.data, HandPose(np.array(start), POINTING_DOWN, 1.0))
        for _ in range(20):
            action = arm.action_towards(target, action)
        ends.append(action)
    assert ends[0] == pytest.approx(ends[1], abs=0.02)


def test_no_command_asks_a_joint_to_turn_faster_than_it_can(world):
    arm = world.arms["arm"]
    action = arm.put(world.data, HandPose(np.array([0.36, -0.15, 0.05]), POINTING_DOWN, 1.0))
    far = HandPose(np.array([0.54, 0.15, 0.3]), rotation_z(1.0) @ POINTING_DOWN, 1.0)
    change = np.abs(arm.action_towards(far, action) - action)[:7]
    assert change.max() > 0.1
    assert (change * 10 <= SPEED_LIMITS + 1e-9).all()


def test_putting_the_arm_somewhere_takes_any_distance_at_once(world):
    target = HandPose(np.array([0.54, 0.15, 0.05]), rotation_z(0.5) @ POINTING_DOWN, 0.3)
    world.arms["arm"].put(world.data, target)
    mujoco.mj_forward(world.model, world.data)
    assert world.hand("arm").position == pytest.approx(target.position, abs=1e-3)
    assert world.hand("arm").opening == pytest.approx(0.3)


def test_the_arm_does_not_sag_under_its_weight(world):
    start = world.hand("arm").position
    for _ in range(20):
        world.step(world.last_action)
    assert np.linalg.norm(world.hand("arm").position - start) < 1e-4
    assert np.linalg.norm(world.data.qvel[world.model.joint("arm_joint_1").dofadr[0] :][:7]) < 1e-3


def test_the_state_is_the_joints_and_the_opening(world):
    state = world.state()
    assert state.shape == (8,)
    assert state == pytest.approx(world.last_action, abs=1e-3)
