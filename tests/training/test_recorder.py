"""What is due is recorded at its steps, and validation sees the weights that would be kept."""

import math
from dataclasses import replace

import pytest
import torch

from glam.core.errors import GlamError
from glam.training import checkpoint, metrics, recorder
from glam.training.fit import fit
from glam.training.recorder import CHECKPOINTS, METRICS, Hooks


def steps_of(folder, split):
    return [line["step"] for line in metrics.read(folder / METRICS) if line["split"] == split]


def test_metrics_validations_and_checkpoints_come_at_their_steps_and_at_the_end(toy, tmp_path):
    fit(toy.new_toy(), toy.batch_at, toy.CONFIG, tmp_path, Hooks(validate=lambda step: {"score": 1.0}))
    assert steps_of(tmp_path, "train") == [2, 4, 6, 8, 10, 12]
    assert steps_of(tmp_path, "validation") == [6, 12]
    assert checkpoint.steps(tmp_path / CHECKPOINTS) == [10, 12]


def test_validation_may_come_at_the_end_only_and_may_have_nothing_to_say(toy, tmp_path):
    config = replace(toy.CONFIG, steps=3, validate_every=0)
    asked = []
    fit(toy.new_toy(), toy.batch_at, config, tmp_path, Hooks(validate=lambda step: asked.append(step) or {}))
    assert asked == [3]
    assert steps_of(tmp_path, "validation") == []


def test_validation_sees_the_average_in_evaluation_mode_and_leaves_training_as_it_was(toy, tmp_path):
    learner, seen = toy.new_toy(), {}

    def validate(step):
        assert not learner.training
        seen[step] = learner.head[0].weight.detach().clone()
        torch.rand(3)
        return {}

    config = replace(toy.CONFIG, validate_every=1, ema_decay=0.9)
    kept = fit(learner, toy.batch_at, config, tmp_path / "validated", Hooks(validate=validate))
    plain = fit(toy.new_toy(), toy.batch_at, replace(config, validate_every=0), tmp_path / "plain")
    assert torch.equal(seen[12], kept["head.0.weight"])
    assert all(torch.equal(kept[name], tensor) for name, tensor in plain.items())


def test_one_line_in_four_and_the_last_have_what_is_measured_in_training(toy, tmp_path):
    learner = toy.new_toy()
    hooks = Hooks(diagnose=lambda step: {"pull": float(learner.training)})
    config = replace(toy.CONFIG, log_every=1, steps=10)
    kept = fit(learner, toy.batch_at, config, tmp_path / "measured", hooks)
    lines = [line for line in metrics.read(tmp_path / "measured" / METRICS) if line["split"] == "train"]
    assert {line["step"]: line["pull"] for line in lines if "pull" in line} == {4: 1.0, 8: 1.0, 10: 1.0}
    plain = fit(toy.new_toy(), toy.batch_at, config, tmp_path / "plain")
    assert all(torch.equal(kept[name], tensor) for name, tensor in plain.items())


def test_progress_tells_the_step_of_how_many(toy, tmp_path):
    told = []
    fit(toy.new_toy(), toy.batch_at, toy.CONFIG, tmp_path, Hooks(progress=told.append))
    assert [progress.step for progress in told] == list(range(1, 13))
    assert {progress.steps for progress in told} == {12}


def test_other_logs_get_the_same_values_and_are_closed_even_after_an_error(toy, tmp_path):
    written, closed = [], []

    class Sink:
        def write(self, step, values):
            written.append((step, values))

        def close(self):
            closed.append(True)

    hooks = Hooks(sinks=(lambda step: Sink(),), validate=lambda step: {"score": math.nan})
    with pytest.raises(GlamError, match="validation metric 'score' of step 6 is nan"):
        fit(toy.new_toy(), toy.batch_at, toy.CONFIG, tmp_path, hooks)
    assert closed == [True]
    line = metrics.read(tmp_path / METRICS)[0]
    assert written[0] == (2, {f"train/{name}": line[name] for name in line.keys() - {"step", "split", "seconds"}})


def test_a_checkpoint_tells_where_it_comes_from(toy, tmp_path):
    fit(toy.new_toy(), toy.batch_at, toy.CONFIG, tmp_path)
    facts = checkpoint.load(tmp_path / CHECKPOINTS, 12).facts
    assert facts["config"]["steps"] == 12
    assert facts["rng"]["seed"] == 3
    assert facts["versions"]["torch"] == torch.__version__
    assert facts["seconds"] > 0


def test_a_checkpoint_comes_by_time_too(toy, tmp_path, monkeypatch):
    monkeypatch.setattr(recorder, "SAVE_SECONDS", 0.0)
    saved = []
    monkeypatch.setattr(checkpoint, "save", lambda root, one: saved.append(one.step))
    fit(toy.new_toy(), toy.batch_at, replace(toy.CONFIG, steps=3, save_every=100), tmp_path)
    assert saved == [1, 2, 3]
