import mujoco
import numpy as np
import pytest

from glam.sim.demonstrator import expert_actions
from glam.sim.embodiments import kinova, umi
from glam.sim.expert import Disturbance
from glam.sim.jaw import TIP_BEYOND_TOOL, CollisionBits, add_jaw, set_position_servo
from glam.sim.objects import CUBE_SIDE


@pytest.fixture(params=[kinova.ROBOTIQ_85, umi.JAW], ids=["kinova", "umi"])
def jaw(request):
    return request.param


@pytest.fixture
def model(jaw) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.option.gravity = [0, 0, 0]
    flange = spec.worldbody.add_body(name="flange")
    add_jaw(flange, spec, "arm", jaw, CollisionBits(contype=2, conaffinity=1))
    return spec.compile()


def run(model: mujoco.MjModel, command: float) -> mujoco.MjData:
    data = mujoco.MjData(model)
    data.ctrl[0] = command
    for _ in range(1000):
        mujoco.mj_step(model, data)
    return data


def gap(data: mujoco.MjData, jaw) -> float:
    """Distance between the faces of the pads."""
    left, right = (data.geom(f"arm_{side}_finger_pad").xpos[1] for side in ("left", "right"))
    return float(left - right - 2 * jaw.pad_half_size[1])


@pytest.mark.parametrize("opening", [0.0, 0.5, 1.0])
def test_the_gap_between_the_pads_is_the_opening_times_the_stroke(model, jaw, opening):
    data = run(model, opening * jaw.stroke / 2)
    assert gap(data, jaw) == pytest.approx(opening * jaw.stroke, abs=1e-3)


def test_both_fingers_move_alike(model, jaw):
    data = run(model, jaw.stroke / 4)
    assert data.joint("arm_left_finger").qpos[0] == pytest.approx(data.joint("arm_right_finger").qpos[0], abs=1e-4)


def test_an_open_hand_takes_a_cube_with_room_to_spare(jaw):
    assert jaw.stroke > CUBE_SIDE + 0.02


def test_the_tool_point_lies_between_the_pads_before_their_tips(model, jaw):
    data = run(model, 0.0)
    pad = data.geom("arm_left_finger_pad").xpos
    tip = pad[2] + jaw.pad_half_size[2]
    assert data.site("arm_tool").xpos == pytest.approx([0.0, 0.0, tip - TIP_BEYOND_TOOL])


def test_the_servo_pushes_no_harder_than_it_may(model, jaw):
    servo = model.actuator("arm_gripper")
    assert model.actuator_forcelimited[servo.id]
    assert model.actuator_forcerange[servo.id].tolist() == [-jaw.force, jaw.force]
    assert model.actuator_ctrlrange[servo.id].tolist() == [0.0, jaw.stroke / 2]


def test_a_position_servo_is_a_spring_to_its_target_with_damping():
    spec = mujoco.MjSpec()
    spec.option.gravity = [0, 0, 0]
    body = spec.worldbody.add_body(name="body")
    body.add_joint(name="slide", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[1, 0, 0])
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.1, 0, 0], mass=1.0)
    servo = spec.add_actuator(name="servo", target="slide", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    set_position_servo(servo, stiffness=100.0, damping=7.0, force=50.0)
    data = mujoco.MjData(spec.compile())
    for position, velocity, force in ((0.0, 0.0, 20.0), (0.1, 0.0, 10.0), (0.1, 2.0, -4.0), (-9.0, 0.0, 50.0)):
        data.qpos[0], data.qvel[0], data.ctrl[0] = position, velocity, 0.2
        mujoco.mj_forward(data.model, data)
        assert data.actuator_force[0] == pytest.approx(force)


@pytest.mark.parametrize("embodiment", ["kinova", "umi", "kinova-lab"])
def test_a_carried_cube_creeps_by_less_than_four_millimetres(world_of, embodiment):
    world = world_of("lift", embodiment)
    world.reset(1000)
    held = []
    for action in expert_actions(world, Disturbance(probability=0.0)):
        world.step(action)
        if world.is_held("cube") and world.position("cube")[2] > 0.04:
            hand = world.hand("arm")
            held.append(hand.rotation.T @ (world.position("cube") - hand.position))
    assert len(held) > 5
    assert np.linalg.norm(held[-1] - held[0]) < 0.004
