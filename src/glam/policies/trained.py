"""A trained policy with all that it needs to act (networks, normalizers, features), and the latency of its calls."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from glam.core.configs import from_json, to_json
from glam.core.errors import GlamError
from glam.data.normalizer import FeatureNormalizer, Normalizer, VectorNormalizer
from glam.policies.batches import Observations
from glam.policies.direct import DirectPolicy, DirectPolicyConfig
from glam.policies.doubt import Doubt
from glam.policies.encoders.inputs import resized, trained_backbone, without_frozen
from glam.policies.latent import LatentPolicy, LatentPolicyConfig
from glam.policies.observation import ObservationSizes
from glam.training import artefact, tensors
from glam_client.pose_conversion import PoseRecipe

PolicyConfig = LatentPolicyConfig | DirectPolicyConfig
Policy = LatentPolicy | DirectPolicy

KIND = "policy"
DOUBT = "doubt"
"""Document of a run."""
NO_TRACKS = np.zeros((0, 0), np.float32)
"""Tracks of any number of observations, none of which is known."""


@dataclass(frozen=True)
class PolicySizes:
    """Sizes that follow from the data."""

    observation: ObservationSizes
    latent: int
    """Size of the latent action; 0 for a policy that predicts actions directly."""
    action: int


@dataclass(frozen=True)
class PolicyInterface:
    """Inputs that a robot must give, and actions that it must take."""

    fps: int
    cameras: tuple[str, ...]
    pixels: int
    state_names: tuple[str, ...]
    action_names: tuple[str, ...]
    delta_actions: tuple[str, ...] = ()
    """Actions that say by how much to move, as `Schema.delta_actions`."""
    task: str = ""
    """Task of the target's demonstrations, as its description names it; empty where that is not known."""
    poses: PoseRecipe = PoseRecipe()
    """How its robot computes poses; without arms where there are none or it is not known."""
    track_cameras: tuple[str, ...] = ()
    """Cameras of the tracks that it knows; it also acts without them."""


