"""Recipe by which the poses of a dataset were computed from robot readings, so that the robot can do the same live.

`glam data adopt` stores the recipe in the dataset, a policy keeps it in its run, and `glam serve` sends it to robots.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from glam_client.configs import from_json
from glam_client.errors import GlamError

FROM_JOINTS: Final = "joints"
KEY = "poses"
"""Entry of the config in the description of a dataset."""

Number = tuple[str, int]
"""One of the numbers that a robot measures: its feature, and its index in the feature."""
RotationCode = Literal["quaternion-xyzw", "quaternion-wxyz", "rotation-vector", "roll-pitch-yaw", "six", "matrix"]
PoseCode = Literal[RotationCode, "joints"]
Placement = tuple[float, float, float, float, float, float]
"""x, y, z in metres, then roll, pitch and yaw in degrees."""
IN_PLACE: Placement = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class ArmRecipe:
    """Recipe for the pose of one arm."""

    name: str
    numbers: tuple[Number, ...]
    """Position and rotation; or joints, base first."""
    code: PoseCode
    """Code of the rotation; `FROM_JOINTS` if the numbers are joints."""
    model: str = ""
    """Kinematic model that computes the pose from joints: sha256 of its file, and the tool frame."""
    gripper: tuple[Number, ...] = ()
    """One number, or two (one per finger); empty if the opening is unknown."""
    closed: float = 0.0
    """Reading of a closed gripper."""
    opened: float = 1.0

    def __post_init__(self) -> None:
        """Refuse a gripper that reads the same when open and closed."""
        if self.closed == self.opened:
            raise GlamError(f"pose of {self.name}: its gripper reads {self.closed:g} both closed and open")


@dataclass(frozen=True)
class PoseRecipe:
    """From robot readings to `observation.ee_pose`; without arms the recipe is unknown."""

    features: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Readings that are needed: by feature, the names of its numbers in order."""
    arms: tuple[ArmRecipe, ...] = ()
    """In the order of `observation.ee_pose`."""
    angles: Literal["radians", "degrees"] = "radians"
    lengths: Literal["metres", "millimetres"] = "metres"
    base: Placement = IN_PLACE
    """Pose of the readings' base frame in the world frame."""
    tool: Placement = IN_PLACE
    """Pose of the common tool point in the tool frame of the readings."""

    def __post_init__(self) -> None:
        """Refuse numbers that are not among the features."""
        for arm in self.arms:
            for feature, place in (*arm.numbers, *arm.gripper):
                if not 0 <= place < len(self.features.get(feature, ())):
                    raise GlamError(f"pose of {arm.name}: {feature} has no number {place}")


def recipe_in(provenance: Mapping[str, Any]) -> PoseRecipe:
    """The recipe in a dataset's manifest; one without arms if there is none."""
    config = provenance.get("description", {}).get("config", {})
    return from_json(PoseRecipe, config.get(KEY, {}))
