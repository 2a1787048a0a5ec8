"""Runs made on a Ray cluster that is running already.

All machines must see the folder of the benchmark under the same path and have the same GLAM installed. A run whose
worker or machine dies is made again elsewhere, and goes on from what the first attempt left in its folder.
"""

from typing import Any

from glam.bench.run import BenchRun, RunStore
from glam.core.errors import GlamError
from glam.core.on_ray import ATTEMPTS, connect, ray


class RayEngine:
    """One core of the cluster for each run."""

    most_cores = 1

    def __init__(self, workers: int) -> None:
        if workers < 1:
            raise GlamError(f"--workers {workers} must be at least 1")
        connect()
        self.slots = max(1, min(workers, int(ray.cluster_resources().get("CPU", 1))))
        self._attempt: Any = ray.remote(num_cpus=1, max_retries=ATTEMPTS)(RunStore.attempt)
        self._running: dict[Any, tuple[BenchRun, RunStore]] = {}

    def start(self, run: BenchRun, store: RunStore, cores: int = 1) -> None:
        """Hand a run to the cluster."""
        del cores
        shared = RunStore(store.root.absolute())  # a worker has a working folder of its own
        self._running[self._attempt.remote(shared, run)] = (run, shared)

    def ended(self) -> list[BenchRun]:
        """Wait for the cluster."""
        over, _ = ray.wait(list(self._running), num_returns=1)
        runs = []
        for reference in over:
            run, store = self._running.pop(reference)
            try:
                ray.get(reference)
            except ray.exceptions.RayError as error:
                store.write_log(run, f"given up after {ATTEMPTS + 1} attempts: {error}")
            runs.append(run)
        return runs

    def stop(self) -> None:
        """Leave it to Ray, which ends the runs of a program that has ended."""
