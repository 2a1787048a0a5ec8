"""What the grids have in common: datasets, world models and ways to a policy, which are therefore made once."""

from glam.bench.cell import Cell
from glam.bench.nodes import Change, Data, Evaluation, Policy, Replay, WorldModel
from glam.sim.embodiments import find_embodiment
from glam.sim.tracker import PERFECT_TRACKER, Tracker

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

UNSTEADY = (Change("policy.condition.shift", 3),)
"""For policies of `kinova-lab`, whose cameras stand a little differently in every episode: images are shifted while
training, by half of what the cameras' 2 degrees move them; by all of it is worse. Of every method, and chosen on
validation configurations: see `tuning`."""

EXACT = (Change("policy.keypoint_weight", 80.0),)
"""For policies of two arms, whose third cube is set on a tower that the eyes must find to a few millimetres: the lesson
of the eyes weighs four times as much. Of every method, and chosen in the same way."""

BADLY_CALIBRATED = Tracker(position_error_mm=20.0, angle_error_degrees=5.0)
WITHOUT_GRIPPER = Tracker(sees_gripper=False)


def robot_of(task: str) -> str:
    """The target robot of a task in the paper's experiments."""
    return "kinova-lab" if task in STAND_INS else "kinova"


def labelled(task: str, robot: str = "kinova", tracker: Tracker = PERFECT_TRACKER, episodes: int = LABELLED) -> Data:
    """The target's demonstrations; a larger set begins with a smaller one."""
    return Data(task, robot, episodes, find_embodiment(robot).first_seed, tracker)


def unlabelled(task: str, tracker: Tracker = PERFECT_TRACKER, episodes: int = UNLABELLED) -> Data:
    """Those of the hand-held gripper; a larger set begins with a smaller one."""
    return Data(task, "umi", episodes, find_embodiment("umi").first_seed, tracker)


def held_out(task: str, embodiment: str, tracker: Tracker = PERFECT_TRACKER) -> Data:
    """Episodes for replay; the same configurations for every embodiment."""
    return Data(task, embodiment, UNSEEN, _FIRST_UNSEEN, tracker)


def stage_one(
    method: str, task: str, seed: int = 0, robot: str = "kinova", demonstrations: int = LABELLED
) -> WorldModel:
    """A world model of one robot and the hand-held gripper."""
    return WorldModel(method, labelled(task, robot, episodes=demonstrations), (unlabelled(task),), seed)


def way_to_policy(method: str, task: str, seed: int = 0, demonstrations: int = LABELLED) -> Policy:
    """A policy for the target robot of a task, by its method: of a world model, or what needs none."""
    robot = robot_of(task)
    target, auxiliary = labelled(task, robot, episodes=demonstrations), (unlabelled(task),)
    changes = changes_for(task)
    if method == "mip":
        return Policy("mip", target, seed=seed, changes=changes)
    if method == UPPER_BOUND:
        return Policy("mip", labelled(task, robot, episodes=ALL_LABELLED), seed=seed, changes=changes)
    if method == "retarget":
        return Policy("retarget", target, auxiliary, seed=seed, changes=changes)
    model = stage_one(method, task, seed, robot, demonstrations)
    return Policy("latent", target, () if method in ALONE else auxiliary, model, seed, changes=changes)


def changes_for(task: str) -> tuple[Change, ...]:
    """In what the recipe of a task's policies differs from the usual one."""
    if robot_of(task) == "kinova-lab":
        return UNSTEADY
    return EXACT if task == TWO_ARMS else ()


def tried(method: str, task: str, seed: int = 0, demonstrations: int = LABELLED) -> Cell:
    """Trials of a policy on the target robot of its task."""
    node = Evaluation(way_to_policy(method, task, seed, demonstrations), robot_of(task))
    detail = "" if demonstrations == LABELLED else f"{node.learnt_from[0].episodes} labelled"
    return Cell(node, task, method, seed, detail)


def replayed(model: WorldModel, source: Data, robot: str = "kinova") -> Cell:
    """What a world model transfers from a source to a robot."""
    node = Replay(model, source, robot)
    return Cell(node, source.task, model.method, model.seed, f"{source.embodiment}{source.flaws} to {robot}")
