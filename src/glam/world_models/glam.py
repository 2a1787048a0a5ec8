"""GLAM: a pair of generative models with one latent action (Eqs. 1-6), and its ablations as choices of a config."""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from glam.nn.gaussian import DiagGaussian
from glam.nn.noise import Noise
from glam.training.learner import Learner, StepContext
from glam.world_models.batches import LabelledWindows, MixedBatch, Windows
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
    alignment: Literal["asymmetric", "symmetric"] = "asymmetric"
    """Symmetric drops the stop-gradient of Eq. 5."""
    alignment_reaches_encoder: bool = True
    """Whether the gradient of Eq. 5 reaches the visual encoder, as its argument psi says."""
    reconstruct_actions_from: Literal["action_encoder", "idm"] = "action_encoder"
    """Whose samples the action decoder is trained on; the paper insists on the action encoder's."""


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
        idm = self.idm(states.now().x, states.later().x)
        z_idm = torch.cat([idm[:rows].rsample(context.noise), idm[rows:].rsample(context.noise)])
        target = states.first(rows)
        heterogeneous = self._heterogeneous(states, every, idm, z_idm, context.noise.over(*batch.parts))
        return heterogeneous | self._target(target, batch.target, (idm[:rows], z_idm[:rows]), context)

    def label(self, windows: Windows) -> Tensor:
        """Latent action of each transition: the IDM's mean (Eq. 7). (B, T - 1, d)."""
        states = self.states.encode(windows)
        posterior: DiagGaussian = self.idm(states.now().x, states.later().x)
        return posterior.mean

    def _heterogeneous(
        self, states: States, windows: Windows, idm: DiagGaussian, z: Tensor, noise: Noise
    ) -> dict[str, Tensor]:
        """-J_H (Eq. 3) over the windows of every source."""
        feature_error, pose_error = self._forward_errors(states, z)
        return {
            "reconstruction": self.states.reconstruction_error(states.feature, windows.picture, noise),
            "forward_feature": feature_error,
            "forward_pose": pose_error,
            "idm_prior": prior_kl(idm),
        }

    def _target(
        self, states: States, windows: LabelledWindows, inferred: tuple[DiagGaussian, Tensor], context: StepContext
    ) -> dict[str, Tensor]:
        """-J_T (Eq. 4), the forward terms of the action encoder's samples, and C_KL (Eq. 5).

        `inferred` is the IDM's posterior of the target's transitions, and its sample.
        """
        idm, z_idm = inferred
        s, a, s_next = windows.state[:, :-1], windows.action[:, :-1], windows.state[:, 1:]
        action_encoder = self.action_encoder(s, a)
        z = action_encoder.rsample(context.noise)
        feature_error, pose_error = self._forward_errors(states, z)
        decoded = self.action_decoder(z if self.config.reconstruct_actions_from == "action_encoder" else z_idm)
        return {
            "proprio": gaussian_error(self.proprio_forward(s, z), s_next),
            "action": gaussian_error(decoded, a),
            "action_prior": prior_kl(action_encoder),
            "grounded_feature": feature_error,
            "grounded_pose": pose_error,
            "alignment": self._alignment(states, idm, action_encoder) * context.ramp(self.config.alignment_warmup),
        }

    def _forward_errors(self, states: States, z: Tensor) -> tuple[Tensor, Tensor]:
        """Errors of the next feature and pose. The next feature is a fixed target, or both could shrink together."""
        feature, pose = self.forward_model(*states.now(), z)
        later = states.later()
        return gaussian_error(feature, later.feature.detach()), gaussian_error(pose, later.pose)

    def _alignment(self, states: States, idm: DiagGaussian, action_encoder: DiagGaussian) -> Tensor:
        if not self.config.alignment_reaches_encoder:
            seen = states.detach()
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
