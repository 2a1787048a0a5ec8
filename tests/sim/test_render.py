import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.core.geometry import looking_at, quaternion_from_rotation
from glam.sim.render import Renderer, Views, cheap_visuals

Pixels = NDArray[np.uint8]

CAMERAS = {"above": np.array([0.2, 0.1, 1.3]), "front": np.array([1.1, 0.3, 0.5])}
SIZE = (48, 64)  # not square: a swapped height and width would show
SHAPES = (mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_CYLINDER)
FLAGS = mujoco.mjtRndFlag


def scene_spec(seed: int = 0, bodies: int = 8) -> mujoco.MjSpec:
    """A table, a light, free bodies `body_0`, `body_1` ... that hide one another, and a hidden collision geom."""
    rng = np.random.default_rng(seed)
    spec = mujoco.MjSpec()
    cheap_visuals(spec)
    world = spec.worldbody
    world.add_light(type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, dir=[0.3, 0.2, -1.0])
    world.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1], rgba=[0.6, 0.5, 0.4, 1])
    world.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[9, 9, 0.01], pos=[0, 0, 0.4], group=3)
    world.add_site(name="marker", size=[0.3, 0.3, 0.3], rgba=[1, 0, 1, 1])
    for i in range(bodies):
        body = world.add_body(name=f"body_{i}", pos=rng.uniform([-0.25, -0.25, 0.05], [0.25, 0.25, 0.3]))
        body.add_freejoint()
        body.quat = rng.normal(size=4)
        body.add_geom(type=SHAPES[i % 3], size=rng.uniform(0.04, 0.1, 3), rgba=[*rng.uniform(size=3), 1.0])
        child = body.add_body(pos=[0.0, 0.0, 0.1])
        child.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.05, 0, 0], rgba=[*rng.uniform(size=3), 1.0])
    for name, position in CAMERAS.items():
        orientation = quaternion_from_rotation(looking_at(position, np.array([0.0, 0.0, 0.1])))
        world.add_camera(name=name, pos=position, quat=orientation, fovy=40)
    return spec


def at_rest(model: mujoco.MjModel) -> mujoco.MjData:
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return data


def body_ids(model: mujoco.MjModel, *numbers: int) -> list[list[int]]:
    return [[model.body(f"body_{number}").id] for number in numbers]


def reference(model: mujoco.MjModel, data: mujoco.MjData, camera: str, size: tuple[int, int]) -> tuple[Pixels, Pixels]:
    """RGB and geom ids (-1: none) by MuJoCo's own renderer without shadow, reflection, sky, haze and sites."""
    option = mujoco.MjvOption()
    option.sitegroup[:] = 0
    with mujoco.Renderer(model, *size) as shipped:
        for flag in (FLAGS.mjRND_SHADOW, FLAGS.mjRND_REFLECTION, FLAGS.mjRND_SKYBOX, FLAGS.mjRND_HAZE):
            shipped.scene.flags[flag] = False
        shipped.update_scene(data, camera, option)
        image = shipped.render()
        shipped.enable_segmentation_rendering()
        return image, shipped.render()[..., 0]


def reference_masks(model: mujoco.MjModel, ids: Pixels, objects: list[list[int]]) -> Pixels:
    """Masks from geom ids, through the root of each geom's body: here every object is a whole kinematic tree."""
    root = np.append(model.body_rootid[model.geom_bodyid], -1)[ids]
    return np.stack([np.isin(root, bodies) for bodies in objects], axis=-1).astype(np.uint8) * 255


def same(one: Views, other: Views) -> bool:
    return one.images.tobytes() == other.images.tobytes() and one.masks.tobytes() == other.masks.tobytes()


@pytest.fixture(scope="module")
def model() -> mujoco.MjModel:
    return scene_spec().compile()


@pytest.fixture(scope="module")
def data(model: mujoco.MjModel) -> mujoco.MjData:
    return at_rest(model)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [(48, 64), (96, 96)])
def test_images_and_masks_equal_those_of_mujocos_renderer_in_every_pixel(seed: int, size: tuple[int, int]) -> None:
    model = scene_spec(seed).compile()
    data = at_rest(model)
    objects = body_ids(model, 0, 3, 5)
    with Renderer(model, list(CAMERAS), size, objects) as renderer:
        views = renderer.render(data)
    assert views.images.shape == (2, *size, 3)
    assert views.masks.shape == (2, *size, 3)
    for view, camera in enumerate(CAMERAS):
        image, ids = reference(model, data, camera, size)
        assert np.array_equal(views.images[view], image)
        assert np.array_equal(views.masks[view], reference_masks(model, ids, objects))
    assert views.masks.any(axis=(0, 1, 2)).all(), "an object is in no view: the test shows nothing"
    assert len(np.unique(views.images.reshape(-1, 3), axis=0)) > 50


