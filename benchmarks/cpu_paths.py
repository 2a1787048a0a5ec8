"""What each CPU-specific path of a training saves: the same step with it and without it, in turns.

    python benchmarks/cpu_paths.py [--rounds 5] [--json docs/results/cpu_paths.json]

Paths: linear layers whose products come from oneDNN (`glam.nn.layers`), and convolutions in bf16 while a policy trains
(`glam.policies.encoders.cnn`). One thread. Times are seconds of the processor, not of the clock, and the shortest of
each kind is compared, so that a machine with other work gives nearly the same ratios as a quiet one. A path that saves
less than 3 % should go.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import policy_training
import torch
import world_model as world_model_training

from glam.core.files import write_json
from glam.nn import layers
from glam.policies.batches import ActionBatch
from glam.policies.encoders import cnn
from glam.policies.observation import ObservationSizes
from glam.recipes import policy, world_model
from glam.training.batches import ALONE
from glam.training.checkpoint import TrainingState
from glam.training.fit import gradient_step
from glam.training.reproducibility import description, prepared

Step = Callable[[], Any]
Switch = Callable[[bool], None]
LEAST_GAIN = 0.03


def main() -> None:
    options = parse()
    torch.set_num_threads(1)
    fit = replace(policy("latent").fit, threads=1)
    with prepared(fit):
        found = {name: gain(step, switch, options.rounds) for name, (step, switch) in cases().items()}
    for name, entry in found.items():
        verdict = "" if entry["gain"] >= LEAST_GAIN else "  below 3 %"
        times = f"{entry['with_ms']:7.1f} ms with, {entry['without_ms']:7.1f} without"
        print(f"{name:40s} {times}: {entry['gain']:6.1%}{verdict}")
    if options.json:
        write_json(options.json, {"machine": machine(), "rounds": options.rounds, "paths": found})


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def cases() -> dict[str, tuple[Step, Switch]]:
    """A training step for each path, and the switch of the path."""
    stage_one = world_model_training.training_step(on_one_thread(world_model("glam-o")))[0]
    latent, mip = policy_training.training_step(on_one_thread(policy("latent"))), mip_step()
    return {
        "oneDNN products, stage 1 (glam-o)": (stage_one, onednn),
        "oneDNN products, stage 2 (latent)": (latent, onednn),
        "oneDNN products, stage 2 (mip)": (mip, onednn),
        "bf16 convolutions, stage 2 (latent)": (latent, bf16),
        "bf16 convolutions, stage 2 (mip)": (mip, bf16),
    }


def on_one_thread(config: Any) -> Any:
    return replace(config, fit=replace(config.fit, threads=1))


def mip_step() -> Step:
    """A training step of behaviour cloning on samples of the target alone."""
    config = on_one_thread(policy("mip"))
    torch.manual_seed(0)
    joints = policy_training.JOINTS
    learner = config.policy.build(ObservationSizes(policy_training.VIEWS, policy_training.POSE, joints, 0), 0, joints)
    state = TrainingState(learner, config.fit, torch.device("cpu"))
    latent = policy_training.random_batch(replace(policy("latent"), batch_size=2 * config.batch_size))
    batch = ActionBatch(latent.target.observed, latent.target.keypoints, latent.actions)
    return lambda: gradient_step(state, batch, 100, config.fit, ALONE)


def onednn(is_on: bool) -> None:  # noqa: FBT001 - a switch
    layers.uses_onednn = lambda: is_on  # type: ignore[assignment]


def bf16(is_on: bool) -> None:  # noqa: FBT001 - a switch
    cnn.multiplies_in_bf16 = lambda: is_on  # type: ignore[assignment]


def gain(step: Step, switch: Switch, rounds: int) -> dict[str, float]:
    """Shortest step with the path and without it, in milliseconds, and the share that it saves."""
    shortest = {True: float("inf"), False: float("inf")}
    with restored():
        for number in range(2 * (rounds + 1)):
            is_on = number % 2 == 0
            switch(is_on)
            seconds = min(processor_seconds(step) for _ in range(5))
            if number > 1:  # the first round warms up
                shortest[is_on] = min(shortest[is_on], seconds)
    return {
        "with_ms": round(1e3 * shortest[True], 2),
        "without_ms": round(1e3 * shortest[False], 2),
        "gain": round(1.0 - shortest[True] / shortest[False], 4),
    }


def processor_seconds(step: Step) -> float:
    begin = time.process_time()
    step()
    return time.process_time() - begin


@contextmanager
def restored() -> Iterator[None]:
    """Both switches as they were."""
    before = layers.uses_onednn, cnn.multiplies_in_bf16
    yield
    layers.uses_onednn, cnn.multiplies_in_bf16 = before


def machine() -> dict[str, str]:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {**description(), "model": names[0] if names else "", "torch": torch.__version__}


if __name__ == "__main__":
    main()
