"""How fast a world model trains, how near that is to what the machine can do, and what the arrangement of work buys.

    python benchmarks/world_model.py [--method glam-o] [--preset cpu] [--threads 2] [--rounds 5] [--json OUT]

- images per second: frames of transitions that a training step of the recipe learns from, data of random numbers;
- share of the convolution peak: arithmetic of a step (forward and backward, counted by PyTorch) over its time, relative
  to the best rate that a plain 3 x 3 convolution reaches on this machine with the same threads, forward and backward;
- ratio to the naive loop: the same objective on as many transitions, written as the paper states it (`naive_loop.py`):
  independent transitions, each frame encoded and reconstructed for itself, PyTorch's default memory format.

The three are timed in turns, and the medians are compared: a busy machine slows all of them down alike.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from naive_loop import naive_step
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from glam.core.files import write_json
from glam.nn.layers import ImageShape, uses_onednn
from glam.recipes import WORLD_MODEL_PRESETS, world_model
from glam.stages.train_world_model import WorldModelConfig
from glam.training.batches import ALONE
from glam.training.checkpoint import TrainingState
from glam.training.fit import gradient_step
from glam.training.reproducibility import prepared
from glam.world_models.batches import LabelledWindows, MixedBatch, Windows
from glam.world_models.parts import Sizes

OBJECTS, VIEWS, POSE, JOINTS, LATENT = 2, 2, 10, 8, 8
STEPS = 10
"""Of each turn."""
PEAK = (64, 64, 32)
"""Batch, channels and pixels of the convolution whose rate is the peak."""


def main() -> None:
    options = parse()
    config = world_model(options.method, options.preset)
    config = replace(config, fit=replace(config.fit, threads=options.threads, device="cpu"))
    with prepared(config.fit):
        found = measured(config, options.rounds)
    found |= {
        "method": options.method,
        "preset": options.preset,
        "threads": options.threads,
        "torch": torch.__version__,
    }
    for name, value in found.items():
        print(f"{name:28s} {value:.3f}" if isinstance(value, float) else f"{name:28s} {value}")
    if options.json:
        write_json(options.json, found)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", default="glam-o", choices=["glam", "glam-o"])
    parser.add_argument("--preset", default="cpu", choices=list(WORLD_MODEL_PRESETS))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def measured(config: WorldModelConfig, rounds: int) -> dict[str, Any]:
    ours, frames, transitions = training_step(config)
    theirs = plain_step(in_pairs(config))
    convolution, peak_work = plain_convolution()
    flops = arithmetic(ours)
    times = in_turns({"ours": ours, "naive": theirs, "convolution": convolution}, rounds)
    peak = peak_work / times["convolution"]
    return {
        "frames_per_step": frames,
        "transitions_per_step": transitions,
        "ms_per_step": 1e3 * times["ours"],
        "images_per_second": frames / times["ours"],
        "gflop_per_step": flops / 1e9,
        "gflops": flops / times["ours"] / 1e9,
        "convolution_peak_gflops": peak / 1e9,
        "share_of_convolution_peak": flops / times["ours"] / peak,
        "naive_ms_per_step": 1e3 * times["naive"],
        "ratio_to_naive": times["naive"] / times["ours"],
    }


def in_pairs(config: WorldModelConfig) -> WorldModelConfig:
    """As many transitions, each in a window of its own."""
    batch = config.batch
    sizes = {name: getattr(batch, name) * (batch.frames - 1) for name in ("target_windows", "auxiliary_windows")}
    return replace(config, batch=replace(batch, frames=2, **sizes))


def training_step(config: WorldModelConfig) -> tuple[Callable[[], Any], int, int]:
    """A step on a batch of random numbers, and how many frames and transitions it holds."""
    sizes = sizes_of(config)
    torch.manual_seed(0)
    state = TrainingState(config.model.build(sizes), config.fit, torch.device("cpu"))
    batch = random_batch(config, sizes)
    windows = config.batch.target_windows + config.batch.auxiliary_windows

    def step() -> None:
        gradient_step(state, batch, 100, config.fit, ALONE)

    return step, windows * config.batch.frames, windows * (config.batch.frames - 1)


def plain_step(config: WorldModelConfig) -> Callable[[], Any]:
    """A step of the naive loop on a batch of random pairs."""
    sizes = sizes_of(config)
    torch.manual_seed(0)
    model = config.model.build(sizes)
    return naive_step(model, random_batch(config, sizes), config)


def sizes_of(config: WorldModelConfig) -> Sizes:
    channels = VIEWS * (OBJECTS if config.model.states.observation == "masks" else 3)
    return Sizes(ImageShape(channels, config.pixels, config.pixels), POSE, JOINTS, JOINTS, LATENT)


def random_batch(config: WorldModelConfig, sizes: Sizes) -> MixedBatch:
    noise = torch.Generator().manual_seed(0)
    frames = config.batch.frames + config.model.training_view.frames_ahead

    def windows(count: int) -> tuple[Tensor, Tensor, Tensor]:
        shape = (count, frames)
        image = torch.rand(*shape, sizes.image.channels, config.pixels, config.pixels, generator=noise)
        pose = torch.randn(*shape, POSE, generator=noise)
        return image.round(), pose, pose

    def joints() -> Tensor:
        return torch.randn(config.batch.target_windows, frames, JOINTS, generator=noise)

    target = LabelledWindows(*windows(config.batch.target_windows), joints(), joints())
    return MixedBatch(target, Windows(*windows(config.batch.auxiliary_windows)))


def plain_convolution() -> tuple[Callable[[], Any], float]:
    """Forward and backward of one convolution in its best format, and its arithmetic."""
    batch, channels, pixels = PEAK
    layer = nn.Conv2d(channels, channels, 3, padding=1).to(memory_format=torch.channels_last)
    image = torch.randn(batch, channels, pixels, pixels).to(memory_format=torch.channels_last).requires_grad_()

    def run() -> None:
        layer(image).sum().backward()

    return run, arithmetic(run)


def arithmetic(work: Callable[[], Any]) -> float:
    """Floating-point operations of convolutions and matrix products."""
    product = torch.ops.mkldnn._linear_pointwise if uses_onednn() else None  # noqa: SLF001 - see glam.nn.layers
    products = {product: _product_flops} if product else {}
    with FlopCounterMode(display=False, custom_mapping=products) as counter:
        work()
    return float(counter.get_total_flops())


def _product_flops(left: torch.Size, right: torch.Size, *_: Any, **__: Any) -> int:
    """Of a product by oneDNN: (m, k), (n, k) -> (m, n)."""
    return 2 * left.numel() * right[0]


def in_turns(works: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Median seconds of each."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds + 1):
        for name, work in works.items():
            begin = time.perf_counter()
            for _ in range(STEPS):
                work()
            times[name].append((time.perf_counter() - begin) / STEPS)
    return {name: statistics.median(values[1:]) for name, values in times.items()}  # the first round warms up


if __name__ == "__main__":
    main()
