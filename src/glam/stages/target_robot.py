"""The robot that retargeting finds actions for: a known one, or any other by its URDF or MJCF."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.core.files import read_json
from glam.core.geometry import rotation_from_six
from glam.data import layout
from glam.data.schema import ACTION, POSE_SIZE
from glam.data.windows import LabelledFrames
from glam.interop.imports.delta_actions import is_held
from glam.interop.lerobot.feature_names import arm_named, plain
from glam.sim.kinematics import Chain
from glam.sim.retargeting import ArmModel, JointPath, ModelRetargeter, Retargeter, Transform
from glam_client.pose_conversion import FROM_JOINTS, Placement, PoseRecipe, placed_at, recipe_in

FARTHEST_MM, FARTHEST_DEGREES = 20.0, 10.0
"""Median distance between the poses of a model at the recorded joints and the recorded poses, above which one of them
is wrong."""


@dataclass(frozen=True)
class RobotModel:
    """Kinematics of the target robot, as the user gives them."""

    chains: Mapping[str, Chain]
    """By arm; the name of a single arm is empty."""
    joints: tuple[str, ...] = ()
    """Entries of an action that are the joints of the model, in its order; found by their names by default."""
    angles: str = "auto"
    """Unit of the actions' angles, radians or degrees; auto: as the dataset was adopted."""
    base: Placement | None = None
    """Pose of the model's base in the world frame of the poses; by default as the dataset was adopted."""
    tool: Placement | None = None
    """Pose of the common tool point in the tool frame; by default as the dataset was adopted."""


class RobotRetargeter(Protocol):
    """Inverse kinematics of a robot, and what its actions are."""

    robot: str
    action_names: tuple[str, ...]
    grippers: tuple[int, ...]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    fingerprint: str

    def follow(self, poses: NDArray[np.float32]) -> JointPath:
        """Joint angles along one recorded path."""


def retargeter_of(root: Path, frames: LabelledFrames, model: RobotModel | None = None) -> RobotRetargeter:
    """Inverse kinematics of the robot that recorded a target dataset."""
    robot = str(read_json(root / layout.INFO).get("robot_type"))
    if model is not None:
        try:
            return _modelled(frames, model, _recipe(root))
        except GlamError as error:
            raise GlamError(f"{root}: {error}") from None
    if robot not in Retargeter.known():
        raise GlamError(f"{root}: {_remedy(robot, _recipe(root))}")
    retargeter = Retargeter(robot, frames.schema.arms)
    if frames.schema.action_names != retargeter.action_names:
        theirs = ", ".join(frames.schema.action_names)
        raise GlamError(f"{root}: {ACTION} is {theirs}, but {robot} takes {', '.join(retargeter.action_names)}")
    return retargeter


def retargeter_of_velocities(root: Path, frames: LabelledFrames) -> RobotRetargeter | None:
    """Inverse kinematics of a known robot that takes joint velocities; None for other actions and unknown robots."""
    robot = str(read_json(root / layout.INFO).get("robot_type"))
    is_driven = any(name.endswith(".vel") for name in frames.schema.delta_actions)
    return Retargeter(robot, frames.schema.arms) if is_driven and robot in Retargeter.known() else None


def _recipe(root: Path) -> PoseRecipe:
    """Recipe of the poses of a dataset; without arms where nobody knows."""
    return recipe_in(read_json(root / layout.MANIFEST)) if (root / layout.MANIFEST).exists() else PoseRecipe()


def _remedy(robot: str, recipe: PoseRecipe) -> str:
    """Words on what to give for a robot that we do not know."""
    frames = [arm.model.partition(" ")[2] for arm in recipe.arms if arm.code == FROM_JOINTS]
    known = (
        f"the file that the dataset was adopted with, and --tool-frame {' '.join(frames)}"
        if frames
        else ("its URDF or MJCF, and with --tool-frame the link or site that the poses are of")
    )
    delta = "if the actions are steps of the tool, say --actions delta to glam data adopt or convert instead"
    return f"retarget does not know the joints of {robot!r}; give with --kinematics {known}; {delta}"


