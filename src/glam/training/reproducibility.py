"""Reproducible computation: settings, seeds, and a description of the machine.

Every random number of a run is a pure function of its seed, the step and its purpose. Generators are seeded anew for
each step. So there is no generator state that a checkpoint would have to store, and step 700 draws the same numbers in
whatever process it runs.
"""

import hashlib
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from glam.core.configs import DISTRIBUTION, installed
from glam.core.errors import GlamError
from glam.nn.gaussian import Noise
from glam.training.batches import ALONE, Processes
from glam.training.learner import FitConfig, StepContext

PACKAGES = (DISTRIBUTION, "numpy", "safetensors", "torch")


@contextmanager
def prepared(config: FitConfig) -> Iterator[None]:
    """Threads, denormals and algorithms as training needs them; the caller's settings come back at the end."""
    require_device(config.device)
    deterministic: Any = torch.utils.deterministic
    threads, is_deterministic = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    filling, was_flushing = deterministic.fill_uninitialized_memory, _is_flushing(1)
    torch.set_num_threads(config.threads)
    flush_denormals()
    # Only a warning for what has no deterministic version: on a GPU that is better than no training.
    torch.use_deterministic_algorithms(mode=True, warn_only=True)
    deterministic.fill_uninitialized_memory = False  # costs time and guards only against errors in our own code
    torch.backends.cudnn.benchmark = False
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # without it products on a GPU are not repeatable
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(is_deterministic, warn_only=True)
        deterministic.fill_uninitialized_memory = filling
        torch.set_flush_denormal(was_flushing)
        torch.set_num_threads(threads)


def flush_denormals() -> bool:
    """Treat denormal numbers as zero in all threads, or in none when worker threads already run without it.

    The switch belongs to a thread, and workers inherit it when they start: half a tensor rounded one way and half the
    other would depend on what ran before. Call this early in a process to get the speed as well as the bits.
    """
    torch.set_flush_denormal(True)
    is_everywhere = _is_flushing(1 << 19)  # long enough to be spread over the threads
    torch.set_flush_denormal(is_everywhere)
    return is_everywhere


def _is_flushing(length: int) -> bool:
    """True if all threads that share a product of this length flush; compared as integers, because of the flushing."""
    product = torch.full((length,), 1e-30) * 1e-10
    return not bool(product.view(torch.int32).any())


def require_device(name: str) -> None:
    """Refuse a device that this machine does not have."""
    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError):
        found = ["cpu", *(f"cuda:{index}" for index in range(torch.cuda.device_count()))]
        raise GlamError(f"device {name}: not available here; choose one of {', '.join(found)}") from None


def description() -> dict[str, str]:
    """Description of the machine, for records."""
    return {
        "python": platform.python_version(),
        "processor": platform.machine(),
        "instructions": torch.backends.cpu.get_cpu_capability(),
    }


def versions() -> dict[str, str]:
    """The packages on which the bits of a result depend."""
    return installed(PACKAGES)


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
