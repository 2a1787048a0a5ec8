"""The method without each of its parts: replay and success on two tasks."""

from collections.abc import Iterator

from glam.bench.cell import Cell
from glam.bench.grids.parts import (
    BADLY_CALIBRATED,
    SEEDS,
    embodiment_of,
    held_out,
    labelled,
    replayed,
    setting_of,
    stage_one,
    tested,
    tried,
    unlabelled,
)
from glam.bench.runs import PolicyRun, WorldModelRun

TASKS = ("stack-two", "knock-down")
ABLATED = (
    "glam-o",
    "glam-o-unaligned",
    "glam-o-idm-actions",
    "glam-o-symmetric",
    "glam-o-pose-only",
    "glam-o-no-pose",
    "glam-o-detached",
    "glam-o-exact-poses",
    "glam-o-one-frame",
    "clam-o-both",
    "clam-both",
)
CALIBRATION = "poses off by 20 mm and 5 degrees"


def ablation() -> Iterator[Cell]:
    """For each training first the method as it is, then without one of its parts, then with wrong poses."""
    for seed in SEEDS:
        for task in TASKS:
            for method in ABLATED:
                yield tried(method, task, seed)
                model = stage_one(method, task, seed, embodiment_of(task))
                yield replayed(model, held_out(task, "umi"), embodiment_of(task))
            yield tried("retarget", task, seed)
            yield from _badly_calibrated(task, seed)


def _badly_calibrated(task: str, seed: int) -> Iterator[Cell]:
    """Auxiliary poses with an error of their own in every episode: latent actions against inverse kinematics."""
    embodiment = embodiment_of(task)
    target, wrong = labelled(task, embodiment), (unlabelled(task, BADLY_CALIBRATED),)
    model = WorldModelRun("glam-o", target, wrong, seed, changes=setting_of("glam-o").world_model)
    latent = PolicyRun("latent", target, wrong, model, seed, changes=setting_of("glam-o").policy)
    retarget = PolicyRun("retarget", target, wrong, seed=seed, changes=setting_of("retarget").policy)
    yield Cell(tested(latent), task, "glam-o", seed, CALIBRATION)
    yield replayed(model, held_out(task, "umi", BADLY_CALIBRATED), embodiment)
    yield Cell(tested(retarget), task, "retarget", seed, CALIBRATION)
