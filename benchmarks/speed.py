"""All speeds that GLAM promises, each beside what it is compared with, in one run: `make speed`.

    python benchmarks/speed.py [--quick] [--only SECTION ...] [--json docs/results/speed.json]

Sections: reading, rendering, recording, stages, call, cost, demo, cell. LeRobot's figures come from its own
environment, which `make test-lerobot` sets up. Run it on a quiet machine, about half an hour on two cores; the load
before and after is recorded, and a machine that was busy at the beginning is named as such. `--quick` has low sizes, to
see that it works. A section that fails says why and leaves the others alone.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from rendering import CASES, SIZE, compare  # first: choosing how MuJoCo renders must precede its import

# isort: split
import numpy as np
import policy_training
import torch
import world_model as world_model_training
from cache import LEROBOT, window_speed
from conditions import conditions
from demo import no_report, one
from policy import timed
from worlds_speed import against_mujoco_renderer

from glam.bench.demo import DemoConfig
from glam.bench.grids.parts import tried
from glam.bench.run import RunStore, ordered
from glam.bench.running import local_engine, run_all
from glam.core.errors import sentence
from glam.core.files import write_json
from glam.policies.trained import load
from glam.recipes import policy, world_model
from glam.sim.embodiments import EMBODIMENTS
from glam.sim.tasks import TASKS
from glam.sim.world import World
from glam.stages.collect import CollectConfig, collect
from glam.stages.policy_inputs import Inputs
from glam.stages.train_policy import train_policy
from glam.stages.train_world_model import train_world_model
from glam.training.reproducibility import prepared

Entry = dict[str, Any]
BUSY = 0.7
"""Load before the run from which on the machine counts as busy."""
LEARNING = ("world-model", "policy", "evaluation")
MULTIPLES = (1, 2, 4)
"""Of the transitions of a step, for its cost."""
ROBOT_PIXELS = 128


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    rounds: int = 10
    episodes: int = 20
    calls: int = 200
    is_quick: bool = False


QUICK = Size(rounds=1, episodes=1, calls=5, is_quick=True)


def main() -> None:
    options = parse()
    size, load_before = QUICK if options.quick else Size(), os.getloadavg()[0]
    ratios = [entry for name in options.only or SECTIONS for entry in section(name, size)]
    record = {
        "load_average": [round(load_before, 1), round(os.getloadavg()[0], 1)],
        "is_busy": load_before > BUSY,
        "is_quick": options.quick,
        "conditions": conditions("torch", "mujoco", "numpy"),
        "ratios": ratios,
    }
    write_json(options.json, record)
    print(options.json)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="+", default=[], choices=list(SECTIONS))
    parser.add_argument("--json", type=Path, default=Path("docs/results/speed.json"))
    return parser.parse_args()


def section(name: str, size: Size) -> list[Entry]:
    """What a section found, printed as soon as it is known."""
    measure, names = SECTIONS[name]
    try:
        entries = list(measure(size))
    except Exception as error:  # another section may still succeed
        entries = [missing(one, sentence(error)) for one in names]
    for entry in entries:
        value = "not measured" if entry["value"] is None else f"{entry['value']:.3g}"
        print(
            f"{entry['name']:42s} {value:>12s}   {entry.get('why') or entry['ours'] + ' | ' + entry['other']}",
            flush=True,
        )
    return entries


def found(name: str, value: float, ours: str, other: str) -> Entry:
    return {"name": name, "value": float(f"{value:.4g}"), "ours": ours, "other": other}


def missing(name: str, why: str) -> Entry:
    return {"name": name, "value": None, "why": why}


def reading(size: Size) -> Iterator[Entry]:
    """Random windows of the decoded cache against LeRobotDataset on the same set."""
    speed = window_speed(blocks=2 if size.is_quick else 10)
    if "ratio" not in speed:
        yield missing("reading", speed["lerobot"])
        return
    ours = f"{speed['cache_frames_per_second']} frames/s, {speed['ratio_as_float']} times as floats"
    yield found("reading", speed["ratio"], ours, f"LeRobotDataset: {speed['lerobot_frames_per_second']} frames/s")


def rendering(size: Size) -> Iterator[Entry]:
    """Two images and two masks against mujoco.Renderer as it is shipped."""
    task, embodiment = CASES[0]
    world = World(TASKS[task], EMBODIMENTS[embodiment], (SIZE, SIZE))
    world.reset(0)
    ours, _, _, plain, shipped = compare(world, rounds=1 if size.is_quick else 15)
    world.renderer.close()
    other = f"mujoco.Renderer: {shipped:.2f} ms as shipped, {plain:.2f} ms without shadows ({plain / ours:.2f} times)"
    yield found("rendering", shipped / ours, f"{ours:.2f} ms", other)


def recording(size: Size) -> Iterator[Entry]:
    """Demonstrations of stack-two against the same loop with mujoco.Renderer."""
    speed = against_mujoco_renderer(size.episodes)
    rates = speed["per_minute"]
    other = (
        f"plain loop: {rates['as_shipped']} a minute with mujoco.Renderer as shipped, {rates['without_shadows']} "
        f"without shadows ({speed['ratio_without_shadows']} times)"
    )
    yield found("recording", speed["ratio"], f"{rates['ours']} episodes a minute", other)


def stages(size: Size) -> Iterator[Entry]:
    """A training step of both stages, preset cpu; stage 1 with the networks of preset paper too."""
    for preset, name in (("cpu", ""), ("paper", ", preset paper")):
        config = replace(
            world_model("glam-o", preset), fit=replace(world_model("glam-o", preset).fit, device="cpu", threads=2)
        )
        with prepared(config.fit):
            yield from of_stage(f"stage 1{{}}{name}", world_model_training.measured(config, size.rounds))
        if size.is_quick:
            break
    recipe = policy("latent")
    recipe = replace(recipe, fit=replace(recipe.fit, device="cpu", threads=2))
    with prepared(recipe.fit):
        yield from of_stage("stage 2{}", policy_training.measured(recipe, size.rounds))


def of_stage(name: str, speed: dict[str, Any]) -> Iterator[Entry]:
    step = f"{speed['ms_per_step']:.1f} ms a step"
    naive, peak = (
        f"naive loop: {speed['naive_ms_per_step']:.1f} ms",
        f"convolution: {speed['convolution_peak_gflops']:.0f} gflop/s",
    )
    yield found(name.format(" against the naive loop"), speed["ratio_to_naive"], step, naive)
    share = speed["share_of_convolution_peak"]
    yield found(name.format(" of the convolution peak"), share, f"{speed['gflops']:.0f} gflop/s", peak)


def call(size: Size) -> Iterator[Entry]:
    """A call of a policy on latent actions with one observation, one core, against LeRobot's ACT."""
    with tempfile.TemporaryDirectory() as folder, one_thread():
        trained = load(small_policy(Path(folder)))
        ours = timed(trained, size.calls, ROBOT_PIXELS)
    chunk = policy("latent").policy.head.chunk_size
    other = f"ACT of LeRobot: {act(size.calls, chunk):.1f} ms" if LEROBOT.exists() else f"ACT: {LEROBOT} is missing"
    yield found("policy call", ours["median"], f"{ours['median']:.2f} ms, 99 of 100 in {ours['p99']:.2f} ms", other)


