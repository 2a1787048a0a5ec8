"""The data-gap figure on stack-two, the smoothness of its policies, and success with few labels."""

from collections.abc import Iterator

from glam.bench.cell import Cell
from glam.bench.grids.parts import (
    ALL_LABELLED,
    LABELLED,
    SEEDS,
    held_out,
    labelled,
    setting_of,
    stage_one,
    tested,
    tried,
    unlabelled,
)
from glam.bench.runs import DataRun, PolicyRun, TrajectoriesRun

TASK = "stack-two"
STEPS = (1, 2, 3, 4, 5)
"""Hundreds of demonstrations for training."""
COMPARED = 3
"""Hundreds that both policies of the joint trajectories learn from; those of glam-o hold one hundred labelled ones."""
TRAJECTORIES = "joint trajectories beside mip"
FEW = (28, 56, LABELLED)
"""Labelled demonstrations where they are few: 25, 50 and 100 to learn from, and a tenth held out."""


def scaling() -> Iterator[Cell]:
    """The ends of the curves first, then what lies between."""
    for seed in SEEDS:
        for hundreds in (5, 1, 3, 2, 4):
            yield _point("mip", mip(hundreds, seed), seed)
            yield _point("glam-o", more_unlabelled(hundreds, seed), seed)
            yield _point("glam-o", more_labelled(hundreds, seed), seed)


def few_labels() -> Iterator[Cell]:
    """The fewest first. Every point has its own world model, which sees no more labels than its policy."""
    for seed in SEEDS:
        for demonstrations in FEW:
            for method in ("glam-o", "mip", "retarget"):
                yield tried(method, TASK, seed, demonstrations)


def smoothness() -> Iterator[Cell]:
    """The trials of scaling, whose records hold the scores, and trajectories along one held-out demonstration."""
    for seed in SEEDS:
        compared = mip(COMPARED, seed), more_unlabelled(COMPARED, seed)
        yield Cell(TrajectoriesRun(compared, held_out(TASK, "kinova")), TASK, "glam-o", seed, TRAJECTORIES)
        yield from (cell for cell in scaling() if cell.seed == seed)


def mip(hundreds: int, seed: int) -> PolicyRun:
    """Policy from labelled demonstrations alone."""
    return PolicyRun("mip", _labelled(hundreds), seed=seed, changes=setting_of("mip").policy)


def more_unlabelled(hundreds: int, seed: int) -> PolicyRun:
    """One hundred labelled demonstrations, and the others without labels."""
    others = (unlabelled(TASK, episodes=LABELLED * (hundreds - 1)),) if hundreds > 1 else ()
    return _latent(_labelled(1), others, seed)


def more_labelled(hundreds: int, seed: int) -> PolicyRun:
    """Labelled demonstrations alone, on the same latent actions."""
    return _latent(_labelled(hundreds), (), seed)


def _latent(target: DataRun, others: tuple[DataRun, ...], seed: int) -> PolicyRun:
    changes = setting_of("glam-o").policy
    return PolicyRun("latent", target, others, stage_one("glam-o", TASK, seed), seed, changes=changes)


def _labelled(hundreds: int) -> DataRun:
    return labelled(TASK, episodes=ALL_LABELLED if hundreds == STEPS[-1] else LABELLED * hundreds)


def _point(method: str, policy: PolicyRun, seed: int) -> Cell:
    amounts = " + ".join(f"{source.episodes} {source.embodiment}" for source in policy.learnt_from)
    return Cell(tested(policy), TASK, method, seed, amounts)
