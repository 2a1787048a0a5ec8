import mujoco
import numpy as np
import pytest

from glam.sim.embodiments.kinova import ROBOTIQ_85
from glam.sim.embodiments.umi import JAW as UMI_JAW
from glam.sim.objects import (
    BOTTLE_FRICTION,
    BOTTLE_HALF_SIZE,
    BOTTLE_MASS,
    BOWL_HEIGHT,
    BOWL_RADIUS,
    CUBE_MASS,
    CUBE_SIDE,
    RED,
    add_bottle,
    add_bowl,
    add_cube,
)
from glam.sim.tasks.knock_down import PUSH_HEIGHT

ADD = {"cube": lambda spec: add_cube(spec, "cube", RED), "bowl": lambda spec: add_bowl(spec, "bowl", RED)}
ADD["bottle"] = lambda spec: add_bottle(spec, "bottle")


def on_a_table(name: str, height: float) -> mujoco.MjData:
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10.0
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1])
    ADD[name](spec)
    data = mujoco.MjData(spec.compile())
    data.qpos[2] = height
    mujoco.mj_forward(data.model, data)
    return data


def run(data: mujoco.MjData, seconds: float) -> None:
    for _ in range(round(seconds / data.model.opt.timestep)):
        mujoco.mj_step(data.model, data)


@pytest.mark.parametrize(
    ("name", "height", "mass"),
    [("cube", CUBE_SIDE / 2, CUBE_MASS), ("bottle", BOTTLE_HALF_SIZE[2], BOTTLE_MASS), ("bowl", 0.0, 0.39)],
)
def test_an_object_is_one_free_body_that_rests_where_it_stands(name, height, mass):
    data = on_a_table(name, height)
    assert data.model.body(name).mass[0] == pytest.approx(mass)
    assert data.model.nv == 6
    run(data, 1.0)
    assert data.body(name).xpos == pytest.approx([0.0, 0.0, height], abs=2e-3)
    assert np.abs(data.qvel).max() < 1e-2
    assert not any(warning.number for warning in data.warning)


def test_the_bowl_is_open_on_top_and_as_wide_and_high_as_it_says():
    data = on_a_table("bowl", 0.0)
    tops = []
    for wall in range(12):
        geom = data.geom(f"bowl_wall_{wall}")
        rotation = geom.xmat.reshape(3, 3)
        tops.append(geom.xpos + rotation @ [0.0, 0.0, data.model.geom(f"bowl_wall_{wall}").size[2]])
    assert np.linalg.norm(np.array(tops)[:, :2], axis=1) == pytest.approx(BOWL_RADIUS, abs=2e-3)
    assert np.array(tops)[:, 2] == pytest.approx(BOWL_HEIGHT, abs=3e-3)
    hit = np.array([-1], np.int32)
    above = np.array([0.0, 0.0, 0.2])
    distance = mujoco.mj_ray(data.model, data, above, np.array([0.0, 0.0, -1.0]), None, 1, -1, hit)
    assert data.model.geom(hit[0]).name == "bowl_floor"
    assert 0.2 - distance < 0.01


TOP_OF_PADS = PUSH_HEIGHT + 0.04


def pushed(axis: int, force: float, height: float) -> float:
    """Tilt of a bottle pushed steadily at a height for half a second, in degrees."""
    data = on_a_table("bottle", BOTTLE_HALF_SIZE[2])
    run(data, 0.2)
    for _ in range(round(0.5 / data.model.opt.timestep)):
        point = data.body("bottle").xpos + data.body("bottle").xmat.reshape(3, 3) @ [0, 0, height - BOTTLE_HALF_SIZE[2]]
        data.qfrc_applied[:] = 0.0
        body = data.body("bottle").id
        mujoco.mj_applyFT(data.model, data, force * np.identity(3)[axis], np.zeros(3), point, body, data.qfrc_applied)
        mujoco.mj_step(data.model, data)
    return float(np.rad2deg(np.arccos(data.body("bottle").xmat[8])))


def test_a_steady_push_tips_the_bottle_across_its_thin_side_and_slides_it_along_the_wide_one():
    just_enough = 1.05 * BOTTLE_FRICTION * BOTTLE_MASS * 9.81
    assert pushed(0, just_enough, TOP_OF_PADS) > 10.0
    assert pushed(1, just_enough, TOP_OF_PADS) < 1.0


def test_a_push_with_the_pads_tips_the_bottle_up_to_14_degrees_off_its_thin_side_and_never_across_the_wide_one():
    thin, wide, tall = BOTTLE_HALF_SIZE
    assert PUSH_HEIGHT < thin / BOTTLE_FRICTION < TOP_OF_PADS < 2 * tall < wide / BOTTLE_FRICTION
    assert np.rad2deg(np.arccos(thin / BOTTLE_FRICTION / TOP_OF_PADS)) == pytest.approx(13.9, abs=0.1)


def test_the_pads_of_both_hands_touch_the_bottle_at_the_same_heights():
    assert ROBOTIQ_85.pad_half_size[2] == UMI_JAW.pad_half_size[2]
    assert 2 * ROBOTIQ_85.pad_half_size[2] == pytest.approx(TOP_OF_PADS - PUSH_HEIGHT)