def test_views_follow_the_order_of_the_cameras(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    with Renderer(model, ["above", "front"], SIZE, []) as renderer:
        forward = renderer.images_only(data)
    with Renderer(model, ["front", "above"], SIZE, []) as renderer:
        assert np.array_equal(renderer.images_only(data), forward[::-1])


def test_an_object_behind_another_has_only_its_visible_pixels() -> None:
    spec = scene_spec(bodies=0)
    for name, x in (("near", 0.3), ("far", -0.1)):
        body = spec.worldbody.add_body(name=name, pos=[x, 0.3 * x, 0.15])
        body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.05, 0.08, 0.08], rgba=[1, 0, 0, 1])
    model = spec.compile()
    data = at_rest(model)
    near, far = [model.body("near").id], [model.body("far").id]
    with Renderer(model, ["front"], SIZE, [far, near]) as renderer:
        together = renderer.render(data).masks[0]
        data.joint("near").qpos[0] = 5.0  # out of view
        mujoco.mj_forward(model, data)
        alone = renderer.render(data).masks[0]
    assert not (together[..., 0] & together[..., 1]).any()
    assert 0 < together[..., 0].sum() < alone[..., 0].sum()
    assert not alone[..., 1].any()
    hidden = (alone[..., 0] > 0) & (together[..., 0] == 0)
    assert (together[..., 1][hidden] == 255).all()


def test_a_mask_holds_zero_or_255_and_no_pixel_twice(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    with Renderer(model, list(CAMERAS), SIZE, body_ids(model, 0, 1, 2, 3)) as renderer:
        masks = renderer.render(data).masks
    assert set(np.unique(masks)) == {0, 255}
    assert ((masks == 255).sum(axis=-1) <= 1).all()


def test_images_only_gives_the_images_of_render(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    with Renderer(model, list(CAMERAS), SIZE, body_ids(model, 0)) as renderer:
        before = renderer.images_only(data)
        views = renderer.render(data)
        after = renderer.images_only(data)
    assert np.array_equal(before, views.images)
    assert np.array_equal(after, views.images)


def test_collision_geoms_and_sites_are_not_drawn(data: mujoco.MjData, model: mujoco.MjModel) -> None:
    spec = scene_spec()
    spec.delete(spec.site("marker"))
    for geom in [geom for geom in spec.geoms if geom.group == 3]:
        spec.delete(geom)
    bare = spec.compile()
    with Renderer(model, list(CAMERAS), SIZE, []) as full, Renderer(bare, list(CAMERAS), SIZE, []) as clean:
        assert np.array_equal(full.images_only(data), clean.images_only(at_rest(bare)))


def test_masks_stay_right_when_a_geom_turns_transparent(data: mujoco.MjData) -> None:
    model = scene_spec().compile()
    data = at_rest(model)
    objects = body_ids(model, 1, 4)
    with Renderer(model, list(CAMERAS), SIZE, objects) as renderer:
        renderer.render(data)
        model.geom_rgba[model.body("body_0").geomadr[0], 3] = 0.0  # no longer drawn: every later id moves by one
        views = renderer.render(data)
    for view, camera in enumerate(CAMERAS):
        _, ids = reference(model, data, camera, SIZE)
        assert np.array_equal(views.masks[view], reference_masks(model, ids, objects))


def test_more_than_255_geoms_keep_their_ids() -> None:
    spec = scene_spec(bodies=3)
    for i in range(300):
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.003, 0, 0], pos=[0.001 * i, 0.2, 0.01])
    last = spec.worldbody.add_body(name="body_last", pos=[0, 0, 0.4])
    last.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.1, 0, 0])
    model = spec.compile()
    data = at_rest(model)
    objects = [[model.body("body_last").id], *body_ids(model, 0)]
    with Renderer(model, ["above"], SIZE, objects) as renderer:
        masks = renderer.render(data).masks[0]
    _, ids = reference(model, data, "above", SIZE)
    assert masks[..., 0].any()
    assert np.array_equal(masks, reference_masks(model, ids, objects))


def test_equal_states_give_equal_bytes_and_results_are_not_overwritten(model: mujoco.MjModel) -> None:
    data = at_rest(model)
    with Renderer(model, list(CAMERAS), SIZE, body_ids(model, 0, 3)) as renderer:
        first = renderer.render(data)
        kept = Views(first.images.copy(), first.masks.copy())
        data.qpos[0] += 0.05
        mujoco.mj_forward(model, data)
        moved = renderer.render(data)
        data.qpos[0] -= 0.05
        mujoco.mj_forward(model, data)
        again = renderer.render(at_rest(model))
    assert same(first, kept)
    assert not same(moved, kept)
    assert same(again, kept)


def test_a_model_with_a_headlight_is_refused() -> None:
    spec = scene_spec()
    spec.visual.headlight.active = 1
    with pytest.raises(GlamError, match="cheap_visuals"):
        Renderer(spec.compile(), ["front"], SIZE, [])


def test_an_unknown_camera_is_refused_with_the_known_ones(model: mujoco.MjModel) -> None:
    with pytest.raises(GlamError, match="no camera 'side'; choose one of above, front"):
        Renderer(model, ["side"], SIZE, [])


def test_two_channels_may_not_share_a_geom(model: mujoco.MjModel) -> None:
    with pytest.raises(GlamError, match="share a geom"):
        Renderer(model, ["front"], SIZE, body_ids(model, 0, 0))
