import colorsys
from dataclasses import astuple, replace

import mujoco
import numpy as np
import pytest

from glam.sim.demonstrator import demonstrate
from glam.sim.embodiments import EMBODIMENTS
from glam.sim.expert import Disturbance
from glam.sim.objects import BLUE, GREEN, RED
from glam.sim.scene import build_model
from glam.sim.scene_appearance import BRIGHT_ROOM, DARK_ROOM, random_appearance
from glam.sim.tasks import TASKS
from glam.sim.world import World

BOTTLE, BOWL = (0.93, 0.77, 0.10), (0.20, 0.62, 0.72)
LOOKS = [random_appearance(np.random.default_rng(seed)) for seed in range(300)]


@pytest.fixture(scope="module")
def varied():
    """`varied(embodiment)`: a world of stack-two whose look varies, made once for each."""
    made = {}

    def make(embodiment: str) -> World:
        if embodiment not in made:
            made[embodiment] = World(TASKS["stack-two"], EMBODIMENTS[embodiment], (32, 32), vary_look=True)
        return made[embodiment]

    yield make
    for world in made.values():
        world.close()


def test_a_model_painted_in_place_looks_like_one_compiled_with_that_appearance():
    dark = replace(EMBODIMENTS["kinova"], appearance=DARK_ROOM)
    worlds = [World(TASKS["stack-two"], body, (64, 64)) for body in (EMBODIMENTS["kinova"], dark)]
    for world in worlds:
        world.reset(3)
    bright = worlds[0].images()
    DARK_ROOM.paint(worlds[0].model)
    mujoco.mj_forward(worlds[0].model, worlds[0].data)
    assert worlds[0].images().tobytes() == worlds[1].images().tobytes() != bright.tobytes()
    BRIGHT_ROOM.paint(worlds[0].model)
    mujoco.mj_forward(worlds[0].model, worlds[0].data)
    assert worlds[0].images().tobytes() == bright.tobytes()
    for world in worlds:
        world.close()


def test_paint_changes_colours_of_the_room_and_lights_and_nothing_that_moves_or_is_moved():
    plain, painted = (build_model(TASKS["knock-down"], EMBODIMENTS["kinova"]) for _ in range(2))
    LOOKS[0].paint(painted)
    fields = [name for name in dir(plain) if isinstance(getattr(plain, name), np.ndarray)]
    changed = {name for name in fields if getattr(plain, name).tobytes() != getattr(painted, name).tobytes()}
    assert changed == {"geom_rgba", "light_pos", "light_dir", "light_diffuse", "light_ambient"}
    is_other = (plain.geom_rgba != painted.geom_rgba).any(axis=1)
    assert {painted.geom(geom).name for geom in np.flatnonzero(is_other)} == {"table", "floor", "wall"}
    assert np.linalg.norm(painted.light_dir, axis=1) == pytest.approx(1.0)


def test_random_looks_are_all_different_cover_their_range_and_light_the_table_from_above():
    assert len(set(map(astuple, LOOKS))) == len(LOOKS)
    numbers = np.array([np.concatenate([np.atleast_1d(part) for part in astuple(look)]) for look in LOOKS])
    assert (np.ptp(numbers[:, :9], axis=0) > 0.35).all()  # every channel of the three colours
    assert 0.0 <= numbers[:, :9].min() < numbers[:, :9].max() <= 1.0
    directions = np.array([look.lights[0].direction for look in LOOKS])
    heights = np.degrees(np.arcsin(-directions[:, 2]))
    assert 35.0 <= heights.min() < 38.0
    assert 72.0 < heights.max() <= 75.0
    assert (np.abs(directions[:, :2]).max(axis=0) > 0.7).all()
    assert (directions[:, :2].min(axis=0) < -0.7).all()


def test_no_table_has_the_colour_of_an_object():
    objects = np.array([RED, GREEN, BLUE, BOTTLE, BOWL])
    tables = np.array([look.table for look in LOOKS])
    assert np.linalg.norm(tables[:, None] - objects, axis=-1).min() > 0.2
    assert max(colorsys.rgb_to_hsv(*table)[1] for table in tables) <= 0.40


@pytest.mark.parametrize("embodiment", ["umi", "kinova-lab"])
def test_scene_expert_and_masks_of_an_episode_stay_the_same_when_the_look_varies(world_of, varied, embodiment):
    plain, other = (
        demonstrate(world, 7, Disturbance(0.2)) for world in (world_of("stack-two", embodiment), varied(embodiment))
    )
    assert other.actions.tobytes() == plain.actions.tobytes()
    assert len(other.frames) == len(plain.frames) > 30
    for a, b in zip(plain.frames, other.frames, strict=True):
        assert a.masks.tobytes() == b.masks.tobytes()
        assert a.ee_pose.tobytes() == b.ee_pose.tobytes()
        assert np.abs(a.images.astype(int) - b.images).mean() > 5.0


def test_errors_and_noise_of_cameras_stay_the_same_when_the_look_varies(world_of, varied, monkeypatch):
    """With the usual look drawn, every pixel is as usual."""
    plain, other = world_of("stack-two", "kinova-lab"), varied("kinova-lab")
    monkeypatch.setattr("glam.sim.world.random_appearance", lambda rng: (rng.uniform(size=20), DARK_ROOM)[1])
    for world in (plain, other):
        world.reset(11)
    assert [plain.images().tobytes() for _ in range(2)] == [other.images().tobytes() for _ in range(2)]


def test_each_seed_has_one_look_whatever_was_shown_before(varied):
    world, seen = varied("umi"), {}
    for seed in (1, 2, 3, 2, 1):
        world.reset(seed)
        seen.setdefault(seed, set()).add((world.images().tobytes(), world.model.geom("table").rgba.tobytes()))
    assert {len(found) for found in seen.values()} == {1}
    assert len(set.union(*seen.values())) == 3
