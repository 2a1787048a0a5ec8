"""Noise is the same for a row whether one process or several hold the batch."""

import torch

from glam.nn.gaussian import Noise


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


def test_rows_of_several_tensors_are_shared_tensor_by_tensor():
    whole, halves = Noise.seeded(7), noises(7)
    first, second = whole.over(4, 6).normal(10, 3).split([4, 6])
    shared = [half.over(2, 3).normal(5, 3).split([2, 3]) for half in halves]
    assert torch.equal(first, torch.cat([part for part, _ in shared]))
    assert torch.equal(second, torch.cat([part for _, part in shared]))
    assert torch.equal(torch.cat([first, second]), Noise.seeded(7).normal(10, 3))


def test_what_all_rows_have_in_common_is_alike_in_all_processes():
    draws = [half.alike.uniform(1, 5) for half in noises(7)]
    assert torch.equal(draws[0], draws[1])
    assert torch.equal(draws[0], Noise.seeded(7).uniform(1, 5))


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
