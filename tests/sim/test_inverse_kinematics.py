import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.core.geometry import rotation_from_vector, rotation_z
from glam.sim.inverse_kinematics import InverseKinematics, SolverConfig

Array = NDArray[np.float64]
Pose = tuple[Array, Array]

# A 7-DoF chain of the proportions of a Kinova Gen3: offset from the last joint, quarter turns about x, limit.
LINKS = (
    ((0.0, 0.0, 0.156), 2, np.inf),
    ((0.0, 0.005, -0.128), 1, 2.24),
    ((0.0, -0.210, -0.006), -1, np.inf),
    ((0.0, 0.006, -0.210), 1, 2.57),
    ((0.0, -0.208, -0.006), -1, np.inf),
    ((0.0, 0.0, -0.106), 1, 2.09),
    ((0.0, -0.106, 0.0), -1, np.inf),
)
LIMITS = np.array([limit for _, _, limit in LINKS])
JOINTS = [f"joint_{i}" for i in range(7)]
POSTURE = np.array([0.0, 0.46, np.pi, -1.69, 0.0, -0.98, np.pi / 2])  # tool half a metre ahead, pointing down
DOWN = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
MILLIMETRE, HALF_DEGREE = 1e-3, np.radians(0.5)


def quarter_turns(n: int) -> list[float]:
    return [float(np.cos(n * np.pi / 4)), float(np.sin(n * np.pi / 4)), 0.0, 0.0]


@pytest.fixture(scope="module")
def model() -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    cube = spec.worldbody.add_body(name="cube", pos=[0.5, 0.0, 0.02])
    cube.add_freejoint()
    cube.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.02, 0.02, 0.02])
    body = spec.worldbody
    for joint, (position, turns, limit) in zip(JOINTS, LINKS, strict=True):
        body = body.add_body(pos=position, quat=quarter_turns(turns))
        is_limited = bool(np.isfinite(limit))
        body.add_joint(name=joint, axis=[0, 0, 1], limited=is_limited, range=[-limit, limit] if is_limited else [0, 0])
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.04, 0, 0], mass=1.0)
    body.add_site(name="tool", pos=[0.0, 0.0, -0.2], quat=quarter_turns(2))
    return spec.compile()


@pytest.fixture(scope="module")
def arm(model: mujoco.MjModel) -> InverseKinematics:
    return InverseKinematics(model, "tool", JOINTS, POSTURE)


def tool_pose(model: mujoco.MjModel, q: Array) -> Pose:
    """Forward kinematics by MuJoCo's whole pipeline, independent of the solver."""
    data = mujoco.MjData(model)
    for joint, angle in zip(JOINTS, q, strict=True):
        data.joint(joint).qpos[0] = angle
    mujoco.mj_forward(model, data)
    return data.site("tool").xpos.copy(), data.site("tool").xmat.reshape(3, 3).copy()


def random_angles(rng: np.random.Generator) -> Array:
    return rng.uniform(-np.minimum(LIMITS, np.pi), np.minimum(LIMITS, np.pi))


def random_grasp(rng: np.random.Generator) -> tuple[Array, float]:
    return rng.uniform([0.3, -0.3, 0.03], [0.62, 0.3, 0.33]), float(rng.uniform(-1.2, 1.2))


def path_between(start: tuple[Array, float], end: tuple[Array, float], steps: int) -> list[Pose]:
    fractions = np.linspace(0.0, 1.0, steps + 1)[1:]
    return [
        (start[0] + (end[0] - start[0]) * f, rotation_z(start[1] + (end[1] - start[1]) * f) @ DOWN) for f in fractions
    ]


def is_reached(arm: InverseKinematics, q: Array, pose: Pose) -> bool:
    distance, angle = arm.error(q, *pose)
    return distance < MILLIMETRE and angle < HALF_DEGREE


def test_every_one_of_100_random_reachable_poses_is_found(model: mujoco.MjModel, arm: InverseKinematics) -> None:
    rng = np.random.default_rng(1)
    poses = [tool_pose(model, random_angles(rng)) for _ in range(100)]
    assert sum(is_reached(arm, arm.search(*pose), pose) for pose in poses) == 100


def test_error_is_the_distance_and_angle_that_mujoco_sees(model: mujoco.MjModel, arm: InverseKinematics) -> None:
    q = random_angles(np.random.default_rng(2))
    position, rotation = tool_pose(model, q)
    turned = rotation_from_vector(np.array([0.0, 0.3, 0.0])) @ rotation
    distance, angle = arm.error(q, position + np.array([0.03, 0.0, 0.04]), turned)
    assert distance == pytest.approx(0.05)
    assert angle == pytest.approx(0.3)


def test_limits_hold_where_the_unlimited_solution_breaks_them(model: mujoco.MjModel, arm: InverseKinematics) -> None:
    rng = np.random.default_rng(3)
    touching = 0
    for _ in range(60):
        beyond = random_angles(rng)
        beyond[[1, 3, 5]] = rng.choice([-1.0, 1.0], 3) * (LIMITS[[1, 3, 5]] + 0.3)
        q = arm.solve(*tool_pose(model, beyond), start=POSTURE)
        assert (np.abs(q) <= LIMITS).all()
        touching += bool((np.abs(q) == LIMITS).any())
    assert touching > 5, "no pose drove a joint into its limit: the test shows nothing"


