"""Speed of making demonstrations, and the part of the renderer in it."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from glam.data.recording import recording, save_episode
from glam.sim.demonstrator import demonstrate, episode_of, schema_of
from glam.sim.embodiments import find_embodiment
from glam.sim.expert import Disturbance
from glam.sim.render import Views
from glam.sim.tasks import TASKS, find_task
from glam.sim.world import CONTROL_RATE, World
from glam.stages.collect import CollectConfig, collect, describe

# isort: split
import mujoco
import numpy as np
from numpy.typing import NDArray
from rendering import with_default_visuals

SIZE = 96
ROUNDS = 20
EPISODES_OF_EACH_TASK = 10


def throughput() -> dict[str, Any]:
    """The two sets of the paper's stack-two, the same loop with MuJoCo's renderer, and every task."""
    return {
        "stack_two": {"kinova": timed_collection("kinova", 100), "umi": timed_collection("umi", 400)},
        "against_mujoco_renderer": against_mujoco_renderer(),
        "one_process": {
            f"{task} {body}": one_process(task, body, EPISODES_OF_EACH_TASK)
            for task in TASKS
            for body in ("kinova", "umi")
        },
    }


def timed_collection(embodiment: str, episodes: int) -> dict[str, Any]:
    """A whole collection by two workers: start of the processes, simulation, encoding, writing, publishing."""
    with tempfile.TemporaryDirectory() as folder:
        start, cpu = time.monotonic(), cpu_seconds()
        done = collect(CollectConfig("stack-two", embodiment), Path(folder, "set"), episodes, workers=2)
        seconds = time.monotonic() - start
        return {
            "episodes": done.episodes,
            "discarded": done.discarded,
            "seconds": round(seconds, 1),
            "cpu_seconds": round(cpu_seconds() - cpu, 1),
            "episodes_per_minute": round(60 * episodes / seconds),
        }


def cpu_seconds() -> float:
    """Processor time of this process and of its children that have ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def against_mujoco_renderer(rounds: int = ROUNDS) -> dict[str, Any]:
    """Episodes of stack-two by one Kinova process, drawn in turns by ours and by MuJoCo's renderer.

    As shipped it draws shadows; without them is the nearest thing a user gets by one setting.
    """
    worlds = {name: make_world("stack-two", "kinova") for name in ("ours", "as_shipped", "without_shadows")}
    for name in ("as_shipped", "without_shadows"):
        worlds[name].renderer.close()
        worlds[name].renderer = AsShipped(worlds[name], shadows=name == "as_shipped")  # type: ignore[assignment]
    seconds = dict.fromkeys(worlds, 0.0)
    for seed in range(rounds + 1):
        for name, world in worlds.items():
            taken = make_and_save(world, seed)
            seconds[name] += taken if seed else 0.0  # the first one compiles shaders
    ratios = {name: round(taken / seconds["ours"], 2) for name, taken in seconds.items()}
    return {
        "episodes_each": rounds,
        "per_minute": {name: round(60 * rounds / taken, 1) for name, taken in seconds.items()},
        "ratio": ratios["as_shipped"],
        "ratio_without_shadows": ratios["without_shadows"],
    }


class AsShipped:
    """`mujoco.Renderer` with its defaults, one image and one id image per camera, as its documentation shows."""

    def __init__(self, world: World, *, shadows: bool) -> None:
        self._cameras = [camera.name for camera in world.task.cameras]
        self._renderer = mujoco.Renderer(with_default_visuals(world.model, shadows=shadows), SIZE, SIZE)
        owner = [world.model.body(world.model.geom_bodyid[geom]).name for geom in range(world.model.ngeom)]
        table = [[255 if name == wanted else 0 for wanted in world.task.objects] for name in owner]
        self._masks = np.array([*table, [0] * len(world.task.objects)], np.uint8)  # the last row: no geom

    def render(self, data: mujoco.MjData) -> Views:
        """Images and masks of all cameras."""
        pairs = [self._look(data, camera) for camera in self._cameras]
        return Views(np.stack([image for image, _ in pairs]), np.stack([mask for _, mask in pairs]))

    def _look(self, data: mujoco.MjData, camera: str) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        self._renderer.update_scene(data, camera)
        image = self._renderer.render()
        self._renderer.enable_segmentation_rendering()
        ids = self._renderer.render()[..., 0]
        self._renderer.disable_segmentation_rendering()
        return image, self._masks[ids]


def one_process(task: str, embodiment: str, episodes: int) -> dict[str, float]:
    """Demonstrations of one task in one process, writing included; in processor time, so that load does not matter."""
    world = make_world(task, embodiment)
    make_and_save(world, 0)  # compiles shaders
    seconds, steps = 0.0, 0
    for seed in range(1, episodes + 1):
        seconds += make_and_save(world, seed)
        steps += round(world.data.time * CONTROL_RATE)
    return {"ms_per_step": round(1e3 * seconds / steps, 2), "episodes_per_minute": round(60 * episodes / seconds, 1)}


def make_world(task: str, embodiment: str) -> World:
    return World(find_task(task), find_embodiment(embodiment), (SIZE, SIZE))


def make_and_save(world: World, seed: int) -> float:
    """One demonstration, stored in a folder of its own; the seconds of processor time it took."""
    with tempfile.TemporaryDirectory() as folder:
        schema, root = schema_of(world), Path(folder, "set")
        description = describe(CollectConfig(world.task.name, world.embodiment.name))
        with recording(root, schema, description):
            start = time.process_time()
            episode = episode_of(demonstrate(world, seed, Disturbance()), schema, world.task.instruction)
            save_episode(root, schema, 0, episode, {})
            return time.process_time() - start


def mesa_threads() -> dict[str, Any]:
    """Two workers with each number of threads of Mesa's software renderer; in turns, so that load hits all alike."""
    seconds: dict[str, list[float]] = {"0": [], "1": [], "2": []}
    for _ in range(3):
        for threads, taken in seconds.items():
            taken.append(timed_child(threads))
    return {
        "episodes": 40,
        "seconds": seconds,
        "median": {threads: round(float(np.median(taken)), 1) for threads, taken in seconds.items()},
    }


def timed_child(threads: str) -> float:
    code = "import sys, worlds_speed as w; print(w.timed_collection('kinova', 40)['seconds'], file=sys.stderr)"
    child = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "LP_NUM_THREADS": threads},
        cwd=Path(__file__).parent,
        check=True,
        capture_output=True,
        text=True,
    )
    return float(child.stderr.split()[-1])
