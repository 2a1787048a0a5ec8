import mujoco
import numpy as np
import pytest

from glam.data.tracks import points_of
from glam.sim.embodiments import find_embodiment
from glam.sim.fingertips import Fingertip, camera_of, seen_from
from glam.sim.tasks import find_task
from glam.sim.world import World

SIZE = (96, 128)
SCENE = """
<mujoco>
  <worldbody>
    <camera name="eye" pos="1.2 0.4 0.7" xyaxes="-0.316 0.949 0 -0.4 -0.13 0.9" fovy="35"/>
    <body name="left" pos="0.10 0.05 0.10"><geom type="sphere" size="0.006"/></body>
    <body name="right" pos="0.15 -0.10 0.05"><geom type="sphere" size="0.006"/></body>
    <body name="wall" mocap="true" pos="0 0 -5"><geom type="box" size="0.05 0.05 0.05"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def scene():
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def tips(model):
    return [Fingertip(model.body(name).id, np.zeros(3)) for name in ("left", "right")]


def centres(model, data):
    """Where MuJoCo's own renderer draws the two spheres, in units of the image."""
    renderer = mujoco.Renderer(model, *SIZE)
    renderer.enable_segmentation_rendering()
    renderer.update_scene(data, "eye")
    ids = renderer.render()[..., 0]
    renderer.close()
    places = [np.argwhere(ids == model.body(name).geomadr[0]).mean(0) + 0.5 for name in ("left", "right")]
    return np.array([[column / SIZE[1], row / SIZE[0]] for row, column in places])


def test_places_are_where_mujoco_draws_the_points(scene):
    model, data = scene
    places, seen = seen_from(model, data, [camera_of(model, data, 0, SIZE)], tips(model))
    assert seen.all()
    assert np.abs((places[0] - centres(model, data)) * [SIZE[1], SIZE[0]]).max() < 0.5


def test_a_point_behind_something_is_hidden_and_its_own_finger_hides_nothing(scene):
    model, data = scene
    camera = camera_of(model, data, 0, SIZE)
    data.mocap_pos[0] = 0.5 * (camera.position + data.xpos[model.body("left").id])
    mujoco.mj_forward(model, data)
    _, seen = seen_from(model, data, [camera], tips(model))
    assert seen[0].tolist() == [False, True]


@pytest.mark.parametrize("name", ["kinova", "umi", "kinova-lab"])
def test_fingertips_of_every_hand_lie_at_the_same_place_of_the_tool(name):
    world = World(find_task("lift"), find_embodiment(name), (16, 16))
    world.reset(3)
    hand, arm = world.hand("arm"), world.arms["arm"]
    left, right = (hand.rotation.T @ (tip.place(world.data) - hand.position) for tip in arm.fingertips)
    assert left[2] == pytest.approx(0.018, abs=1e-6)
    assert left[1] == pytest.approx(-right[1], abs=1e-3)
    assert left[1] > 0.04  # towards +y of the tool, open
    world.close()


def test_a_world_tells_two_points_for_each_camera_and_they_are_on_the_hand():
    world = World(find_task("lift"), find_embodiment("umi"), (96, 96))
    world.reset(1)
    places, seen = points_of(world.observe().ee_tracks[None])
    assert places.shape == (1, 4, 2)
    assert seen.any()
    assert np.ptp(places[0, :2], axis=0).max() * 96 > 5.0  # an open hand
    world.close()
