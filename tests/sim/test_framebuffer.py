import subprocess
import sys
from collections.abc import Iterator

import mujoco
import numpy as np
import pytest

from glam.sim.render import Framebuffer, Renderer, Views, cheap_visuals

CAMERA = "above"


def cubes(count: int, seed: int) -> mujoco.MjModel:
    """Textured and plain cubes on a plane, each a body of its own."""
    rng = np.random.default_rng(seed)
    spec = mujoco.MjSpec()
    cheap_visuals(spec)
    builtin = mujoco.mjtBuiltin.mjBUILTIN_CHECKER
    spec.add_texture(
        name="checks",
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=builtin,
        width=32,
        height=32,
        rgb1=rng.uniform(size=3),
    )
    textures = [""] * mujoco.mjtTextureRole.mjNTEXROLE
    textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "checks"
    spec.add_material(name="checks", textures=textures)
    world = spec.worldbody
    world.add_light(type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, dir=[0.3, 0.2, -1.0])
    world.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1], material="checks")
    world.add_camera(name=CAMERA, pos=[0, 0, 1.2])
    for position in rng.uniform([-0.3, -0.3, 0.05], [0.3, 0.3, 0.3], (count, 3)):
        body = world.add_body(pos=position, quat=rng.normal(size=4))
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.07, 0.06, 0.05], rgba=[*rng.uniform(size=3), 1.0])
    return spec.compile()


class Drawn:
    """A model at rest with the image that a renderer alone in its process would make of it."""

    def __init__(self, model: mujoco.MjModel, size: tuple[int, int]) -> None:
        self.model, self.size = model, size
        self.data = mujoco.MjData(model)
        mujoco.mj_forward(model, self.data)
        with self.renderer() as renderer:
            self.expected = renderer.render(self.data)

    def renderer(self) -> Renderer:
        return Renderer(self.model, [CAMERA], self.size, [[1], [2]])

    def is_drawn_right_by(self, renderer: Renderer) -> bool:
        return same(renderer.render(self.data), self.expected)


def same(one: Views, other: Views) -> bool:
    return one.images.tobytes() == other.images.tobytes() and one.masks.tobytes() == other.masks.tobytes()


@pytest.fixture(scope="module")
def large() -> Drawn:
    return Drawn(cubes(8, seed=1), (64, 48))


@pytest.fixture(scope="module")
def small() -> Drawn:
    return Drawn(cubes(3, seed=2), (32, 32))


@pytest.fixture
def shipped(large: Drawn) -> Iterator[mujoco.Renderer]:
    """MuJoCo's own renderer, which brings a context of its own."""
    with mujoco.Renderer(large.model, 32, 32) as renderer:
        renderer.update_scene(large.data, CAMERA)
        yield renderer


def test_the_expected_images_are_not_empty(large: Drawn, small: Drawn) -> None:
    for drawn in (large, small):
        assert len(np.unique(drawn.expected.images.reshape(-1, 3), axis=0)) > 8
        assert drawn.expected.masks.any(axis=(0, 1, 2)).all()


def test_200_renderers_one_after_another_draw_the_same_bytes(large: Drawn, small: Drawn) -> None:
    for cycle in range(100):
        for drawn in (large, small):
            with drawn.renderer() as renderer:
                assert drawn.is_drawn_right_by(renderer), cycle


def test_renderers_alive_together_do_not_disturb_one_another(large: Drawn, small: Drawn) -> None:
    with large.renderer() as first, large.renderer() as second:
        for _ in range(3):
            with small.renderer() as third:
                assert large.is_drawn_right_by(first)
                assert small.is_drawn_right_by(third)
                assert large.is_drawn_right_by(second)
            assert large.is_drawn_right_by(first)


def test_a_foreign_context_and_ours_do_not_disturb_one_another(large: Drawn, shipped: mujoco.Renderer) -> None:
    foreign = shipped.render()
    with large.renderer() as renderer:
        for _ in range(3):
            assert large.is_drawn_right_by(renderer)
            assert np.array_equal(shipped.render(), foreign)


def test_closing_twice_is_harmless_and_a_closed_renderer_opens_again(large: Drawn) -> None:
    renderer = large.renderer()
    for _ in range(2):
        assert large.is_drawn_right_by(renderer)
        renderer.close()
        renderer.close()


def test_opengl_is_not_touched_before_the_first_frame(large: Drawn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mujoco, "MjrContext", None)
    large.renderer().close()
    with pytest.raises(TypeError):
        Framebuffer(large.model, mujoco.MjrRect(0, 0, 8, 8)).bind()


def run_in_a_new_process(program: str) -> subprocess.CompletedProcess[str]:
    """The program sees every name of this module."""
    load = f"import runpy; globals().update(runpy.run_path({__file__!r}))\n"
    command = [sys.executable, "-c", load + program]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


FORKING = """
import multiprocessing
drawn = Drawn(cubes(8, 1), (64, 48))
inherited = drawn.renderer()
assert drawn.is_drawn_right_by(inherited)

def child():
    fresh = drawn.renderer()
    assert drawn.is_drawn_right_by(fresh)
    assert drawn.is_drawn_right_by(inherited)
    fresh.close()
    assert drawn.is_drawn_right_by(inherited)

children = [multiprocessing.get_context("fork").Process(target=child) for _ in range(2)]
for process in children:
    process.start()
assert drawn.is_drawn_right_by(inherited)
for process in children:
    process.join(30)
    assert process.exitcode == 0, process.exitcode
assert drawn.is_drawn_right_by(inherited)
"""


FREEING = """
model = cubes(8, 1)
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
ours = Renderer(model, [CAMERA], (32, 32), [])
ours.images_only(data)
foreign = mujoco.Renderer(model, 32, 32)  # the same calls in the same order: its parts get the same numbers as ours
foreign.update_scene(data, CAMERA)
before = foreign.render()
{free}
assert np.array_equal(foreign.render(), before)
foreign.close()
"""


@pytest.mark.parametrize("free", ["ours.close()", "del ours"])
def test_freeing_while_a_foreign_context_is_current_frees_nothing_of_it(free: str) -> None:
    done = run_in_a_new_process(FREEING.format(free=free))
    assert (done.returncode, done.stderr) == (0, "")


def test_both_sides_of_a_fork_go_on_drawing_the_same_bytes() -> None:
    done = run_in_a_new_process(FORKING)
    assert done.returncode == 0, done.stderr


def test_a_forked_child_that_leaves_by_the_front_door_does_not_hang() -> None:
    done = run_in_a_new_process(
        "import os\n"
        "drawn = Drawn(cubes(8, 1), (64, 48))\n"
        "renderer = drawn.renderer()\n"
        "assert drawn.is_drawn_right_by(renderer)\n"
        "child = os.fork()\n"
        "assert drawn.is_drawn_right_by(renderer)\n"
        "if child:\n"
        "    assert os.waitpid(child, 0)[1] == 0\n"
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_process_that_never_closes_its_renderers_ends_quietly() -> None:
    done = run_in_a_new_process("drawn = Drawn(cubes(8, 1), (64, 48)); r = drawn.renderer(); r.render(drawn.data)")
    assert (done.returncode, done.stderr) == (0, "")
