"""Latent actions as precise as inverse kinematics: replays, ablations of stage 1, and policies.

All on validation scenes.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from glam.bench.cell import Cell
from glam.bench.grids.parts import (
    BADLY_CALIBRATED,
    TASKS,
    UPPER_BOUND,
    WITHOUT_GRIPPER,
    WRONG_TOOL,
    embodiment_of,
    held_out,
    labelled,
    policy_by,
    replayed,
    stage_one,
    unlabelled,
    validated,
)
from glam.bench.runs import Change, WorldModelRun
from glam.sim.sensors import PERFECT_TRACKER, Tracker

SEEDS = (0, 1)
METHODS = ("mip", "glam", "glam-o", "retarget", UPPER_BOUND)
SOURCES = ("umi", "kinova", "kinova-lab")
ABLATED = ("stack-two", "pick-place")
"""A task of each robot: `kinova` and, one frame late, `kinova-lab`."""
IDM_FRAMES = (2, 4, 6)
CLIPS = (10.0, 5000.0, 100_000.0)
"""Largest norms of the gradient: active in nearly every step, in some, and in hardly any."""
PRECISION: dict[str, Change] = {
    "a third of the target windows": Change("batch.target_windows", 8),
    "actions with unit variance": Change("model.action_weight", 1.0),
    "posteriors at least 0.05 wide": Change("model.parts.log_variance", (-6.0, 2.0)),
    "exact poses": Change("model.idm_rotation_noise", 0.0),
}
"""What makes labels exact, taken away one at a time."""
FORWARD_WEIGHTS = (0.0, 1.0, 30.0, 100.0)
POSES: dict[str, tuple[str, Tracker, Tracker]] = {
    "good poses": ("glam-o", PERFECT_TRACKER, PERFECT_TRACKER),
    "poses off by 20 mm and 5 degrees": ("glam-o", PERFECT_TRACKER, BADLY_CALIBRATED),
    "tool 30 mm too long": ("glam-o", PERFECT_TRACKER, WRONG_TOOL),
    "gripper hidden": ("glam-o", WITHOUT_GRIPPER, WITHOUT_GRIPPER),
    "RGB": ("glam", PERFECT_TRACKER, PERFECT_TRACKER),
}
"""Method, and trackers of the target and of the hand-held gripper, for the ablation of the forward terms."""
_AUGMENTATION = "model.states.augmentation"
AUGMENTATIONS: dict[str, tuple[Change, ...]] = {
    "as the recipe": (),
    "colours not varied": tuple(Change(f"{_AUGMENTATION}.{name}", 0.0) for name in ("gain", "contrast", "offset")),
    "colours varied half as much": (
        Change(f"{_AUGMENTATION}.gain", 0.25),
        Change(f"{_AUGMENTATION}.contrast", 0.25),
        Change(f"{_AUGMENTATION}.offset", 0.15),
    ),
    "blur besides": (Change(f"{_AUGMENTATION}.blur", 1.0),),
    "noise besides": (Change(f"{_AUGMENTATION}.noise", 0.05),),
    "cut-out besides": (Change(f"{_AUGMENTATION}.cut_out", 0.25),),
}


def method() -> Iterator[Cell]:
    """Everything once, then replays of the second trainings, then the policies, which take longest."""
    for seed in SEEDS:
        yield from _replays(seed)
        yield from _idm_frames(seed)
        yield from _clips(seed)
        yield from _precision(seed)
        yield from _augmentations(seed)
        yield from _forward_weights(seed)
        for name, task in product(METHODS, TASKS):
            yield Cell(validated(policy_by(name, task, seed)), task, name, seed)


def _replays(seed: int) -> Iterator[Cell]:
    """Every task and every source, with masks and with RGB."""
    for name, task, source in product(("glam-o", "glam"), TASKS, SOURCES):
        yield replayed(stage_one(name, task, seed, embodiment_of(task)), held_out(task, source), embodiment_of(task))


def _idm_frames(seed: int) -> Iterator[Cell]:
    for task, frames, source in product(ABLATED, IDM_FRAMES, ("umi", "kinova-lab")):
        model = _changed(stage_one("glam-o", task, seed, embodiment_of(task)), (Change("model.idm_frames", frames),))
        yield _replay(model, f"idm_frames {frames}", source)


def _clips(seed: int) -> Iterator[Cell]:
    for task, clip in product(ABLATED, CLIPS):
        model = _changed(stage_one("glam-o", task, seed, embodiment_of(task)), (Change("fit.grad_clip", clip),))
        yield _replay(model, f"gradient clipped at {clip:g}", "umi")


def _precision(seed: int) -> Iterator[Cell]:
    for task, (words, change) in product(ABLATED, PRECISION.items()):
        model = _changed(stage_one("glam-o", task, seed, embodiment_of(task)), (change,))
        yield _replay(model, words, "umi")


def _augmentations(seed: int) -> Iterator[Cell]:
    for task, (words, changes) in product(ABLATED, AUGMENTATIONS.items()):
        model = stage_one("glam", task, seed, embodiment_of(task))
        yield _replay(_changed(model, changes), f"glam, {words}", "umi")
    for task in ABLATED:
        masked = stage_one("glam-o", task, seed, embodiment_of(task))
        yield _replay(_changed(masked, AUGMENTATIONS["cut-out besides"]), "glam-o, cut-out", "umi")


def _forward_weights(seed: int) -> Iterator[Cell]:
    for task, (words, (name, known, tracker)), weight in product(ABLATED, POSES.items(), FORWARD_WEIGHTS):
        target = labelled(task, embodiment_of(task), known)
        model = WorldModelRun(name, target, (unlabelled(task, tracker),), seed)
        change = Change("model.forward_weight", weight)
        yield _replay(_changed(model, (change,)), f"{words}, forward terms x {weight:g}", "umi", tracker)


def _changed(model: WorldModelRun, changes: tuple[Change, ...]) -> WorldModelRun:
    """The same world model with other settings; settings of the recipe are no change, so that it is made once."""
    other = replace(model, changes=changes)
    return model if other.settings == model.settings else other


def _replay(model: WorldModelRun, words: str, source: str, tracker: Tracker = PERFECT_TRACKER) -> Cell:
    task, robot = model.target.task, model.target.embodiment
    cell = replayed(model, held_out(task, source, tracker), robot)
    return replace(cell, detail=f"{words}: {cell.detail}")