def test_a_start_beyond_the_limits_is_brought_back(arm: InverseKinematics) -> None:
    pose = (np.array([0.45, 0.0, 0.2]), DOWN)
    start = POSTURE + np.array([0.0, 9.0, 0.0, -9.0, 0.0, 9.0, 0.0])
    assert (np.abs(arm.solve(*pose, start)) <= LIMITS).all()


def test_joints_without_limits_pass_half_a_turn_without_a_jump(arm: InverseKinematics) -> None:
    position, q = np.array([0.45, 0.0, 0.2]), POSTURE
    angles = np.linspace(0.0, 2.5, 40)
    for angle in angles:
        pose = (position, rotation_z(angle) @ DOWN)
        q_next = arm.solve(*pose, q)
        assert np.abs(q_next - q).max() < 0.15
        assert is_reached(arm, q_next, pose)
        q = q_next
    assert q[6] > np.pi


def test_a_10_hz_path_is_followed_closely_and_without_jumps(arm: InverseKinematics) -> None:
    rng = np.random.default_rng(4)
    here = (np.array([0.45, 0.0, 0.2]), 0.0)
    q = arm.search(here[0], DOWN)
    for _ in range(10):
        there = random_grasp(rng)
        steps = 3 + int(np.linalg.norm(there[0] - here[0]) / 0.022) + int(abs(there[1] - here[1]) / 0.1)
        for pose in path_between(here, there, steps):
            q_next = arm.solve(*pose, q)
            assert is_reached(arm, q_next, pose)
            assert np.abs(q_next - q).max() < 0.35
            q = q_next
        here = there


def test_the_same_pose_gives_the_same_angles_whatever_the_path(arm: InverseKinematics) -> None:
    rng = np.random.default_rng(5)
    for _ in range(15):
        goal = random_grasp(rng)
        ends = [arm.search(goal[0], rotation_z(goal[1]) @ DOWN)]
        for start in (random_grasp(rng), random_grasp(rng)):
            q = arm.search(start[0], rotation_z(start[1]) @ DOWN)
            for pose in path_between(start, goal, 20):
                q = arm.solve(*pose, q)
            ends.append(q)
        assert np.ptp(ends, axis=0).max() < 0.02


def test_the_elbow_returns_to_the_posture(model: mujoco.MjModel, arm: InverseKinematics) -> None:
    pose = tool_pose(model, POSTURE)
    swung = arm.solve(*pose, POSTURE + np.array([0.5, 0.2, -0.7, 0.0, 0.6, 0.1, -0.2]))
    assert is_reached(arm, swung, pose)
    assert np.abs(swung - POSTURE).max() < 0.01


def test_equal_calls_give_equal_bits_whatever_was_solved_before(arm: InverseKinematics) -> None:
    pose = (np.array([0.5, 0.1, 0.15]), rotation_z(0.4) @ DOWN)
    first = arm.solve(*pose, POSTURE)
    arm.search(np.array([0.3, -0.2, 0.3]), DOWN)
    assert arm.solve(*pose, POSTURE).tobytes() == first.tobytes()


def test_arguments_are_left_alone(arm: InverseKinematics) -> None:
    position, rotation, start = np.array([0.5, 0.1, 0.15]), DOWN.copy(), POSTURE.copy()
    q = arm.solve(position, rotation, start)
    assert (position == [0.5, 0.1, 0.15]).all()
    assert (rotation == DOWN).all()
    assert (start == POSTURE).all()
    assert not np.shares_memory(q, start)


def test_out_of_reach_the_arm_stretches_towards_the_pose(arm: InverseKinematics) -> None:
    far = np.array([2.0, 0.0, 0.3])
    distance, _ = arm.error(arm.solve(far, DOWN, POSTURE), far, DOWN)
    assert distance < arm.error(POSTURE, far, DOWN)[0] - 0.2


def test_one_call_moves_no_joint_further_than_the_maximal_step(model: mujoco.MjModel) -> None:
    slow = InverseKinematics(model, "tool", JOINTS, POSTURE, SolverConfig(max_step=0.1))
    pose = (np.array([0.5, 0.25, 0.1]), rotation_z(0.8) @ DOWN)
    q = slow.solve(*pose, POSTURE)
    assert np.abs(q - POSTURE).max() == pytest.approx(0.1)
    for _ in range(30):
        q = slow.solve(*pose, q)
    assert is_reached(slow, q, pose)


def test_an_unknown_site_is_refused_with_the_known_ones(model: mujoco.MjModel) -> None:
    with pytest.raises(GlamError, match="no site 'hand'; choose one of tool"):
        InverseKinematics(model, "hand", JOINTS, POSTURE)


def test_a_pose_that_is_not_a_number_is_refused(arm: InverseKinematics) -> None:
    with pytest.raises(ValueError, match="non-finite"):
        arm.solve(np.array([np.nan, 0.0, 0.3]), DOWN, POSTURE)
