"""What the checksums of the decoded cache cost, as a share of an epoch of training.

    python benchmarks/cache_checksums.py [--preset cpu] [--json OUT]

A training compares each block of the cache with its checksum once, when a batch first reads from it. Here all blocks of
a made-up set are compared; against that stands an epoch, a training step of GLAM for each batch of windows. Both are
timed in turns, by what they take of one core, and the medians taken.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from cache import record
from conditions import conditions
from numpy.typing import NDArray

from glam.core.configs import changed
from glam.core.files import write_json
from glam.data.cache_upkeep import CheckedRows, block_rows, checksums
from glam.data.normalizer import Normalizer
from glam.data.windows import windows
from glam.recipes import WORLD_MODEL_PRESETS, world_model
from glam.stages.train_world_model import TrainingSources, WorldModelConfig, open_sources
from glam.training.batches import ALONE
from glam.training.checkpoint import TrainingState
from glam.training.fit import gradient_step
from glam.training.reproducibility import prepared
from glam.world_models.batches import MixedBatches, sizes_of

ROUNDS = 7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="cpu", choices=list(WORLD_MODEL_PRESETS))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    config = changed(world_model("glam", options.preset), {"fit.threads": 1})
    with tempfile.TemporaryDirectory() as folder, prepared(config.fit):
        os.environ["GLAM_CACHE"] = folder
        record(Path(folder, "set"))
        sources = open_sources(config, Path(folder, "set"), [Path(folder, "set")])
        found = {"preset": options.preset} | measured(config, sources)
    print(json.dumps(found, indent=1))
    if options.json:
        write_json(options.json, found | conditions("numpy", "torch"))


def measured(config: WorldModelConfig, sources: TrainingSources) -> dict[str, Any]:
    normalizer = Normalizer.fit(sources.target, sources.auxiliary)
    batches = MixedBatches(sources.target, sources.auxiliary, normalizer, config.batch, seed=0)
    arrays = [np.array(images[:]) for images in sources.target.frames.images.values()]
    listed = [(array, checksums(array)) for array in arrays]
    model = config.model.build(sizes_of(sources.target, normalizer, config.latent_per_arm))
    state = TrainingState(model, config.fit, torch.device("cpu"))
    checks, reads, steps = [], [], []
    for step in range(ROUNDS):
        checks.append(seconds(partial(check, listed)))
        reads.append(seconds(partial(batches, step)))
        steps.append(seconds(lambda step=step: gradient_step(state, batches(step), step, config.fit, ALONE)))
    count = len(windows(sources.target.train, config.batch.frames)) / config.batch.target_windows
    check_time, reading, training = map(statistics.median, (checks, reads, steps))
    return {
        "megabytes": round(sum(array.nbytes for array in arrays) / 1e6, 1),
        "check_ms": round(1e3 * check_time, 2),
        "batch_ms": round(1e3 * reading, 2),
        "step_ms": round(1e3 * training, 2),
        "steps_per_epoch": round(count),
        "percent_of_reading_the_batches_of_an_epoch": round(100 * check_time / (count * reading), 3),
        "percent_of_an_epoch": round(100 * check_time / (count * training), 3),
    }


def check(listed: list[tuple[NDArray[Any], list[int]]]) -> None:
    """Read a row of every block."""
    for array, sums in listed:
        CheckedRows(array, sums, fail)[:: block_rows(array)]


def seconds(work: Callable[[], Any]) -> float:
    """Time of the processor: others may use it too."""
    start = time.process_time()
    work()
    return time.process_time() - start


def fail(row: int) -> Any:
    raise AssertionError(row)


if __name__ == "__main__":
    main()
