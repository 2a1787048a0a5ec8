"""Seeds: every random number of a run is a pure function of its seed, the step and its purpose.

Generators are seeded anew for each step. So there is no generator state that a checkpoint would have to store, and step
700 draws the same numbers in whatever process it runs.
"""

import hashlib

import torch

from glam.nn.noise import Noise
from glam.training.config import FitConfig
from glam.training.learner import StepContext
from glam.training.parallel import ALONE, Processes


def seed_of(*parts: int | str) -> int:
    """A seed that differs whenever any part does; the same on every machine."""
    text = "/".join(str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


def context_at(config: FitConfig, step: int, purpose: str, processes: Processes = ALONE) -> StepContext:
    """The context of a step; each purpose has random numbers of its own."""
    device = processes.device(config.device)
    generator = torch.Generator(device).manual_seed(seed_of(config.seed, purpose, step))
    return StepContext(step, config.steps, Noise(generator, processes.rank, processes.count))


def seed_layers(config: FitConfig, step: int, processes: Processes = ALONE) -> None:
    """Seed the generators of torch that layers such as dropout use, for one step.

    Only for the devices in use: `torch.manual_seed` records a stack trace for each of the others.
    """
    seed = seed_of(config.seed, "layers", step, processes.rank)
    torch.default_generator.manual_seed(seed)
    if processes.device(config.device).type == "cuda":
        torch.cuda.manual_seed(seed)


def seed_initialisation(seed: int) -> None:
    """Seed torch's own generators before a module is built, so that its first weights follow from the seed."""
    torch.manual_seed(seed_of(seed, "initialisation"))
