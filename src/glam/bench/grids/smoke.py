"""The whole pipeline in about a minute, to test a machine or a cluster. Nothing is learnt."""

from collections.abc import Iterator

from glam.bench.cell import Cell
from glam.bench.runs import DataRun, EvaluationRun, PolicyRun, ReplayRun, WorldModelRun

TASK = "lift"


def smoke() -> Iterator[Cell]:
    """Few episodes, few steps."""
    target, auxiliary = DataRun(TASK, "kinova", 3, 0), DataRun(TASK, "umi", 3, 100_000)
    for seed in (0, 1):
        model = WorldModelRun("glam-o", target, (auxiliary,), seed, "smoke")
        latent = PolicyRun("latent", target, (auxiliary,), model, seed, "smoke")
        mip = PolicyRun("mip", target, seed=seed, preset="smoke")
        yield Cell(EvaluationRun(latent, episodes=2, films=0), TASK, "glam-o", seed)
        yield Cell(EvaluationRun(mip, episodes=2, films=0), TASK, "mip", seed)
        yield Cell(ReplayRun(model, auxiliary), TASK, "glam-o", seed, "umi to kinova")
