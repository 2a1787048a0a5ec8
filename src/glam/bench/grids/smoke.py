"""The whole pipeline in about a minute: whether a machine or a cluster can run a grid at all. Nothing is learnt."""

from collections.abc import Iterator

from glam.bench.cell import Cell
from glam.bench.nodes import Data, Evaluation, Policy, Replay, WorldModel

TASK = "lift"


def smoke() -> Iterator[Cell]:
    """Few episodes, few steps."""
    target, auxiliary = Data(TASK, "kinova", 3, 0), Data(TASK, "umi", 3, 100_000)
    for seed in (0, 1):
        model = WorldModel("glam-o", target, (auxiliary,), seed, "smoke")
        latent = Policy("latent", target, (auxiliary,), model, seed, "smoke")
        mip = Policy("mip", target, seed=seed, preset="smoke")
        yield Cell(Evaluation(latent, episodes=2, films=0), TASK, "glam-o", seed)
        yield Cell(Evaluation(mip, episodes=2, films=0), TASK, "mip", seed)
        yield Cell(Replay(model, auxiliary), TASK, "glam-o", seed, "umi to kinova")
