"""Policy heads on stack-two, each with latent actions of glam-o and directly on the labelled actions."""

from collections.abc import Iterator
from dataclasses import replace

from glam.bench.cell import Cell
from glam.bench.grids.parts import policy_by, tested
from glam.bench.runs import Change
from glam.policies.heads import HEADS

TASK = "stack-two"


def heads() -> Iterator[Cell]:
    """The grid; its cells with the head mip are those of the grid `policies`."""
    for name in HEADS:
        for method in ("glam-o", "mip"):
            policy = policy_by(method, TASK)
            if name != "mip":
                policy = replace(policy, changes=(*policy.changes, Change("policy.head", HEADS.find(name)())))
            if method == "mip" and name != "mip":
                policy = replace(policy, method="direct")
            title = method if method == "glam-o" or name == "mip" else "direct"
            yield Cell(tested(policy), TASK, title, detail=f"head {name}")
