"""Datasets, world models and policies that the grids share, and that are therefore made once."""

from dataclasses import dataclass, replace

from glam.bench.cell import Cell
from glam.bench.runs import Change, DataRun, EvaluationRun, PolicyRun, ReplayRun, WorldModelRun
from glam.sim.embodiments import find_embodiment
from glam.sim.sensors import PERFECT_TRACKER, Tracker

LABELLED = 111
"""Demonstrations with labels: 100 to learn from and a tenth held out."""
UNLABELLED = 444
ALL_LABELLED = 556
"""For the upper bound: as many to learn from as of both kinds together, 500."""
UNSEEN = 20
"""Episodes of a replay."""
SEEDS = (0, 1, 2)
"""Trainings of each cell."""

STAND_INS = ("lift", "pick-place", "knock-down")
"""Tasks whose target is a real robot in the paper, and `kinova-lab` here."""
TWO_ARMS = "stack-three"
TASKS = ("stack-two", *STAND_INS, TWO_ARMS)

UPPER_BOUND = "upper-bound"
ALONE = ("clam", "clam-o")
"""World models that learn from the target alone, as do the policies on their latent actions."""

_FIRST_UNSEEN = 300_000

WITH_MASKS = (Change("policy.keypoint_weight", 20.0),)
"""For the comparison of policies whose encoders also learn from masks."""


@dataclass(frozen=True)
class Setting:
    """Changes of the recipe for one method."""

    policy: tuple[Change, ...] = ()
    world_model: tuple[Change, ...] = ()


RECIPE = Setting()
CHOSEN: dict[str, Setting] = {}
"""The settings that the grid `tuning` has chosen, by method; the recipe for methods that are not listed."""

BADLY_CALIBRATED = Tracker(position_error_mm=20.0, angle_error_degrees=5.0)
WITHOUT_GRIPPER = Tracker(sees_gripper=False)
WRONG_TOOL = Tracker(tool_offset_mm=30.0)


def embodiment_of(task: str) -> str:
    """The target robot of a task in the paper's experiments."""
    return "kinova-lab" if task in STAND_INS else "kinova"


def labelled(
    task: str, embodiment: str = "kinova", tracker: Tracker = PERFECT_TRACKER, episodes: int = LABELLED
) -> DataRun:
    """The target's demonstrations; a larger set begins with a smaller one."""
    return DataRun(task, embodiment, episodes, find_embodiment(embodiment).first_seed, tracker)


def unlabelled(task: str, tracker: Tracker = PERFECT_TRACKER, episodes: int = UNLABELLED) -> DataRun:
    """Demonstrations of the hand-held gripper; a larger set begins with a smaller one."""
    return DataRun(task, "umi", episodes, find_embodiment("umi").first_seed, tracker)


def held_out(task: str, embodiment: str, tracker: Tracker = PERFECT_TRACKER) -> DataRun:
    """Episodes for replay; the same scenes for every embodiment."""
    return DataRun(task, embodiment, UNSEEN, _FIRST_UNSEEN, tracker)


def setting_of(method: str) -> Setting:
    """The chosen setting. An ablation has that of the method it is made from, the upper bound that of `mip`."""
    name = "mip" if method == UPPER_BOUND else method
    found = [known for known in CHOSEN if f"{name}-".startswith(f"{known}-")]
    return CHOSEN[max(found, key=len)] if found else RECIPE


def stage_one(
    method: str, task: str, seed: int = 0, embodiment: str = "kinova", demonstrations: int = LABELLED
) -> WorldModelRun:
    """A world model of one robot and the hand-held gripper."""
    target, changes = labelled(task, embodiment, episodes=demonstrations), setting_of(method).world_model
    return WorldModelRun(method, target, (unlabelled(task),), seed, changes=changes)


def policy_by(
    method: str, task: str, seed: int = 0, demonstrations: int = LABELLED, setting: Setting | None = None
) -> PolicyRun:
    """A policy for the target robot of a task. `method` is that of its world model, or mip, retarget or upper-bound."""
    embodiment, setting = embodiment_of(task), setting or setting_of(method)
    target, auxiliary = labelled(task, embodiment, episodes=demonstrations), (unlabelled(task),)
    changes = setting.policy
    if method == "mip":
        return PolicyRun("mip", target, seed=seed, changes=changes)
    if method == UPPER_BOUND:
        return PolicyRun("mip", labelled(task, embodiment, episodes=ALL_LABELLED), seed=seed, changes=changes)
    if method == "retarget":
        return PolicyRun("retarget", target, auxiliary, seed=seed, changes=changes)
    model = replace(stage_one(method, task, seed, embodiment, demonstrations), changes=setting.world_model)
    return PolicyRun("latent", target, () if method in ALONE else auxiliary, model, seed, changes=changes)


def tested(policy: PolicyRun) -> EvaluationRun:
    """Trials for a final table, on the robot that recorded the policy's target."""
    return EvaluationRun(policy, policy.target.embodiment, split="test")


def validated(policy: PolicyRun, episodes: int = 200) -> EvaluationRun:
    """Trials by which settings may be chosen, on the same robot."""
    return EvaluationRun(policy, policy.target.embodiment, episodes, films=0)


def tried(method: str, task: str, seed: int = 0, demonstrations: int = LABELLED) -> Cell:
    """Trials of a policy on the target robot of its task."""
    run = tested(policy_by(method, task, seed, demonstrations))
    detail = "" if demonstrations == LABELLED else f"{run.learnt_from[0].episodes} labelled"
    return Cell(run, task, method, seed, detail)


def replayed(model: WorldModelRun, source: DataRun, embodiment: str = "kinova") -> Cell:
    """Replays of a source on a robot, by a world model."""
    run = ReplayRun(model, source, embodiment)
    return Cell(run, source.task, model.method, model.seed, f"{source.embodiment}{source.flaws} to {embodiment}")
