"""A state that went through a checkpoint takes the next step bit by bit like the one that did not."""

from dataclasses import replace

import pytest
import torch

from glam.core.errors import GlamError
from glam.training import checkpoint
from glam.training.batches import ALONE
from glam.training.checkpoint import TrainingState
from glam.training.fit import gradient_step


@pytest.fixture
def config(toy):
    return replace(toy.CONFIG, steps=20)


def new_state(toy, config):
    return TrainingState(toy.new_toy(dropout=0.3), config, torch.device("cpu"))


def take_steps(toy, state, config, steps):
    for step in steps:
        gradient_step(state, toy.batch_at(step), step, config, ALONE)


def everything(state):
    parts = state.checkpoint(0, {}).tensors
    return {f"{part}/{name}": tensor for part, tensors in parts.items() for name, tensor in tensors.items()}


def test_a_restored_state_goes_on_like_the_one_that_was_saved(toy, config, tmp_path):
    state, other = new_state(toy, config), new_state(toy, config)
    take_steps(toy, state, config, range(3))
    checkpoint.save(tmp_path, state.checkpoint(3, {}))
    with torch.no_grad():  # whatever the other was before is forgotten
        for parameter in other.learner.parameters():
            parameter.add_(1.0)
    other.restore(checkpoint.load(tmp_path, 3), tmp_path)
    for one in (state, other):
        take_steps(toy, one, config, range(3, 6))
    saved, restored = everything(state), everything(other)
    assert saved.keys() == restored.keys()
    for name, tensor in saved.items():
        assert torch.equal(tensor, restored[name]), name


def test_all_that_a_step_changes_is_in_the_checkpoint(toy, config):
    state = new_state(toy, config)
    found = everything(state)
    assert "average/encoder.project.weight" in found
    assert "model/quantiser.usage" in found
    take_steps(toy, state, config, range(1))
    found = everything(state)
    assert {f"optimiser/head.0.weight.{key}" for key in ("step", "exp_avg", "exp_avg_sq")} < found.keys()


def test_a_parameter_without_moments_has_none_after_restoring(toy, config, tmp_path):
    state, other = new_state(toy, config), new_state(toy, config)
    take_steps(toy, state, config, range(1))
    checkpoint.save(tmp_path, state.checkpoint(1, {}))
    other.restore(checkpoint.load(tmp_path, 1), tmp_path)
    assert other.learner.spare.weight not in other.optimiser.state
    assert len(other.optimiser.state) == len(state.optimiser.state)


def test_moments_have_the_memory_format_of_their_parameter(toy, config, tmp_path):
    state, other = new_state(toy, config), new_state(toy, config)
    take_steps(toy, state, config, range(1))
    checkpoint.save(tmp_path, state.checkpoint(1, {}))
    other.restore(checkpoint.load(tmp_path, 1), tmp_path)
    for one in (state, other):
        kernel = one.learner.encoder.convolutions[2].weight
        assert one.optimiser.state[kernel]["exp_avg"].stride() == kernel.stride()


def test_a_checkpoint_of_another_architecture_is_refused_by_file_and_tensor(toy, config, tmp_path):
    state = new_state(toy, config)
    take_steps(toy, state, config, range(1))
    checkpoint.save(tmp_path, state.checkpoint(1, {}))
    other = toy.new_toy()
    other.head = torch.nn.Linear(4, 8)
    with pytest.raises(GlamError, match=r"model\.safetensors: made for another architecture: tensor 'head"):
        TrainingState(other, config, torch.device("cpu")).restore(checkpoint.load(tmp_path, 1), tmp_path)


def test_a_checkpoint_with_an_average_does_not_fit_a_training_without(toy, config, tmp_path):
    checkpoint.save(tmp_path, new_state(toy, config).checkpoint(1, {}))
    plain = new_state(toy, replace(config, ema_decay=0.0))
    with pytest.raises(GlamError, match=r"average\.safetensors: made for another architecture"):
        plain.restore(checkpoint.load(tmp_path, 1), tmp_path)


def test_the_scale_of_an_fp16_loss_is_restored(toy, config, tmp_path):
    half = replace(config, device="cuda", precision="fp16")
    state, other = new_state(toy, half), new_state(toy, half)
    state.scaler.scale(torch.ones(()))  # the scale exists from its first use on
    state.scaler.update(new_scale=512.0)
    checkpoint.save(tmp_path, state.checkpoint(1, {}))
    other.restore(checkpoint.load(tmp_path, 1), tmp_path)
    assert other.scaler.get_scale() == 512.0
