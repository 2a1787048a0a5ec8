"""Latency of a policy: one observation, one core.

    python benchmarks/policy.py RUN [RUN ...] [--calls 200] [--pixels 128] [--json OUT]

A call is everything between a robot's observation and its chunk of actions: images brought to the policy's size,
normalizers, encoder, head, decoder. Observations are random numbers, which cost as much as any others.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from glam.core.files import write_json
from glam.policies.trained import TrainedPolicy, load

WARM_UP = 20


def main() -> None:
    options = parse()
    torch.set_num_threads(1)
    found = {}
    for root in options.runs:
        found[root.name] = timed(load(root), options.calls, options.pixels)
        told = ", ".join(f"{name} {value:.2f} ms" for name, value in found[root.name].items())
        print(f"{root.name}: {told}", flush=True)
    if options.json:
        write_json(options.json, {"calls": options.calls, "pixels": options.pixels, "policies": found})


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--pixels", type=int, default=128, help="height and width of the robot's images")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def timed(policy: TrainedPolicy, calls: int, pixels: int) -> dict[str, float]:
    """Milliseconds of a call."""
    random = np.random.default_rng(0)
    observation = observed(policy, pixels, random)
    times = []
    for _ in range(WARM_UP + calls):
        begin = time.perf_counter()
        policy.act(**observation)
        times.append(1e3 * (time.perf_counter() - begin))
    kept = np.array(times[WARM_UP:])
    return {"median": float(np.median(kept)), "p99": float(np.quantile(kept, 0.99))}


def observed(policy: TrainedPolicy, pixels: int, random: np.random.Generator) -> dict[str, Any]:
    """One observation, in the sizes the policy was trained for."""
    views, states = len(policy.interface.cameras), len(policy.interface.state_names)
    poses = len(policy.normalizer.pose.mean)
    return {
        "images": random.integers(0, 256, (1, views, pixels, pixels, 3), dtype=np.uint8),
        "poses": random.standard_normal((1, poses), dtype=np.float32),
        "states": random.standard_normal((1, states), dtype=np.float32),
    }


if __name__ == "__main__":
    main()
