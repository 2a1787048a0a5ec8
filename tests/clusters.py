"""Machines to spread work over: a cluster of Ray on this machine, and one that needs no Ray."""

import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


class OtherMachine:
    """A pool like a cluster: work is sent as bytes, comes back in another order, and is done twice now and then."""

    workers = 2

    def __init__(self) -> None:
        self.sent = 0

    def spread(self, work: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        content = pickle.dumps(work)
        for count, item in enumerate(reversed(list(items))):
            self.sent += 1
            if count == 0:
                pickle.loads(content)(item)
            yield pickle.loads(content)(item)


@contextmanager
def two_machines() -> Iterator[Any]:
    """Two machines of one core each, as far as Ray can tell. Their programs find our tests."""
    from ray.cluster_utils import Cluster  # noqa: PLC0415  an optional dependency

    tests = Path(__file__).parent
    paths = [str(tests.parent), str(tests / "bench"), os.environ.get("PYTHONPATH", "")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(paths))
        running = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        running.add_node(num_cpus=1)
        yield running
        running.shutdown()
