"""Random numbers follow from seed, step and purpose alone."""

from dataclasses import replace

import torch

from glam.training.batches import Processes
from glam.training.learner import FitConfig
from glam.training.reproducibility import context_at, seed_initialisation, seed_layers, seed_of

CONFIG = FitConfig(seed=1)


def drawn(config=CONFIG, step=3, purpose="losses"):
    return context_at(config, step, purpose).noise.normal(4)


def test_seeds_differ_whenever_a_part_does():
    seeds = {seed_of(a, b, c) for a in range(10) for b in range(10) for c in ("x", "y")}
    assert len(seeds) == 200
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert seed_of(1, 23) != seed_of(12, 3)


def test_seeds_are_the_same_on_every_machine():
    assert seed_of(0, "losses", 1) == 1564191076030497893


def test_noise_is_a_pure_function_of_seed_step_and_purpose():
    torch.rand(3)
    assert torch.equal(drawn(), drawn())
    assert not torch.equal(drawn(), drawn(step=4))
    assert not torch.equal(drawn(), drawn(purpose="after step"))
    assert not torch.equal(drawn(), drawn(replace(CONFIG, seed=2)))


def test_processes_share_the_noise_of_one():
    halves = [context_at(CONFIG, 3, "losses", Processes(rank, 2)).noise.normal(2) for rank in range(2)]
    assert torch.equal(torch.cat(halves), drawn())


def test_layers_draw_the_same_in_the_same_step_and_differently_in_another_process():
    def dropped(step, processes):
        seed_layers(CONFIG, step, processes)
        return torch.nn.functional.dropout(torch.ones(64), 0.5)

    first = dropped(0, Processes(0, 2))
    assert torch.equal(first, dropped(0, Processes(0, 2)))
    assert not torch.equal(first, dropped(0, Processes(1, 2)))
    assert not torch.equal(first, dropped(1, Processes(0, 2)))


def test_first_weights_follow_from_the_seed():
    def weights(seed):
        seed_initialisation(seed)
        return torch.nn.Linear(3, 3).weight

    assert torch.equal(weights(0), weights(0))
    assert not torch.equal(weights(0), weights(1))