def _modelled(frames: LabelledFrames, model: RobotModel, recipe: PoseRecipe) -> ModelRetargeter:
    schema = frames.schema
    arms = ("",) if len(schema.arms) == 1 else schema.arms
    if set(model.chains) != set(arms):
        wanted = "one tool frame" if arms == ("",) else " ".join(f"{arm}=NAME" for arm in arms)
        raise GlamError(f"--tool-frame: the set has the arms {', '.join(schema.arms)}; give {wanted}")
    is_computed = any(arm.code == FROM_JOINTS for arm in recipe.arms)
    angles = model.angles if model.angles != "auto" else (recipe.angles if is_computed else "radians")
    frame = _frame(model, recipe if is_computed else PoseRecipe())
    joints = _joints(schema.action_names, model, arms)
    grippers = _grippers(schema.action_names, joints, arms)
    unit = float(np.radians(1.0)) if angles == "degrees" else 1.0
    parts = []
    for arm, its in zip(arms, joints, strict=True):
        chain = model.chains[arm]
        posture = np.median(frames.action[:, its].astype(np.float64), axis=0) * np.where(chain.is_turning, unit, 1.0)
        mine = tuple(entry for entry, owner in grippers.items() if owner == arm)
        parts.append(ArmModel(chain, its, mine, posture))
    retargeter = ModelRetargeter(schema.action_names, parts, frame, unit)
    _require_agreement(retargeter, frames, joints)
    return retargeter


def _frame(model: RobotModel, recipe: PoseRecipe) -> tuple[Transform, Transform]:
    return (
        placed_at(recipe.base if model.base is None else model.base),
        placed_at(recipe.tool if model.tool is None else model.tool),
    )


def _joints(names: Sequence[str], model: RobotModel, arms: Sequence[str]) -> list[tuple[int, ...]]:
    """For each arm the entries of an action that are its joints: as given, by name, or in order."""
    if model.joints:
        return _given(names, model, arms)
    found = []
    for arm in arms:
        wanted = [plain(joint) for joint in model.chains[arm].joints]
        mine = [entry for entry, name in enumerate(names) if arm in ("", arm_named(name))]
        named = {plain(names[entry]): entry for entry in mine}
        in_order = [entry for entry in mine if not is_held(names[entry])]
        if all(joint in named for joint in wanted):
            found.append(tuple(named[joint] for joint in wanted))
        elif len(in_order) == len(wanted):
            found.append(tuple(in_order))
        else:
            problem = f"{ACTION} is {', '.join(names)}, the joints of the model {', '.join(model.chains[arm].joints)}"
            raise GlamError(f"{problem}; say with --joints which entries these are, in that order")
    return found


def _given(names: Sequence[str], model: RobotModel, arms: Sequence[str]) -> list[tuple[int, ...]]:
    counts = [len(model.chains[arm].joints) for arm in arms]
    unknown = [name for name in model.joints if name not in names]
    if unknown or len(model.joints) != sum(counts):
        wanted = ", ".join(joint for arm in arms for joint in model.chains[arm].joints)
        raise GlamError(f"--joints: give {sum(counts)} of {', '.join(names)}, one for each of {wanted}")
    entries = iter([names.index(name) for name in model.joints])
    return [tuple(next(entries) for _ in range(count)) for count in counts]


def _grippers(names: Sequence[str], joints: Sequence[tuple[int, ...]], arms: Sequence[str]) -> dict[int, str]:
    """The arm of each other entry; every one of them must be a gripper."""
    rest = [entry for entry in range(len(names)) if not any(entry in its for its in joints)]
    strange = [names[entry] for entry in rest if not is_held(names[entry])]
    if strange and len(rest) > len(arms):
        raise GlamError(f"{ACTION} has {', '.join(strange)}, which is neither a joint of the model nor a gripper")
    owners = {}
    for number, entry in enumerate(rest):
        named = arm_named(names[entry])
        owners[entry] = named if named in arms else arms[min(number, len(arms) - 1)]
    return owners


def _require_agreement(retargeter: ModelRetargeter, frames: LabelledFrames, joints: Sequence[tuple[int, ...]]) -> None:
    """Refuse a model that is elsewhere than the recorded poses, where the state has the joints of an action."""
    states, names = list(frames.schema.state_names), frames.schema.action_names
    for number, (arm, its) in enumerate(zip(frames.schema.arms, joints, strict=True)):
        if not all(names[entry] in states for entry in its):
            continue
        indices = np.unique(np.linspace(0, len(frames) - 1, 200).astype(int))
        read = frames.state[indices][:, [states.index(names[entry]) for entry in its]].astype(np.float64)
        places, rotations = retargeter.poses(number, read)
        hand = frames.ee_pose[indices][:, POSE_SIZE * number :].astype(np.float64)
        far = 1000.0 * float(np.median(np.linalg.norm(places - hand[:, :3], axis=1)))
        traces = np.einsum("nij,nij->n", rotations, rotation_from_six(hand[:, 3:9]))
        turned = float(np.degrees(np.median(np.arccos(np.clip((traces - 1.0) / 2.0, -1.0, 1.0)))))
        if far > FARTHEST_MM or turned > FARTHEST_DEGREES:
            where = f"the tool of {arm} {far:.0f} mm and {turned:.0f} degrees off its recorded pose"
            remedy = "check --kinematics, --tool-frame, --joints, --angles, --base and --tool"
            raise GlamError(f"at the recorded joints the model has {where}; {remedy}")
