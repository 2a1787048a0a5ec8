"""Time that the vision encoders of policies take on one core: one observation of two views, and many of them.

    python benchmarks/encoders.py [PRESET]

Processor time is counted, so that other programs on the machine matter little. Weights are random: they do not change
the time. Encoders whose package is not installed are left out.
"""

import sys
import time
from statistics import median

import torch
from torch import Tensor, nn

from glam.core.errors import GlamError
from glam.policies.encoders import ENCODERS
from glam.recipes import encoder

VIEWS, BATCH = 2, 32


def main() -> None:
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)  # as training does: random weights make numbers that are nearly zero
    preset = sys.argv[1] if len(sys.argv) > 1 else "cpu"
    for name in ENCODERS:
        config = encoder(name, preset)  # type: ignore[arg-type]
        try:
            network = config.build(VIEWS).eval()
        except GlamError as error:
            print(f"{name}: left out ({error})")
            continue
        one, many = (images(rows, config.pixels) for rows in (1, BATCH))
        alone = median(seconds(network, one) for _ in range(15))
        together = min(seconds(network, many) for _ in range(3))
        size = sum(parameter.numel() for parameter in network.parameters())
        rate = BATCH * VIEWS / together
        print(
            f"{name} at {config.pixels} px, {size / 1e6:.1f} million parameters: {1e3 * alone:.1f} ms for an "
            f"observation of {VIEWS} views, {rate:.0f} images/s in batches of {BATCH * VIEWS}"
        )


def images(rows: int, pixels: int) -> Tensor:
    return torch.rand(rows, VIEWS, 3, pixels, pixels)


@torch.no_grad()
def seconds(network: nn.Module, inputs: Tensor) -> float:
    start = time.process_time()
    network(inputs)
    return time.process_time() - start


if __name__ == "__main__":
    main()
