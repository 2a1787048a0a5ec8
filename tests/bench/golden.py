"""Results of every kind of run at the smallest scale, compared with those that earlier code gave under the same names.

    python -m tests.bench.golden

writes `golden.json` anew. It refuses where a run has the same name as before and another result: then code has changed
what the stage does, and its revision must be raised first, so that new results get names of their own.
"""

import inspect
import json
import math
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from glam.bench.run import BenchRun, RunStore, ordered
from glam.bench.runs import Change, DataRun, EvaluationRun, PolicyRun, ReplayRun, TrajectoriesRun, WorldModelRun
from glam.core.files import write_json
from glam.data.reader import Dataset
from glam.sim.demonstrator import expert_actions
from glam.sim.embodiments import find_embodiment
from glam.sim.expert import Disturbance
from glam.sim.tasks import TASKS, find_task
from glam.sim.world import World

GOLDEN = Path(__file__).with_name("golden.json")
REWRITE = "python -m tests.bench.golden"
RELATIVE, ABSOLUTE = 1e-3, 1e-4
"""Tolerances. Other processors differ by about 1e-6, another algorithm by much more."""
TIMES = {"seconds", "training_seconds", "policy_call_ms"}
DECIDED_BY_ROUNDING = {("world-model lapa-lift-3+3-s0", "probes.source_accuracy")}
"""Run and value that differ between processors: after 20 steps this LAPA uses one code, so a classifier of its latent
actions sees nothing but rounding errors."""

TARGET, AUXILIARY = DataRun("lift", "kinova", 3, 0), DataRun("lift", "umi", 3, 100)
MODEL = WorldModelRun("glam-o", TARGET, (AUXILIARY,), preset="smoke")
POLICY = PolicyRun("latent", TARGET, (AUXILIARY,), MODEL, preset="smoke")
ALONE = PolicyRun("latent", TARGET, (), MODEL, preset="smoke")
PIPELINE: tuple[BenchRun, ...] = (
    TrajectoriesRun((ALONE, POLICY), TARGET),
    ReplayRun(MODEL, AUXILIARY),
    EvaluationRun(POLICY, episodes=2, films=0),
)
"""One run of each kind, with all that they need."""
OPTIONS = (Change("policy.observation.random_shift", 0.2), Change("policy.keypoint_weight", 20.0))
OTHERS: tuple[BenchRun, ...] = (
    WorldModelRun("lapa", TARGET, (AUXILIARY,), preset="smoke"),
    WorldModelRun("clam-o", TARGET, (AUXILIARY,), preset="smoke"),
    PolicyRun("mip", TARGET, preset="smoke", changes=OPTIONS),
    PolicyRun("retarget", TARGET, (AUXILIARY,), preset="smoke"),
)
EXPERTS = (
    *(DataRun(task, body, 1, 0) for task in TASKS for body in ("kinova", "umi")),
    DataRun("lift", "kinova-lab", 1, 0),
)
"""Of these only the motion is looked at, without images."""

Values = dict[str, Any]


def made(runs: Sequence[BenchRun], store: RunStore) -> dict[BenchRun, Any]:
    """The records of runs, which are made with all that they need."""
    for run in ordered(runs):
        if not store.is_done(run):
            store.make(run)
    return {run: store.read(run) for run in ordered(runs)}


def results(store: RunStore) -> dict[str, Values]:
    """Name and numbers of every run, by kind and title; what others need comes first."""
    records = made((*PIPELINE, *OTHERS), store)
    demonstrated = {_key(run): {"name": run.name, "values": dict(_numbers(motion(run)))} for run in EXPERTS}
    return demonstrated | {_key(run): _result(run, record, store) for run, record in records.items()}


def motion(run: DataRun) -> Values:
    """Steps of the expert, and where the hands are after a third of them, after two thirds and at the end."""
    world = World(find_task(run.task), find_embodiment(run.embodiment), (16, 16))
    world.reset(run.seed)
    poses = []
    for action in islice(expert_actions(world, Disturbance()), world.task.max_episode_steps):
        world.step(action)
        poses.append(world.ee_pose())
    world.close()
    marks = {third: poses[(len(poses) - 1) * third // 3] for third in (1, 2, 3)}
    return {"steps": len(poses)} | {f"pose{third}": pose.tolist() for third, pose in marks.items()}


def problem(golden: Mapping[str, Values], found: Mapping[str, Values], runs: Mapping[str, BenchRun]) -> str:
    """What is wrong with the first run whose name or result is not the golden one; empty if nothing is."""
    known = {key: golden[key] for key in found if golden.get(key, {}).get("name") == found[key]["name"]}
    for key, old in known.items():
        if difference := _difference(old["values"], found[key]["values"]):
            return f"{key}: {difference} under the same name; {remedy(runs[key])}, then run `{REWRITE}`"
    outdated = [key for key in {**found, **golden} if key not in known]
    return f"{', '.join(outdated)}: runs have other names now; run `{REWRITE}`" if outdated else ""


def remedy(run: BenchRun) -> str:
    """Where to raise the revision of a run's stage."""
    if isinstance(run, DataRun):
        return f"raise `revision` of the task {run.task}"
    module = Path(inspect.getsourcefile(type(run)) or "").name
    return f"raise `revision` of {type(run).__name__} in src/glam/bench/runs/{module} by one"


def runs_by_key() -> dict[str, BenchRun]:
    """All runs that are compared."""
    return {_key(run): run for run in (*EXPERTS, *ordered((*PIPELINE, *OTHERS)))}


def _key(run: BenchRun) -> str:
    return f"{run.kind} {run.title}"


def _result(run: BenchRun, record: Mapping[str, Any], store: RunStore) -> Values:
    values = _content(store.folder(run)) if isinstance(run, DataRun) else record["result"]
    kept = {name: number for name, number in _numbers(values) if (_key(run), name) not in DECIDED_BY_ROUNDING}
    return {"name": run.name, "values": kept}


def _content(folder: Path) -> Values:
    """Means of all that a dataset holds."""
    dataset = Dataset.open(folder)
    first = dataset.episode(0)
    features = {**first.vectors, **first.images, **first.masks}
    means = {name: np.asarray(values, float).mean() for name, values in features.items()}
    return {"frames": len(dataset)} | {name: float(value) for name, value in means.items()}


def _numbers(value: Any, where: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            if name not in TIMES:
                yield from _numbers(item, f"{where}.{name}" if where else name)
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            yield from _numbers(item, f"{where}[{number}]")
    elif isinstance(value, int | float):
        yield where, float(f"{value:.6g}")


def _difference(old: Mapping[str, float], new: Mapping[str, float]) -> str:
    for name in old.keys() | new.keys():
        was, now = old.get(name, math.nan), new.get(name, math.nan)
        if not math.isclose(was, now, rel_tol=RELATIVE, abs_tol=ABSOLUTE):
            return f"{name} is {now:.6g} and was {was:.6g}"
    return ""


def main() -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8")) if GOLDEN.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GLAM_CACHE"] = f"{folder}/cache"
        found = results(RunStore(Path(folder) / "store"))
    reason = problem(golden, found, runs_by_key())
    if "under the same name" in reason:
        sys.exit(reason)
    write_json(GOLDEN, found)
    sys.stdout.write(f"{GOLDEN}\n")


if __name__ == "__main__":
    main()
