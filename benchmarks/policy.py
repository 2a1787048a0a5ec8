"""Latency of a policy: one observation, one core.

    python benchmarks/policy.py RUN [RUN ...] [--calls 200] [--pixels 128] [--json OUT]

A call is everything between a robot's observation and its chunk of actions: images brought to the policy's size,
normalizers, encoder, head, decoder. Observations are random numbers, which cost as much as any others.
"""

import argparse
from pathlib import Path

import numpy as np
import torch

from glam.core.files import write_json
from glam.policies.trained import TrainedPolicy, call_milliseconds, load


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
    durations = np.array(call_milliseconds(policy, calls, pixels))
    return {"median": float(np.median(durations)), "p99": float(np.quantile(durations, 0.99))}


if __name__ == "__main__":
    main()
