"""An interrupted training ends bit by bit like one that was not; other settings and damage are refused."""

import shutil
from dataclasses import replace

import pytest
import torch

from glam.core.errors import GlamError
from glam.training import checkpoint, metrics
from glam.training.fit import fit
from glam.training.optimisation import NonFiniteError
from glam.training.recorder import CHECKPOINTS, METRICS, Hooks


def equal(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def log(folder):
    return [
        {name: value for name, value in line.items() if name != "seconds"} for line in metrics.read(folder / METRICS)
    ]


def interrupted_at(toy, step, folder, config):
    def stop(progress):
        if progress.step == step:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(toy.new_toy(dropout=0.3), toy.batch_at, config, folder, Hooks(progress=stop))


def test_whoever_dies_at_any_point_ends_like_the_undisturbed(trials):
    results = trials("dying", 12, 3)
    crashes, kills = results["crashes"], results["kills"]
    assert crashes["points"] > 100
    assert crashes["deaths"] > crashes["trials"]
    assert crashes["equal"] == crashes["trials"] == 12
    assert kills["deaths"] > 0
    assert kills["equal"] == 1


@pytest.mark.parametrize("step", [1, 4, 5, 7, 11])
def test_an_interrupted_training_ends_like_an_uninterrupted_one(toy, tmp_path, step):
    whole = fit(toy.new_toy(dropout=0.3), toy.batch_at, toy.CONFIG, tmp_path / "whole")
    interrupted_at(toy, step, tmp_path / "parts", toy.CONFIG)
    torch.manual_seed(99)
    parts = fit(toy.new_toy(dropout=0.3), toy.batch_at, toy.CONFIG, tmp_path / "parts")
    assert equal(whole, parts)
    assert log(tmp_path / "whole") == log(tmp_path / "parts")


def test_the_same_seed_gives_the_same_weights_and_another_gives_others(toy, tmp_path):
    def trained(name, **changes):
        return fit(toy.new_toy(), toy.batch_at, replace(toy.CONFIG, steps=3, **changes), tmp_path / name)

    assert equal(trained("one"), trained("same"))
    assert not equal(trained("one"), trained("other", seed=4))


def test_two_threads_give_the_same_weights_each_time(toy, tmp_path):
    def trained(name):
        config = replace(toy.CONFIG, steps=3, threads=2)
        return fit(toy.new_toy(), lambda step: toy.batch_at(step, rows=64), config, tmp_path / name)

    assert equal(trained("one"), trained("same"))


def test_training_lowers_the_loss(toy, tmp_path):
    config = replace(toy.CONFIG, steps=60, log_every=1, save_every=60)
    fit(toy.new_toy(), toy.batch_at, config, tmp_path)
    losses = [line["loss.image"] for line in log(tmp_path)]
    assert losses[-1] < 0.8 * losses[0]


def test_the_learner_ends_with_the_weights_to_keep(toy, tmp_path):
    learner = toy.new_toy()
    kept = fit(learner, toy.batch_at, toy.CONFIG, tmp_path)
    assert equal(kept, learner.state_dict())
    assert not learner.training
    raw = checkpoint.load(tmp_path / CHECKPOINTS, 12).tensors["model"]
    assert not torch.equal(kept["head.0.weight"], raw["head.0.weight"]), "the average is kept, not the last weights"


def test_a_finished_training_is_not_trained_again(toy, trained, tmp_path):
    root = tmp_path / "run"
    shutil.copytree(trained, root)

    def no_more(step):
        raise AssertionError(step)

    kept = fit(toy.new_toy(dropout=0.2), no_more, toy.CONFIG, root)
    average = checkpoint.load(root / CHECKPOINTS, 12).tensors["average"]
    assert torch.equal(kept["head.0.weight"], average["head.0.weight"])


def test_the_checkpoint_of_another_config_is_refused_by_field(toy, trained):
    with pytest.raises(GlamError, match=r"made with another config: fit\.learning_rate is 0\.01 there and 0\.02 here"):
        fit(toy.new_toy(), toy.batch_at, replace(toy.CONFIG, learning_rate=0.02), trained)


def test_a_damaged_checkpoint_is_refused_by_file(toy, trained, tmp_path):
    root = tmp_path / "run"
    shutil.copytree(trained, root)
    path = root / CHECKPOINTS / "step-00000012" / "model.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(GlamError, match=r"step-00000012/model\.safetensors: damaged .* to resume from step 10"):
        fit(toy.new_toy(), toy.batch_at, toy.CONFIG, root)


def test_a_number_that_is_none_leaves_the_last_checkpoint_and_the_log_before_it(toy, tmp_path):
    def spoilt(step):
        batch = toy.batch_at(step)
        if step == 8:
            batch.auxiliary[0] = float("nan")
        return batch

    with pytest.raises(NonFiniteError, match=r"step 8: loss term 'image' is nan \(batch\.auxiliary is not finite\)"):
        fit(toy.new_toy(), spoilt, toy.CONFIG, tmp_path)
    assert checkpoint.steps(tmp_path / CHECKPOINTS) == [5]
    assert log(tmp_path)[-1]["step"] == 8
    mended = fit(toy.new_toy(), toy.batch_at, toy.CONFIG, tmp_path)
    assert equal(mended, fit(toy.new_toy(), toy.batch_at, toy.CONFIG, tmp_path / "whole"))


def test_a_device_that_is_not_there_is_refused_before_anything_is_written(toy, tmp_path):
    with pytest.raises(GlamError, match="device cuda:9: not available here"):
        fit(toy.new_toy(), toy.batch_at, replace(toy.CONFIG, device="cuda:9"), tmp_path / "run")
    assert not (tmp_path / "run").exists()
