"""How the poses of a dataset were made of what its robot measures, so that the robot can make the same ones live.

`glam data adopt` keeps the recipe with the dataset, a policy with its run, and `glam serve` tells it to the robot.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from glam.core.configs import from_json
from glam.core.errors import GlamError

FROM_JOINTS: Final = "joints"
KEY = "poses"
"""Entry of the config in the description of a dataset."""

Number = tuple[str, int]
"""One of the numbers that a robot measures: the feature, and its place in it."""
RotationCode = Literal["quaternion-xyzw", "quaternion-wxyz", "rotation-vector", "roll-pitch-yaw", "six", "matrix"]
PoseCode = Literal[RotationCode, "joints"]
Placement = tuple[float, float, float, float, float, float]
"""x, y, z in metres, then roll, pitch and yaw in degrees."""
IN_PLACE: Placement = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class ArmRecipe:
    """The pose of one arm."""

    name: str
    numbers: tuple[Number, ...]
    """Position and rotation; or joints, base first."""
    code: PoseCode
    """How the rotation is written; `FROM_JOINTS` where the numbers are joints."""
    model: str = ""
    """Identity of the model that finds the pose from joints: sha256 of its file, and the tool frame."""
    gripper: tuple[Number, ...] = ()
    """One number, or two that are a finger each; none where no opening is known."""
    closed: float = 0.0
    """What is read at a closed gripper."""
    opened: float = 1.0

    def __post_init__(self) -> None:
        """A gripper that reads the same whether open or closed tells nothing."""
        if self.closed == self.opened:
            raise GlamError(f"pose of {self.name}: its gripper reads {self.closed:g} both closed and open")


@dataclass(frozen=True)
class PoseRecipe:
    """From what a robot measures to `observation.ee_pose`; without arms, nobody can tell."""

    features: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """What must be measured: by feature, the names of its numbers in their order."""
    arms: tuple[ArmRecipe, ...] = ()
    """In the order of the pose."""
    angles: Literal["radians", "degrees"] = "radians"
    lengths: Literal["metres", "millimetres"] = "metres"
    base: Placement = IN_PLACE
    """Where the frame in which poses are told stands in the world frame."""
    tool: Placement = IN_PLACE
    """Where the common tool point is in the frame of the tool that poses are told of."""

    def __post_init__(self) -> None:
        """Refuse numbers that nobody measures."""
        for arm in self.arms:
            for feature, place in (*arm.numbers, *arm.gripper):
                if not 0 <= place < len(self.features.get(feature, ())):
                    raise GlamError(f"pose of {arm.name}: there is no number {place} of {feature}")


def recipe_in(provenance: Mapping[str, Any]) -> PoseRecipe:
    """The recipe that a dataset's manifest holds; one without arms where it holds none."""
    config = provenance.get("description", {}).get("config", {})
    return from_json(PoseRecipe, config.get(KEY, {}))