@dataclass(frozen=True)
class TrainedPolicy:
    """Networks, normalizers and interface."""

    policy: Policy
    normalizer: Normalizer
    interface: PolicyInterface
    digest: str
    backbone: nn.Module
    """Turns images into encoder inputs: a frozen backbone, or the identity."""
    doubt: Doubt | None = None
    """None for a policy of an earlier version, whose doubt is not known."""

    @property
    def chunk(self) -> int:
        """Actions that are predicted at once."""
        return self.policy.head.shape[0]

    def act(
        self,
        images: NDArray[np.uint8],
        poses: NDArray[np.float32],
        states: NDArray[np.float32],
        tracks: NDArray[np.float32] = NO_TRACKS,
    ) -> NDArray[np.float32]:
        """Chunks of robot actions in their own units, for a batch of observations.

        Args:
            images: (B, V, Y, X, 3) of any size, views in the order of `interface.cameras`.
            poses: (B, p); ignored by a policy whose data had none. (B, 0) where a policy may do without.
            states: (B, n_s); (B, 0) where they are not known.
            tracks: (B, 3 P) in the cameras of `interface.track_cameras`; (B, 0) where they are not known.
        """
        return self.act_and_doubt(images, poses, states, tracks)[0]

    @torch.no_grad()
    def act_and_doubt(
        self,
        images: NDArray[np.uint8],
        poses: NDArray[np.float32],
        states: NDArray[np.float32],
        tracks: NDArray[np.float32] = NO_TRACKS,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The same chunks, and the doubt about each observation; NaN where it is not known. (B, H, n_a), (B,)."""
        inputs = self.backbone(resized(images.swapaxes(0, 1), self.interface.pixels))
        observed = observations(inputs, torch.tensor(poses), torch.tensor(states), self.normalizer, tracks)
        condition = self.policy.observation(observed)
        actions = self.normalizer.action.denormalize(self.policy.act_on(condition).numpy())
        if self.doubt is None:
            return actions, np.full(len(actions), np.nan, np.float32)
        return actions, self.doubt.of(self.policy.observation.seen(condition).numpy())


def observations(
    inputs: Tensor, poses: Tensor, states: Tensor, normalizer: Normalizer, tracks: NDArray[np.float32] = NO_TRACKS
) -> Observations:
    """Normalized observations on the device of `inputs`; poses (B, p) may be longer than those in training."""
    device, state_size = inputs.device, len(normalizer.state.mean)
    has_state = states.shape[1] > 0 or not state_size
    states = states if has_state else torch.tensor(normalizer.state.mean).expand(len(states), -1)
    return Observations(
        inputs,
        _hands(poses, tracks, normalizer).to(device),
        on(device, normalizer.state).normalize(states.to(device)),
        torch.full((len(states), 1), float(has_state), device=device),
    )


def _hands(poses: Tensor, tracks: NDArray[np.float32], normalizer: Normalizer) -> Tensor:
    size, points = len(normalizer.pose.mean), len(normalizer.tracks.mean) // 2
    if poses.shape[1] < size and (poses.shape[1] or not normalizer.is_pose_optional):
        raise GlamError(f"poses of {poses.shape[1]} numbers; the policy was trained with {size}")
    if tracks.shape[1] not in (0, 3 * points):
        raise GlamError(f"tracks of {tracks.shape[1]} numbers; the policy was trained with {3 * points}")
    if not normalizer.groups:
        return on(poses.device, normalizer.pose).normalize(poses[:, :size])
    return torch.from_numpy(normalizer.hands(poses[:, :size].cpu().numpy(), tracks))


def on(device: torch.device, normalizer: VectorNormalizer) -> FeatureNormalizer[Tensor]:
    """A normalizer of tensors that lie on `device`."""
    return normalizer.map(lambda values: torch.from_numpy(values).to(device))


def build(config: PolicyConfig, sizes: PolicySizes) -> Policy:
    """A new policy."""
    return config.build(sizes.observation, sizes.latent, sizes.action)


def documents(normalizer: Normalizer, interface: PolicyInterface, sizes: PolicySizes) -> dict[str, Any]:
    """Documents that are stored beside the weights."""
    return {"normalizer": normalizer.to_json(), "interface": to_json(interface), "sizes": to_json(sizes)}


def load(root: Path) -> TrainedPolicy:
    """Read a finished training."""
    found = artefact.load(root)
    if found.kind != KIND:
        raise GlamError(f"{root}: holds a {found.kind}, not a policy; give a folder made by train-policy")
    sizes = from_json(PolicySizes, found.document("sizes"))
    config: PolicyConfig = from_json(PolicyConfig, found.setting("policy"))  # type: ignore[arg-type]  # a union
    path = root / artefact.MODEL
    policy = tensors.built(lambda: build(config, sizes), without_frozen(found.weights), path)
    policy.eval()
    normalizer = Normalizer.from_json(found.document("normalizer"))
    interface = from_json(PolicyInterface, found.document("interface"))
    backbone = trained_backbone(config.observation.encoder, found.weights, path)
    doubt = Doubt.from_json(found.documents[DOUBT]) if DOUBT in found.documents else None
    return TrainedPolicy(policy, normalizer, interface, found.digest, backbone, doubt)


_WARM_UP = 5


def call_milliseconds(policy: TrainedPolicy, calls: int = 50, pixels: int = 128) -> list[float]:
    """Duration of each of some calls with one observation, in milliseconds, once the policy is warm.

    A call includes resizing the images. Observations are random numbers, which cost as much as any others.
    """
    random = np.random.default_rng(0)
    views = len(policy.interface.cameras)
    images = random.integers(0, 256, (1, views, pixels, pixels, 3), dtype=np.uint8)
    poses = random.standard_normal((1, len(policy.normalizer.pose.mean)), dtype=np.float32)
    states = random.standard_normal((1, len(policy.interface.state_names)), dtype=np.float32)
    durations = []
    for _ in range(_WARM_UP + calls):
        begin = time.perf_counter()
        policy.act(images, poses, states)
        durations.append(1e3 * (time.perf_counter() - begin))
    return durations[_WARM_UP:]
