from itertools import combinations, product

import mujoco
import numpy as np
import pytest

from glam.core.geometry import looking_at
from glam.sim.embodiments import EMBODIMENTS
from glam.sim.scene import TIMESTEP, build_model, mounts_of
from glam.sim.tasks import TASKS


@pytest.mark.parametrize("task", TASKS)
def test_cameras_stand_where_the_task_says_and_look_at_its_target(task):
    model = build_model(TASKS[task], EMBODIMENTS["umi"])
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for camera in TASKS[task].cameras:
        found = data.camera(camera.name)
        wanted = looking_at(np.array(camera.position), np.array(camera.target))
        assert found.xpos == pytest.approx(camera.position)
        assert found.xmat.reshape(3, 3) == pytest.approx(wanted)
        assert model.camera(camera.name).fovy[0] == camera.fovy


def test_the_physics_is_what_was_measured_to_work():
    option = build_model(TASKS["lift"], EMBODIMENTS["umi"]).opt
    assert option.timestep == TIMESTEP == 0.004
    assert option.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    assert option.cone == mujoco.mjtCone.mjCONE_ELLIPTIC
    assert option.impratio == 10.0


def collides(model: mujoco.MjModel, one: str, other: str) -> bool:
    a, b = model.geom(one), model.geom(other)
    return bool((a.contype[0] & b.conaffinity[0]) | (b.contype[0] & a.conaffinity[0]))


@pytest.mark.parametrize("embodiment", EMBODIMENTS)
def test_hands_meet_objects_the_table_and_each_other_but_never_themselves(embodiment):
    model = build_model(TASKS["stack-three"], EMBODIMENTS[embodiment])
    names = [model.geom(number).name for number in range(model.ngeom)]
    hands = {arm: [name for name in names if name.startswith(f"{arm}_")] for arm in ("left", "right")}
    assert all(hands.values())
    for hand in hands.values():
        pads = [name for name in hand if name.endswith("_pad")]
        assert len(pads) == 2
        assert all(collides(model, pad, other) for pad in pads for other in ("red", "green", "blue", "table"))
        assert not any(collides(model, *pair) for pair in combinations(hand, 2))
    assert all(collides(model, *pair) for pair in product(*hands.values()))
    assert not collides(model, "floor", "red")


def test_two_arms_stand_side_by_side():
    left, right = (mount.position for mount in mounts_of(EMBODIMENTS["kinova"], ("left", "right")))
    assert left[0] == right[0]
    assert left[1] == -right[1] > 0.2


@pytest.mark.parametrize("embodiment", EMBODIMENTS)
def test_nothing_casts_a_shadow_and_there_is_no_headlight(embodiment):
    model = build_model(TASKS["stack-three"], EMBODIMENTS[embodiment])
    assert not model.light_castshadow.any()
    assert not model.vis.headlight.active
    assert (model.light_type == mujoco.mjtLightType.mjLIGHT_DIRECTIONAL).all()


@pytest.mark.parametrize("task", TASKS)
def test_objects_of_the_laboratory_are_changed_by_its_factors_alone(task):
    usual, lab = (build_model(TASKS[task], EMBODIMENTS[name]) for name in ("kinova", "kinova-lab"))
    physics = EMBODIMENTS["kinova-lab"].physics
    for name in TASKS[task].objects:
        assert lab.body(name).mass[0] == pytest.approx(physics.object_mass * usual.body(name).mass[0])
        geom = usual.body(name).geomadr[0]
        factor = 1.0 if name == "bottle" else physics.object_friction  # whether it tips depends on its friction
        assert lab.geom_friction[geom] == pytest.approx(factor * usual.geom_friction[geom])
    assert lab.geom("table").friction.tolist() == usual.geom("table").friction.tolist()
