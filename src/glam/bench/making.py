"""One node is made, and its note written: the work of whoever runs nodes, in whatever process."""

import os
import platform
import time
import traceback

from glam.bench.node import Node, Workshop
from glam.core.configs import to_json
from glam.core.errors import GlamError
from glam.core.files import write_json
from glam.core.versions import DISTRIBUTION, installed

_PACKAGES = (DISTRIBUTION, "mujoco", "numpy", "safetensors", "torch")
"""Those on which results depend."""


def attempt(node: Node, workshop: Workshop) -> None:
    """Make a node; why it failed, if it did, stands in its log."""
    try:
        make(node, workshop)
    except Exception as error:
        log(node, workshop, str(error) if isinstance(error, GlamError) else traceback.format_exc())


def log(node: Node, workshop: Workshop, text: str) -> None:
    """Add a line to the log of a node."""
    workshop.logs.mkdir(parents=True, exist_ok=True)
    with workshop.log(node).open("a") as file:
        file.write(f"{text}\n")


def make(node: Node, workshop: Workshop) -> None:
    """Make one node in this process, and write its note."""
    begin, work, load = time.monotonic(), _processor_seconds(), os.getloadavg()[0]
    result = node.make(workshop.place(node), workshop.place)
    elapsed, work = time.monotonic() - begin, _processor_seconds() - work
    whole = max(elapsed, result.get("training_seconds", 0.0))  # of all attempts, where that is known
    note = {
        "kind": node.kind,
        "title": node.title,
        "name": node.name,
        "node": to_json(node),
        "needs": [need.name for need in node.needs],
        "result": result,
        "seconds": round(work * whole / elapsed, 1),  # of one core, as if earlier attempts had got the same share of it
        "elapsed_seconds": round(whole, 1),
        "load_average": [round(load, 1), round(os.getloadavg()[0], 1)],
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "versions": installed(_PACKAGES)},
    }
    write_json(workshop.note(node), note)


def _processor_seconds() -> float:
    """Of this process and of those it has waited for."""
    return sum(os.times()[:4])
