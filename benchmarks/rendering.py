"""Milliseconds for two images and two masks of one moment: `glam.sim.render` against `mujoco.Renderer`.

    python benchmarks/rendering.py

All draw the same scene in the same process, in turns. Times are processor time, so that other programs on the machine
matter little. Columns: our frame; our images without masks; `mujoco.Renderer` on our cheap model; with MuJoCo's default
tessellation, multisampling and headlight; and as shipped, with shadows too.
"""

import copy
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial

from glam.sim.embodiments import EMBODIMENTS  # first: choosing how MuJoCo renders must precede its import

# isort: split
import mujoco
import numpy as np

from glam.sim.render import Renderer
from glam.sim.tasks import TASKS
from glam.sim.world import World

SIZE = 96
ROUNDS = 15
CASES = (("stack-two", "umi"), ("stack-two", "kinova"), ("stack-three", "kinova"))


def main() -> None:
    columns = ("ours", "images", "cheap", "default", "shipped")
    print(f"{'ms of processor time':24s}" + "".join(f"{column:>9s}" for column in columns) + "   shipped / ours")
    for task, embodiment in CASES:
        world = World(TASKS[task], EMBODIMENTS[embodiment], (SIZE, SIZE))
        world.reset(0)
        times = compare(world)
        row = "".join(f"{milliseconds:9.2f}" for milliseconds in times)
        print(f"{task + ' ' + embodiment:24s}{row}{times[-1] / times[0]:14.1f}x")
        world.renderer.close()


def compare(world: World, rounds: int = ROUNDS) -> list[float]:
    """Median milliseconds of each column."""
    model, data = world.model, world.data
    cameras = [camera.name for camera in world.task.cameras]
    objects = [[model.body(name).id] for name in world.task.objects]
    with ExitStack() as stack:
        renderer = stack.enter_context(Renderer(model, cameras, (SIZE, SIZE), objects))
        references = [
            stack.enter_context(mujoco.Renderer(reference, SIZE, SIZE))
            for reference in (
                model,
                with_default_visuals(model, shadows=False),
                with_default_visuals(model, shadows=True),
            )
        ]
        calls: list[Callable[[], object]] = [lambda: renderer.render(data), lambda: renderer.images_only(data)]
        calls += [partial(frames, reference, data, cameras) for reference in references]
        return medians(calls, rounds)


def frames(renderer: mujoco.Renderer, data: mujoco.MjData, cameras: list[str]) -> None:
    """The loop that MuJoCo's documentation shows, for images and object ids."""
    for camera in cameras:
        renderer.update_scene(data, camera)
        renderer.render()
        renderer.enable_segmentation_rendering()
        renderer.render()
        renderer.disable_segmentation_rendering()


def with_default_visuals(model: mujoco.MjModel, *, shadows: bool) -> mujoco.MjModel:
    """A copy with what `cheap_visuals` and the scene took away; MuJoCo reads these when a renderer is made."""
    default = mujoco.MjSpec().compile().vis
    restored = copy.copy(model)
    for name in ("offsamples", "shadowsize", "numslices", "numstacks", "numquads"):
        setattr(restored.vis.quality, name, getattr(default.quality, name))
    restored.vis.headlight.active = default.headlight.active
    restored.light_castshadow[:] = shadows
    return restored


def medians(calls: list[Callable[[], object]], rounds: int) -> list[float]:
    """Each call some times, in turns."""
    times = np.empty((rounds, len(calls)))
    for call in calls:
        call()  # compiles shaders
    for row in times:
        for i, call in enumerate(calls):
            start = time.process_time()
            call()
            row[i] = time.process_time() - start
    return [float(median) for median in np.median(times, axis=0) * 1e3]


if __name__ == "__main__":
    main()
