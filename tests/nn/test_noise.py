"""Noise is the same for a row whether one process or several hold the batch."""

import torch

from glam.nn.noise import Noise


def noises(seed: int) -> list[Noise]:
    return [Noise(torch.Generator().manual_seed(seed), share, 2) for share in range(2)]


def test_the_shares_of_two_processes_together_are_the_noise_of_one():
    whole, halves = Noise.seeded(7), noises(7)
    for draw in (
        lambda noise, rows: noise.normal(rows, 3),
        lambda noise, rows: noise.uniform(rows, 2, 2),
        lambda noise, rows: noise.integers(9, rows),
    ):
        assert torch.equal(draw(whole, 6), torch.cat([draw(half, 3) for half in halves]))


def test_the_same_seed_gives_the_same_numbers_and_the_next_draw_others():
    noise = Noise.seeded(1)
    first = noise.normal(4, 2)
    assert torch.equal(first, Noise.seeded(1).normal(4, 2))
    assert not torch.equal(first, noise.normal(4, 2))
    assert not torch.equal(first, Noise.seeded(2).normal(4, 2))


def test_uniform_numbers_and_integers_stay_in_their_range():
    noise = Noise.seeded(3)
    uniform, integers = noise.uniform(1000), noise.integers(4, 1000)
    assert 0 <= uniform.min() < 0.01
    assert 0.99 < uniform.max() < 1
    assert sorted(integers.unique().tolist()) == [0, 1, 2, 3]
