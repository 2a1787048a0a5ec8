"""Datasets and weights that a policy is trained on, checked before the work begins."""

from dataclasses import dataclass
from pathlib import Path

from glam.core.errors import GlamError
from glam.core.files import require_writable
from glam.data.reader import Dataset
from glam.data.schema import ACTION
from glam.data.skipping import SkipList
from glam.policies.trained import PolicyConfig
from glam.stages.target_robot import RobotModel
from glam.training import artefact

LATENT = "latent"
"""The tag of the policies on latent actions, which need a world model."""
RETARGET = "retarget"
"""The method whose direct policy learns from auxiliary samples as well."""


@dataclass(frozen=True)
class Inputs:
    """Datasets and weights that a policy is trained on."""

    target: Path
    auxiliary: tuple[Path, ...] = ()
    world_model: Path | None = None
    """Run that relabels the datasets with latent actions; for `latent` only."""
    encoder_weights: Path | None = None
    """Weights of a pretrained encoder; without it the published ones."""
    robot: RobotModel | None = None
    """Kinematics of the target robot; for `retarget` to robots that we do not know."""
    skipped: SkipList = SkipList()
    """Episodes to leave out."""

    @property
    def skips(self) -> dict[str, str]:
        """Record about the episodes that are left out."""
        return self.skipped.inputs([Dataset.open(root) for root in (self.target, *self.auxiliary)])


def check_inputs(method: str, policy: PolicyConfig, inputs: Inputs, out: Path) -> None:
    """Refuse inputs that do not fit the method, and an output that cannot be written, before minutes of decoding."""
    if policy.kind == LATENT:
        if inputs.world_model is None or not inputs.auxiliary:
            raise GlamError("--world-model and --aux: latent needs a world model and at least one auxiliary dataset")
    elif method != RETARGET and (inputs.auxiliary or inputs.world_model):
        raise GlamError(
            f"--aux and --world-model: {method} learns from the target alone; latent and retarget use other data"
        )
    elif method == RETARGET and not inputs.auxiliary:
        raise GlamError("--aux: retarget needs at least one auxiliary dataset, whose paths become robot actions")
    elif method == RETARGET and inputs.world_model:
        raise GlamError("--world-model: retarget uses inverse kinematics instead; only latent takes a world model")
    if Dataset.open(inputs.target).schema.role != "target":
        raise GlamError(f"--target {inputs.target}: has no {ACTION} feature; give a labelled dataset")
    require_writable(out / artefact.CONFIG)
    _check_keypoint_weight(policy.keypoint_weight, inputs.target)


def _check_keypoint_weight(weight: float, target: Path) -> None:
    if weight < 0:
        raise GlamError(f"--keypoint-weight {weight:g}: must be 0, which leaves masks out, or positive")
    if weight and not Dataset.open(target).schema.objects:
        raise GlamError(f"--keypoint-weight {weight:g}: {target} has no masks; make them with glam data masks")
