"""A trained policy as one torch module and one JSON value, for libraries that load modules in ways of their own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from glam.core.configs import from_json
from glam.data.normalizer import Normalizer
from glam.policies.encoders.inputs import resized, without_frozen
from glam.policies.trained import Policy, PolicyConfig, PolicyInterface, PolicySizes, build, observations, on
from glam.training import tensors
from glam.training.artefact import Artefact


@dataclass(frozen=True)
class Description:
    """All of a policy but its weights."""

    policy: PolicyConfig
    sizes: PolicySizes
    interface: PolicyInterface
    normalizer: dict[str, dict[str, tuple[float, ...]]]
    """Normalizer of each feature."""
    digest: str
    """Identifies the weights."""

    @property
    def pose_size(self) -> int:
        """Entries of `observation.ee_pose`."""
        return len(Normalizer.from_json(self.normalizer).pose.mean)

    @classmethod
    def of(cls, found: Artefact) -> "Description":
        """The description of a finished training of a policy."""
        return from_json(
            cls,
            {
                "policy": found.setting("policy"),
                "digest": found.digest,
                **{name: found.document(name) for name in ("sizes", "interface", "normalizer")},
            },
        )


class ExportedPolicy(nn.Module):
    """Networks and normalizers; answers exactly as `TrainedPolicy.act`, on whichever device it lies."""

    def __init__(self, description: Description) -> None:
        super().__init__()
        self.description = description
        # In plain memory: what an optimiser keeps of weights in another order, LeRobot cannot store.
        self.policy = _plain(build(description.policy, description.sizes))
        encoder = description.policy.observation.encoder
        self.frozen_backbone = encoder.frozen_backbone().requires_grad_(requires_grad=False)
        self._normalizer = Normalizer.from_json(description.normalizer)

    def forward(self, images: Sequence[Tensor], poses: Tensor, states: Tensor) -> Tensor:
        """Chunks of normalized actions, with gradients: what to fine-tune. Arguments as for `act`."""
        device = next(self.parameters()).device
        resized_views = resized((view.cpu().numpy() for view in images), self.description.interface.pixels).to(device)
        inputs = self.frozen_backbone.eval()(resized_views)
        return self.policy.act(observations(inputs, poses, states, self._normalizer))

    @torch.no_grad()
    def act(self, images: Sequence[Tensor], poses: Tensor, states: Tensor) -> Tensor:
        """Chunks of robot actions in their own units. (B, H, n_a).

        Args:
            images: for each of the interface's cameras (B, Y, X, 3) of uint8, each of any size.
            poses: (B, p) of float32.
            states: (B, n_s) of float32.
        """
        normal = self(images, poses, states)
        return on(normal.device, self._normalizer.action).denormalize(normal)

    def normalized(self, actions: Tensor) -> Tensor:
        """Actions on the scale of `forward`."""
        device = next(self.parameters()).device
        return on(device, self._normalizer.action).normalize(actions.to(device))

    def fill(self, weights: Mapping[str, Tensor], path: Path) -> None:
        """Take over the weights of a training, which were read from `path`."""
        trained = without_frozen(weights)
        own = {f"policy.{name}": weight for name, weight in trained.items()}
        tensors.fill(self.state_dict(), own | {name: weights[name] for name in weights.keys() - trained.keys()}, path)
        self.eval()


def _plain(policy: Policy) -> Policy:
    """The same module, with weights that lie in memory in the order of their dimensions."""
    for parameter in policy.parameters():
        parameter.data = parameter.data.contiguous()
    return policy
