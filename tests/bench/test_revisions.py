"""The same name never carries two results."""

from copy import deepcopy

import pytest
from tests.bench import golden

from glam.bench.runs import EvaluationRun, PolicyRun, WorldModelRun
from glam.core.files import read_json
from glam.policies.latent import LatentPolicyConfig

RUNS = golden.runs_by_key()
RECORDED = read_json(golden.GOLDEN)


def test_runs_give_what_earlier_code_gave_under_the_same_names(pipeline):
    """If this fails, code has changed what a stage does: the sentence says what to raise."""
    assert golden.problem(RECORDED, golden.results(pipeline.store), RUNS) == ""


def test_a_stage_of_another_revision_renames_its_runs_and_all_that_need_them_and_no_others(monkeypatch):
    before = {key: run.name for key, run in names().items()}
    monkeypatch.setattr(WorldModelRun, "revision", 1)
    after = {key: run.name for key, run in names().items()}
    renamed = {key for key in before if before[key] != after[key]}
    assert {key.split(" ")[0] for key in renamed} == {"world-model", "policy", "replay", "evaluation", "trajectories"}
    assert not any("mip" in key or "retarget" in key or "data" in key for key in renamed)


def test_what_is_no_part_of_a_stage_renames_nothing(monkeypatch):
    before = {key: run.name for key, run in names().items()}
    monkeypatch.setattr("glam.reports.films.encode_film", None)
    monkeypatch.setattr(LatentPolicyConfig, "__doc__", "Another docstring.")
    assert {key: run.name for key, run in names().items()} == before


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("data lift", "raise `revision` of the task lift"),
        ("world-model", "raise `revision` of WorldModelRun in src/glam/bench/runs/stage_one.py by one"),
        ("policy", "raise `revision` of PolicyRun in src/glam/bench/runs/stage_two.py by one"),
        ("evaluation", "raise `revision` of EvaluationRun in src/glam/bench/runs/stage_two.py by one"),
    ],
)
def test_another_result_under_the_same_name_is_refused_and_says_what_to_raise(kind, words):
    changed = deepcopy(RECORDED)
    key = next(key for key in changed if key.startswith(kind))
    where = next(name for name, value in changed[key]["values"].items() if isinstance(value, float) and value)
    changed[key]["values"][where] *= 1.01
    found = golden.problem(RECORDED, changed, RUNS)
    assert found.startswith(f"{key}: {where} is ")
    assert words in found


def test_runs_under_new_names_ask_for_new_golden_results():
    renamed = deepcopy(RECORDED)
    key = next(key for key in renamed if key.startswith("policy"))
    renamed[key] = {"name": "other", "values": {}}
    assert golden.problem(RECORDED, renamed, RUNS) == f"{key}: runs have other names now; run `{golden.REWRITE}`"


def test_a_revision_alone_makes_another_name(monkeypatch):
    before = EvaluationRun(golden.POLICY).name
    monkeypatch.setattr(EvaluationRun, "revision", 1)
    assert EvaluationRun(golden.POLICY).name != before
    assert PolicyRun("mip", golden.TARGET).name == PolicyRun("mip", golden.TARGET).name


def names():
    """The runs anew: a name is computed once."""
    fresh = deepcopy(RUNS)
    for run in golden.ordered(list(fresh.values())):
        vars(run).pop("name", None)
    return fresh
