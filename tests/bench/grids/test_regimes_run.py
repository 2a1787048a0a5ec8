"""Regimes of every kind run from recordings to replays and trials, with few episodes and few steps."""

from dataclasses import fields, is_dataclass, replace

import pytest

from glam.bench.grids.regimes import regimes
from glam.bench.run import BenchRun, RunStore, ordered
from glam.bench.runs import DataRun, EvaluationRun, PolicyRun, ReplayRun, WorldModelRun

EPISODES = 3


def small(run):
    """The same run with few episodes and few steps, of itself and of all that it needs."""
    changes = {field.name: _small(getattr(run, field.name)) for field in fields(run)}
    if isinstance(run, DataRun):
        changes["episodes"] = EPISODES
    if isinstance(run, WorldModelRun | PolicyRun):
        changes |= {"preset": "smoke", "changes": ()}
    if isinstance(run, EvaluationRun):
        changes |= {"episodes": 1, "films": 0}
    return replace(run, **changes)


def _small(value):
    if isinstance(value, tuple):
        return tuple(map(_small, value))
    return small(value) if isinstance(value, BenchRun) and is_dataclass(value) else value


ALONE = "front camera alone"
OTHERS = "world model of other tasks' auxiliary data"
TRACKED = "tracks with 1 px of noise, no poses"
PERSON = "a person's hand, tracks with 1 px of noise, no poses"
KINDS = {
    ("replay", "glam-o"): ("own frame, aligned", ALONE, TRACKED, PERSON),
    ("replay", "glam"): (OTHERS,),
    ("evaluation", "glam"): (OTHERS,),
    ("evaluation", "glam-o"): (ALONE, TRACKED, f"{TRACKED}, no tracks at run time", "joint torques"),
    ("evaluation", "glam-o-no-pose"): ("no poses and no tracks",),
    ("evaluation", "retarget"): ("gripper in other units, aligned", "joint velocities", "tool deltas"),
}
"""One cell of each kind; regimes that differ in numbers alone run alike."""


def _is_chosen(cell):
    words = cell.detail.rpartition(":")[0] if cell.run.kind == "replay" else cell.detail
    return cell.task == "stack-two" and words in KINDS.get((cell.run.kind, cell.method), ())


CELLS = list(filter(_is_chosen, regimes()))


def test_there_is_a_cell_of_every_kind():
    assert len(CELLS) == sum(map(len, KINDS.values()))


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Runs of all cells: what several need is made once."""
    return RunStore(tmp_path_factory.mktemp("regimes"))


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell.run.kind} {cell.title}")
def test_a_regime_runs(cell, store):
    run = small(cell.run)
    for part in ordered([run]):
        if not store.is_done(part):
            store.make(part)
    assert store.is_done(run)
    assert isinstance(run, ReplayRun | EvaluationRun)