def small_policy(root: Path) -> Path:
    """A policy of preset cpu on latent actions after two steps: its calls cost what those of any other cost."""
    sets = {name: root / name for name in ("kinova", "umi")}
    for name, folder in sets.items():
        collect(CollectConfig("stack-two", name), folder, 4, workers=1)
    stage_one, stage_two = world_model("glam-o", "cpu"), policy("latent")
    short = replace(stage_one, fit=replace(stage_one.fit, steps=2, threads=1))
    model = train_world_model(short, sets["kinova"], [sets["umi"]], root / "world-model")
    short_policy = replace(stage_two, fit=replace(stage_two.fit, steps=2, threads=1))
    return train_policy(short_policy, Inputs(sets["kinova"], (sets["umi"],), model), root / "policy")


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread for torch, as many as before afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def act(calls: int, chunk: int) -> float:
    """Median milliseconds of a call of ACT."""
    program = Path(__file__).with_name("lerobot_act.py")
    words = [LEROBOT, program, str(calls), str(ROBOT_PIXELS), str(chunk)]
    done = subprocess.run(
        words, env=os.environ | {"HF_HUB_OFFLINE": "1"}, stdout=subprocess.PIPE, text=True, check=True
    )
    return median(json.loads(done.stdout.splitlines()[-1]))


