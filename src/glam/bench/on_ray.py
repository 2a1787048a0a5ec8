"""Nodes made on a Ray cluster that is running already.

All machines must see the folder of the benchmark under the same path and have the same GLAM installed. A node whose
worker or machine dies is made again elsewhere, and goes on from what the first attempt left in its folder.
"""

from typing import Any

from glam.bench.making import attempt, log
from glam.bench.node import Node, Workshop
from glam.core.errors import GlamError

try:
    import ray
except ImportError:  # the extra [cluster] is not installed
    ray = None

_ATTEMPTS = 3
"""Further ones after a worker died."""


class RayEngine:
    """One core of the cluster for each node."""

    def __init__(self, workers: int) -> None:
        if workers < 1:
            raise GlamError(f"--workers {workers} must be at least 1")
        _connect()
        self.slots = max(1, min(workers, int(ray.cluster_resources().get("CPU", 1))))
        self._attempt: Any = ray.remote(num_cpus=1, max_retries=_ATTEMPTS)(attempt)
        self._running: dict[Any, tuple[Node, Workshop]] = {}

    def start(self, node: Node, workshop: Workshop) -> None:
        """Hand a node to the cluster."""
        shared = Workshop(workshop.root.absolute())  # a worker has a working folder of its own
        self._running[self._attempt.remote(node, shared)] = (node, shared)

    def ended(self) -> list[Node]:
        """Wait for the cluster."""
        over, _ = ray.wait(list(self._running), num_returns=1)
        nodes = []
        for reference in over:
            node, workshop = self._running.pop(reference)
            try:
                ray.get(reference)
            except ray.exceptions.RayError as error:
                log(node, workshop, f"given up after {_ATTEMPTS + 1} attempts: {error}")
            nodes.append(node)
        return nodes


def _connect() -> None:
    if ray is None:
        raise GlamError("--engine ray: Ray is not installed; install the extra: pip install 'glam-robot[cluster]'")
    if ray.is_initialized():
        return
    try:
        ray.init(address="auto", log_to_driver=False, configure_logging=False)
    except ConnectionError:
        way = "start one with `ray start --head`, or name one in RAY_ADDRESS"
        raise GlamError(f"--engine ray: no Ray cluster answers; {way}") from None
