"""The data-gap figure on stack-two, how smoothly its policies move, and how few labels are enough."""

from collections.abc import Iterator

from glam.bench.cell import Cell
from glam.bench.grids.parts import ALL_LABELLED, LABELLED, SEEDS, held_out, labelled, stage_one, tried, unlabelled
from glam.bench.nodes import Data, Evaluation, Policy, Trajectories

TASK = "stack-two"
STEPS = (1, 2, 3, 4, 5)
"""Hundreds of demonstrations that are learnt from."""
COMPARED = 3
"""Hundreds that both policies of the joint trajectories learn from; those of glam-o hold one hundred labelled ones."""
TRAJECTORIES = "joint trajectories beside mip"
FEW = (28, 56, LABELLED)
"""RelabelledSource demonstrations where they are few: 25, 50 and 100 to learn from and a tenth held out."""


def scaling() -> Iterator[Cell]:
    """The ends of the curves first, then what lies between."""
    for seed in SEEDS:
        for hundreds in (5, 1, 3, 2, 4):
            yield _point("mip", mip(hundreds, seed), seed)
            yield _point("glam-o", more_unlabelled(hundreds, seed), seed)
            yield _point("glam-o", more_labelled(hundreds, seed), seed)


def few_labels() -> Iterator[Cell]:
    """The fewest first. Every point has a world model of its own, which sees no more labels than its policy."""
    for seed in SEEDS:
        for demonstrations in FEW:
            for method in ("glam-o", "mip", "retarget"):
                yield tried(method, TASK, seed, demonstrations)


def smoothness() -> Iterator[Cell]:
    """The scores stand in the same trials; the trajectories are of one unseen demonstration."""
    for seed in SEEDS:
        compared = mip(COMPARED, seed), more_unlabelled(COMPARED, seed)
        yield Cell(Trajectories(compared, held_out(TASK, "kinova")), TASK, "glam-o", seed, TRAJECTORIES)
        yield from (cell for cell in scaling() if cell.seed == seed)


def mip(hundreds: int, seed: int) -> Policy:
    """From labelled demonstrations alone."""
    return Policy("mip", _labelled(hundreds), seed=seed)


def more_unlabelled(hundreds: int, seed: int) -> Policy:
    """One hundred labelled demonstrations, and the others without labels."""
    others = (unlabelled(TASK, episodes=LABELLED * (hundreds - 1)),) if hundreds > 1 else ()
    return Policy("latent", _labelled(1), others, stage_one("glam-o", TASK, seed), seed)


def more_labelled(hundreds: int, seed: int) -> Policy:
    """RelabelledSource demonstrations alone, on the same latent actions."""
    return Policy("latent", _labelled(hundreds), (), stage_one("glam-o", TASK, seed), seed)


def _labelled(hundreds: int) -> Data:
    return labelled(TASK, episodes=ALL_LABELLED if hundreds == STEPS[-1] else LABELLED * hundreds)


def _point(method: str, policy: Policy, seed: int) -> Cell:
    amounts = " + ".join(f"{source.episodes} {source.embodiment}" for source in policy.learnt_from)
    return Cell(Evaluation(policy), TASK, method, seed, amounts)
