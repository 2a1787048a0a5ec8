"""How fast a policy on latent actions trains, beside the same objective in plain PyTorch and the convolution peak.

The plain loop has PyTorch's default memory format, layers, optimiser and clipping, as `naive_loop.py` has, and decodes
every step of a chunk, as the paper does. Used by `speed.py`; batches are of random numbers.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from naive_loop import in_plain_torch
from torch import nn
from world_model import arithmetic, in_turns, plain_convolution

from glam.policies.batches import Chunks, Keypoints, LatentBatch, LatentSamples, Observations
from glam.policies.latent import LatentPolicy, LatentPolicyConfig
from glam.policies.observation import ObservationSizes
from glam.stages.train_policy import TrainPolicyConfig
from glam.training.batches import ALONE
from glam.training.checkpoint import TrainingState
from glam.training.fit import gradient_step
from glam.training.learner import weighted_sum
from glam.training.reproducibility import context_at

VIEWS, POSE, JOINTS, LATENT, PIXELS = 2, 10, 8, 8, 64


def measured(config: TrainPolicyConfig, rounds: int) -> dict[str, float]:
    """Milliseconds and arithmetic of a step, ours and the plain one, and the peak."""
    ours, naive = training_step(config), plain_step(config)
    convolution, peak_work = plain_convolution()
    flops = arithmetic(ours)
    times = in_turns({"ours": ours, "naive": naive, "convolution": convolution}, rounds)
    peak = peak_work / times["convolution"]
    return {
        "ms_per_step": 1e3 * times["ours"],
        "gflops": flops / times["ours"] / 1e9,
        "convolution_peak_gflops": peak / 1e9,
        "share_of_convolution_peak": flops / times["ours"] / peak,
        "naive_ms_per_step": 1e3 * times["naive"],
        "ratio_to_naive": times["naive"] / times["ours"],
    }


def training_step(config: TrainPolicyConfig) -> Callable[[], Any]:
    state = TrainingState(built(config), config.fit, torch.device("cpu"))
    batch = random_batch(config)
    return lambda: gradient_step(state, batch, 100, config.fit, ALONE)


def plain_step(config: TrainPolicyConfig) -> Callable[[], Any]:
    assert isinstance(config.policy, LatentPolicyConfig)
    config = replace(config, policy=replace(config.policy, decoded_share=1.0))
    model, batch = built(config), random_batch(config)
    in_plain_torch(model)
    optimiser = torch.optim.AdamW(model.parameters(), config.fit.learning_rate, weight_decay=config.fit.weight_decay)

    def step() -> None:
        optimiser.zero_grad()
        terms = model.losses(batch, context_at(config.fit, 100, "losses", ALONE))
        weighted_sum(terms, model.weights).backward()
        nn.utils.clip_grad_norm_(model.parameters(), config.fit.grad_clip)
        optimiser.step()

    return step


def built(config: TrainPolicyConfig) -> LatentPolicy:
    assert isinstance(config.policy, LatentPolicyConfig)
    torch.manual_seed(0)
    return config.policy.build(ObservationSizes(VIEWS, POSE, JOINTS, 0), LATENT, JOINTS)


def random_batch(config: TrainPolicyConfig) -> LatentBatch:
    """As many samples of the target as of auxiliary sources."""
    noise, count = torch.Generator().manual_seed(0), config.batch_size // 2

    def samples() -> LatentSamples:
        images = torch.rand(count, VIEWS, 3, PIXELS, PIXELS, generator=noise)
        pose, state = (torch.randn(count, size, generator=noise) for size in (POSE, JOINTS))
        observed = Observations(images, pose, state, torch.ones(count, 1))
        return LatentSamples(observed, Keypoints(torch.zeros(count, 0), torch.zeros(count, 0)), chunks(LATENT))

    def chunks(entries: int) -> Chunks:
        length = config.policy.head.chunk_size
        return Chunks(torch.randn(count, length, entries, generator=noise), torch.ones(count, length))

    return LatentBatch(samples(), chunks(JOINTS), samples())