def cost(size: Size) -> Iterator[Entry]:
    """The exponent with which a step of stage 1 grows with its transitions: 1 is linear, less has a fixed part."""
    config = world_model("glam-o")
    config = replace(config, fit=replace(config.fit, threads=1, device="cpu"))
    works, counts = {}, []
    for times in MULTIPLES:
        windows = {name: times * getattr(config.batch, name) for name in ("target_windows", "auxiliary_windows")}
        larger = replace(config, batch=replace(config.batch, **windows))
        works[str(times)], _, transitions = world_model_training.training_step(larger)
        counts.append(transitions)
    with prepared(config.fit):
        seconds = list(world_model_training.in_turns(works, size.rounds).values())
    exponent = float(np.polyfit(np.log(counts), np.log(seconds), 1)[0])
    told = ", ".join(f"{count}: {1e3 * each:.1f} ms" for count, each in zip(counts, seconds, strict=True))
    yield found(
        "cost against transitions, exponent", exponent, f"a step of stage 1 by its transitions: {told}", "linear: 1"
    )


def demo(size: Size) -> Iterator[Entry]:
    """`glam demo` with everything it runs, two runs at a time."""
    if size.is_quick:
        yield missing("demo", "left out at low size")
        return
    with tempfile.TemporaryDirectory() as folder:
        seconds = one(DemoConfig(), Path(folder))["seconds_in_all"]
    yield found("demo", seconds / 60, f"{seconds:.0f} s", "two runs at a time")


def cell(size: Size) -> Iterator[Entry]:
    """glam-o on stack-two as in the main grid, one core, demonstrations not counted."""
    if size.is_quick:
        yield missing("main cell", "left out at low size")
        return
    run = tried("glam-o", "stack-two").run
    with tempfile.TemporaryDirectory() as folder:
        store = RunStore(Path(folder))
        run_all([run], store, local_engine(1), no_report)
        spent = {each.kind: store.read(each)["seconds"] for each in ordered([run])}
    minutes = sum(spent[kind] for kind in LEARNING) / 60
    told = ", ".join(f"{kind} {spent[kind] / 60:.1f}" for kind in LEARNING)
    yield found("main cell", minutes, told, f"demonstrations {spent['data'] / 60:.1f}")


SECTIONS: dict[str, tuple[Callable[[Size], Iterator[Entry]], tuple[str, ...]]] = {
    "reading": (reading, ("reading",)),
    "rendering": (rendering, ("rendering",)),
    "recording": (recording, ("recording",)),
    "stages": (
        stages,
        (
            "stage 1 against the naive loop",
            "stage 1 of the convolution peak",
            "stage 2 against the naive loop",
            "stage 2 of the convolution peak",
        ),
    ),
    "call": (call, ("policy call",)),
    "cost": (cost, ("cost against transitions, exponent",)),
    "demo": (demo, ("demo",)),
    "cell": (cell, ("main cell",)),
}
"""What each measures, and the names of its entries."""


if __name__ == "__main__":
    sys.exit(main())
