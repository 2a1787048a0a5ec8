"""Pieces of work spread over a Ray cluster that is running already.

All machines must see the folders in question under the same paths and have the same GLAM installed. A piece whose
worker or machine dies is done again elsewhere, so pieces must be of a kind that may be done twice.
"""

import os
import platform
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from itertools import islice
from typing import Any

from glam.core.errors import GlamError
from glam.core.workers import Item, Result

try:
    ray: Any = import_module("ray")
except ImportError:  # the extra [cluster] is not installed
    ray = None

ATTEMPTS = 3
"""Further attempts after a worker died."""
_AHEAD = 2
"""Pieces for each core that are handed over before the first is done."""


def connect() -> None:
    """Connect this process with the running cluster, once."""
    if ray is None:
        raise GlamError("--engine ray: Ray is not installed; install the extra: pip install 'glam-robot[cluster]'")
    if ray.is_initialized():
        return
    try:
        ray.init(address="auto", log_to_driver=False, configure_logging=False)
    except ConnectionError:
        way = "start one with `ray start --head`, or name one in RAY_ADDRESS"
        raise GlamError(f"--engine ray: no Ray cluster answers; {way}") from None


class RayPool:
    """One core of the cluster for each piece of work."""

    def __init__(self) -> None:
        connect()
        self.workers = max(1, int(ray.cluster_resources().get("CPU", 1)))

    def spread(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Results in the order they come; a failure of the work itself is raised here, at once."""
        remote = ray.remote(num_cpus=1, max_retries=ATTEMPTS)(_applied)
        shared, left, folder = ray.put(work), iter(items), os.getcwd()  # the work is sent to each machine once
        waiting: list[Any] = []
        most = _AHEAD * self.workers
        try:
            while True:
                waiting += [remote.remote(shared, item, folder) for item in islice(left, most - len(waiting))]
                if not waiting:
                    return
                (done,), waiting = ray.wait(waiting, num_returns=1)
                yield _result(done)
        finally:
            for reference in waiting:  # nobody waits for these any more
                ray.cancel(reference, force=True)


def _applied(work: Callable[[Item], Result], item: Item, folder: str) -> Result:
    """Do a piece of work in the folder in which the command was given, so that relative paths mean the same."""
    try:
        os.chdir(folder)
    except OSError as error:
        raise GlamError(
            f"--engine ray: the machine {platform.node()} does not see {folder} ({error.strerror}); all machines must "
            "see the same folders under the same paths"
        ) from None
    return work(item)


def _result(reference: Any) -> Any:
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    except ray.exceptions.RayError as error:
        reason = " ".join(str(error).split())[:200]
        raise GlamError(
            f"--engine ray: the cluster gave a piece of work up after {ATTEMPTS + 1} attempts ({reason}); nothing that "
            "was saved is lost: run the command again"
        ) from None
