"""GLAM: a pair of generative models with one latent action (Eqs. 1-6), and its ablations as choices of a config."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from glam.nn.gaussian import DiagGaussian
from glam.training.learner import Learner, StepContext
from glam.world_models.batches import MixedBatch, Windows
from glam.world_models.objectives import alignment_kl, gaussian_error, prior_kl, symmetric_alignment_kl
from glam.world_models.parts import (
    ActionEncoder,
    ForwardModel,
    InverseDynamics,
    PartsConfig,
    ProprioForward,
    Sizes,
    action_decoder,
)
from glam.world_models.states import StateModel, States, StatesConfig


@dataclass(frozen=True)
class GlamConfig:
    """GLAM world model. The three last fields are the ablations of the paper's discussion."""

    parts: PartsConfig = PartsConfig()
    states: StatesConfig = StatesConfig()
    prior_weight: float = 1e-3
    """Weight of both KL terms to N(0, I)."""
    alignment_weight: float = 1.0
    """lambda in Eq. 6; 0 for no alignment."""
    alignment_warmup: float = 0.1
    """Share of the training over which lambda grows from 0: the action encoder must mean something first."""
    idm_rotation_noise: float = 1.0
    """By how much hands are turned about each axis, at random, before the IDM sees them while training. An arm tilts a
    little as its servos lag, which a hand-held gripper never does: seen exactly, that would tell the sources apart."""
    alignment: Literal["asymmetric", "symmetric"] = "asymmetric"
    """Symmetric drops the stop-gradient of Eq. 5."""
    alignment_reaches_encoder: bool = True
    """Whether the gradient of Eq. 5 reaches the visual encoder, as its argument psi says."""
    reconstruct_actions_from: Literal["action_encoder", "idm"] = "action_encoder"
    """Whose samples the action decoder is trained on; the paper insists on the action encoder's."""


class _Errors(NamedTuple):
    """Of a predicted state."""

    feature: Tensor
    pose: Tensor


class Glam(Learner[MixedBatch]):
    """The heterogeneous model (states, IDM, forward) and the target model (action encoder, proprio, decoder)."""

    def __init__(self, config: GlamConfig, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        self.weights = _weights(config)
        self.states = StateModel(sizes, config.parts, config.states)
        self.idm = InverseDynamics(self.states.size, sizes.latent, config.parts)
        self.forward_model = ForwardModel(self.states.feature_size, self.states.pose_size, sizes.latent, config.parts)
        self.action_encoder = ActionEncoder(sizes, config.parts)
        self.proprio_forward = ProprioForward(sizes, config.parts)
        self.action_decoder = action_decoder(sizes, config.parts)

    def losses(self, batch: MixedBatch, context: StepContext) -> dict[str, Tensor]:
        """-J_H - J_T + lambda C_KL, term by term (Eq. 6)."""
        every, (rows, _) = batch.every(), batch.parts
        states = self.states.encode(every)
        seen = self.states.idm_pose(states, every)
        idm = self.idm(seen.now().x, seen.later().x)
        z_idm = torch.cat([idm[:rows].rsample(context.noise), idm[rows:].rsample(context.noise)])
        reconstruction = self.states.reconstruction_error(states.feature, every.image, context.noise.over(*batch.parts))
        s, a = batch.target.state[:, :-1], batch.target.action[:, :-1]
        action_encoder = self.action_encoder(s, a)
        z = action_encoder.rsample(context.noise)
        forward, grounded = self._forward_errors(states, z_idm, z)
        decoded = self.action_decoder(z if self.config.reconstruct_actions_from == "action_encoder" else z_idm[:rows])
        alignment = self._alignment(seen.first(rows), idm[:rows], action_encoder)
        return {
            # -J_H (Eq. 3), over the windows of every source
            "reconstruction": reconstruction,
            "forward_feature": forward.feature,
            "forward_pose": forward.pose,
            "idm_prior": prior_kl(idm),
            # -J_T (Eq. 4), and the forward terms of the action encoder's samples
            "proprio": gaussian_error(self.proprio_forward(s, z), batch.target.state[:, 1:]),
            "action": gaussian_error(decoded, a),
            "action_prior": prior_kl(action_encoder),
            "grounded_feature": grounded.feature,
            "grounded_pose": grounded.pose,
            # C_KL (Eq. 5)
            "alignment": alignment * context.ramp(self.config.alignment_warmup),
        }

    def label(self, windows: Windows) -> Tensor:
        """Latent action of each transition: the IDM's mean (Eq. 7). (B, T - 1, d)."""
        states = self.states.encode(windows)
        posterior: DiagGaussian = self.idm(states.now().x, states.later().x)
        return posterior.mean

    def _forward_errors(self, states: States, z_idm: Tensor, z: Tensor) -> tuple[_Errors, _Errors]:
        """Errors of the next feature and pose by the IDM's samples, and by the action encoder's `z`.

        The target's windows come first, so `z` is of the first ones; one pass for all samples is cheaper than two.
        The next feature is a fixed target, or both could shrink together.
        """
        both = States(*map(torch.cat, zip(states, states.first(len(z)), strict=True)))
        feature, pose = self.forward_model(*both.now(), torch.cat([z_idm, z]))
        later = both.later()

        def errors(rows: slice) -> _Errors:
            seen = gaussian_error(feature[rows], later.feature[rows].detach())
            return _Errors(seen, gaussian_error(pose[rows], later.pose[rows]))

        return errors(slice(len(z_idm))), errors(slice(len(z_idm), None))

    def _alignment(self, seen: States, idm: DiagGaussian, action_encoder: DiagGaussian) -> Tensor:
        if not self.config.alignment_reaches_encoder:
            seen = seen.detach()
            idm = self.idm(seen.now().x, seen.later().x)
        divergence = alignment_kl if self.config.alignment == "asymmetric" else symmetric_alignment_kl
        return divergence(idm, action_encoder)


def _weights(config: GlamConfig) -> dict[str, float]:
    likelihoods = ("forward_feature", "forward_pose", "proprio", "action", "grounded_feature", "grounded_pose")
    priors = ("idm_prior", "action_prior")
    return (
        dict.fromkeys(likelihoods, 1.0)
        | dict.fromkeys(priors, config.prior_weight)
        | {"reconstruction": config.states.reconstruction_weight, "alignment": config.alignment_weight}
    )
