"""Policy heads on stack-two, each with latent actions of glam-o and directly on the labelled actions.

The question is whether another head can take the place of MIP, not how good each can become: world model and policies
have the preset demo, policies 1500 steps and 100 trials.
"""

from collections.abc import Iterator
from dataclasses import replace

from glam.bench.cell import Cell
from glam.bench.grids.parts import policy_by, validated
from glam.bench.runs import Change, PolicyRun
from glam.policies.heads import HEADS

TASK = "stack-two"
STEPS = Change("fit.steps", 1500)
TRIALS = 100


def heads() -> Iterator[Cell]:
    """One training of each head with latent and with direct actions."""
    for name in HEADS:
        for method in ("glam-o", "mip"):
            policy = _short(policy_by(method, TASK))
            if name != "mip":
                policy = replace(policy, changes=(*policy.changes, Change("policy.head", HEADS.find(name)())))
            if method == "mip" and name != "mip":
                policy = replace(policy, method="direct")
            title = method if method == "glam-o" or name == "mip" else "direct"
            yield Cell(validated(policy, TRIALS), TASK, title, detail=f"head {name}")


def _short(policy: PolicyRun) -> PolicyRun:
    model = policy.world_model and replace(policy.world_model, preset="demo")
    return replace(policy, preset="demo", world_model=model, changes=(*policy.changes, STEPS))
