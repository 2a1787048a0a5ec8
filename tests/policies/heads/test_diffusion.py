import math

import torch
from tests.policies import tiny

from glam.nn.gaussian import Noise
from glam.policies.heads.diffusion import Diffusion, DiffusionConfig


def head(steps: int = 10) -> Diffusion:
    torch.manual_seed(0)
    return Diffusion(12, 8, DiffusionConfig(chunk_size=5, layers=2, hidden=32, steps=steps, draws=1))


def test_the_network_is_given_the_chunk_and_noise_mixed_with_constant_variance() -> None:
    diffusion, chunks, given = head(), tiny.chunks(4), []
    diffusion.network.forward = lambda condition, mixed, at: (given.append((mixed, at)), torch.zeros_like(mixed))[1]
    output = diffusion.training_forward(tiny.normal(4, 12), chunks, Noise.seeded(3))
    noise = Noise.seeded(3)
    added, time = noise.normal(4, 5, 8), noise.uniform(4, 1)
    ((mixed, at),) = given
    share = torch.cos(math.pi / 2 * time)[..., None] ** 2
    torch.testing.assert_close(at, time)
    torch.testing.assert_close(mixed, share.sqrt() * chunks.values + (1 - share).sqrt() * added)
    torch.testing.assert_close(output.loss, chunks.values.square().mean())  # of a prediction of zero


def test_a_denoiser_that_is_right_has_no_loss_and_its_samples_are_the_chunk() -> None:
    diffusion, chunks = head(), tiny.chunks(4)
    diffusion.network.forward = lambda condition, mixed, at: chunks.values
    output = diffusion.training_forward(tiny.normal(4, 12), chunks, Noise.seeded(0))
    assert output.loss == 0.0
    assert torch.equal(output.predictions[0].chunk, chunks.values)
    assert torch.equal(diffusion.sample(tiny.normal(4, 12)), chunks.values)


def test_ddim_steps_follow_the_mixture_that_training_shows() -> None:
    """With a fixed prediction x the noise is read as zero, for a sample starts at zero: the network sees sqrt(a) x."""
    diffusion, x, given = head(4), tiny.normal(4, 5, 8), {}
    diffusion.network.forward = lambda condition, mixed, at: (given.update({at[0, 0].item(): mixed}), x)[1]
    diffusion.sample(tiny.normal(4, 12))
    assert list(given) == [1.0, 0.75, 0.5, 0.25]
    for time, mixed in given.items():
        torch.testing.assert_close(mixed, math.cos(math.pi / 2 * time) * x, atol=1e-6, rtol=1e-5)
