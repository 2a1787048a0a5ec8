"""GLAM: a pair of generative models with one latent action (Eqs. 1-6), and its ablations as choices of a config."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp
from types import MappingProxyType
from typing import ClassVar, Literal, NamedTuple, Self

import torch
from torch import Tensor, nn

from glam.core.errors import GlamError
from glam.nn.gaussian import DiagGaussian
from glam.training.learner import StepContext
from glam.world_models.batches import NO_AUGMENTATION, MixedBatch, Windows
from glam.world_models.method import IMAGES, MASKS, EncodedEpisode, MethodConfig, WorldModel
from glam.world_models.objectives import alignment_kl, gaussian_error, prior_kl, symmetric_alignment_kl
from glam.world_models.parts import (
    ActionEncoder,
    ForwardModel,
    InverseDynamics,
    ProprioForward,
    Sizes,
    action_decoder,
)
from glam.world_models.states import StateModel, States
from glam.world_models.verdicts import Probes, Verdict, verdict

_FLOOR_SLACK = 1.1  # a width this close to its floor counts as held there


@dataclass(frozen=True)
class GlamConfig(MethodConfig):
    """GLAM world model. The last three fields are the ablations of the paper's discussion."""

    meanings: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "kl": "KL divergence of a latent entry from the prior, in nats",
            "width": "mean standard deviation of the posterior of a latent entry",
        }
    )

    kind: Literal["glam"] = "glam"
    forward_weight: float = 1.0
    """Weight of the four likelihoods of the next state, which ground the latent action in what is seen."""
    action_weight: float = 30.0
    """Weight of the likelihoods of actions and of the next robot state, the inverse of their variance. At 1 the prior
    keeps the posteriors as wide as a tenth of the latent's spread, and decoded actions as coarse."""
    prior_weight: float = 1e-3
    """Weight of both KL terms to N(0, I)."""
    alignment_weight: float = 1.0
    """lambda in Eq. 6; 0 for no alignment."""
    alignment_warmup: float = 0.1
    """Fraction of the training over which lambda rises from 0, so that the action encoder learns something first."""
    idm_frames: int = 4
    """Frames x_t, x_{t+1}, ... that the IDM sees of a transition, at least 2. The paper's IDM sees 2, which do not show
    the effect of an action that a robot follows late; `glam data check` measures how late it does."""
    idm_rotation_noise: float = 1.0
    """Standard deviation, in degrees, of the random rotation about each axis of the poses that the IDM sees in
    training. An arm tilts a little when its servos lag, and a hand-held gripper does not: an IDM that sees exact poses
    can tell the sources from each other."""
    alignment: Literal["asymmetric", "symmetric"] = "asymmetric"
    """Symmetric drops the stop-gradient of Eq. 5."""
    alignment_reaches_encoder: bool = True
    """If True, the gradient of Eq. 5 reaches the visual encoder, as its argument psi says."""
    reconstruct_actions_from: Literal["action_encoder", "idm"] = "action_encoder"
    """The samples on which the action decoder is trained; the paper insists on those of the action encoder."""

    def __post_init__(self) -> None:
        """Refuse an IDM that sees no transition."""
        if self.idm_frames < 2:
            raise GlamError(f"model.idm_frames is {self.idm_frames}; it must be at least 2")

    @classmethod
    def variants(cls) -> dict[str, Self]:
        """The method on RGB and on object masks, and its ablations."""
        return {
            "glam": cls(states=IMAGES),
            "glam-plain-images": cls(states=replace(IMAGES, augmentation=NO_AUGMENTATION)),
            "glam-o": cls(states=MASKS),
            "glam-o-symmetric": cls(states=MASKS, alignment="symmetric"),
            "glam-o-unaligned": cls(states=MASKS, alignment_weight=0.0),
            "glam-o-idm-actions": cls(states=MASKS, reconstruct_actions_from="idm"),
            "glam-o-detached": cls(states=MASKS, alignment_reaches_encoder=False),
            "glam-o-exact-poses": cls(states=MASKS, idm_rotation_noise=0.0),
            "glam-o-one-frame": cls(states=MASKS, idm_frames=2),
            "glam-o-no-pose": cls(states=replace(MASKS, has_pose=False)),
            "glam-o-pose-only": cls(states=replace(MASKS, has_image=False)),
        }

    @classmethod
    def other_variants(cls) -> dict[str, Self]:
        """For recordings without a pose and without masks."""
        return {"glam-no-pose": cls(states=replace(IMAGES, has_pose=False))}

    @property
    def advice(self) -> Mapping[str, str]:
        """Remedies that depend on the alignment."""
        if self.alignment_weight <= 0:
            return {"action_error": "choose a method with alignment, such as glam-o"}
        if not self.alignment_reaches_encoder:
            return {}
        detached = "keep the alignment's gradient out of the image encoder, as the method glam-o-detached does"
        return {"feature_vs_copy": detached, "feature_std": detached}

    def build(self, sizes: Sizes) -> "Glam":
        """A new model."""
        return Glam(self, sizes)

    def own_verdicts(self, probes: Probes, *, has_problem: bool) -> Iterator[Verdict]:
        """Posterior widths at their floor: usual in good runs, but a possible cause where something is wrong."""
        widths = [value for name, value in probes.items() if name.startswith("width/")]
        floor = exp(0.5 * self.parts.log_variance[0])
        held = sum(width < _FLOOR_SLACK * floor for width in widths)
        if self.alignment_weight > 0 and held > len(widths) / 2:
            where = f"the posterior widths of {held} of {len(widths)} latent entries are at their floor {floor:.2g}"
            finding = f"{where}, which then sets the weight of the alignment"
            remedy = "raise the floor of the log-variance from -10 to -6: --set model.parts.log_variance=[-6,2]"
            yield verdict("warning" if has_problem else "ok", finding, remedy)


class _Errors(NamedTuple):
    """Errors of a predicted state."""

    feature: Tensor
    pose: Tensor


class Glam(WorldModel):
    """The heterogeneous model (states, IDM, forward) and the target model (action encoder, proprio, decoder)."""

    config: GlamConfig
    action_decoder: nn.Module

    def __init__(self, config: GlamConfig, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        self.weights = _weights(config)
        self.states = StateModel(sizes, config.parts, config.states)
        self.idm = InverseDynamics(self.states.size, sizes.latent, config.parts, config.idm_frames)
        self.forward_model = ForwardModel(self.states.feature_size, self.states.pose_size, sizes.latent, config.parts)
        self.action_encoder = ActionEncoder(sizes, config.parts)
        self.proprio_forward = ProprioForward(sizes, config.parts)
        self.action_decoder = action_decoder(sizes, config.parts)

    def losses(self, batch: MixedBatch, context: StepContext) -> dict[str, Tensor]:
        """-J_H - J_T + lambda C_KL, term by term (Eq. 6)."""
        every, (n, _) = batch.every(), batch.sizes  # the first n windows are the target's
        seen = self.states.encode(every)
        states = seen.without_last(self.config.idm_frames - 2)  # what follows is for the IDM alone
        idm_states, frames = self.states.with_idm_pose(seen, every), states.feature.shape[1]
        idm = self._idm(idm_states, frames - 1)
        z_idm = torch.cat([idm[:n].rsample(context.noise), idm[n:].rsample(context.noise)])
        shared_noise = context.noise.over(*batch.sizes)
        reconstruction = self.states.reconstruction_error(states.feature, every.image[:, :frames], shared_noise)
        s, a = batch.target.state[:, :frames], batch.target.action[:, : frames - 1]
        action_encoder = self.action_encoder(s[:, :-1], a)
        z = action_encoder.rsample(context.noise)
        forward, grounded = self._forward_errors(states, z_idm, z)
        decoded = self.action_decoder(z if self.config.reconstruct_actions_from == "action_encoder" else z_idm[:n])
        alignment = self._alignment(idm_states.first(n), idm[:n], action_encoder)
        return {
            # -J_H (Eq. 3), over the windows of every source
            "reconstruction": reconstruction,
            "forward_feature": forward.feature,
            "forward_pose": forward.pose,
            "idm_prior": prior_kl(idm),
            # -J_T (Eq. 4), and the forward terms of the action encoder's samples
            "proprio": gaussian_error(self.proprio_forward(s[:, :-1], z), s[:, 1:]),
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
        return self._idm(states, states.feature.shape[1] - 1).mean

    def diagnostics(self, episodes: Sequence[EncodedEpisode]) -> dict[str, float]:
        """KL to the prior and width of each latent entry's posterior."""
        posteriors = [self._idm(episode.states, episode.latent.shape[1]) for episode in episodes]
        kl = torch.cat([posterior.kl_to_standard()[0] for posterior in posteriors]).mean(0)
        width = torch.cat([posterior.standard_deviation[0] for posterior in posteriors]).mean(0)
        values = {f"kl/{entry}": float(value) for entry, value in enumerate(kl)}
        return values | {f"width/{entry}": float(value) for entry, value in enumerate(width)}

    def _idm(self, states: States, transitions: int) -> DiagGaussian:
        """q(z | x, x_next, ...) of the first transitions."""
        return self.idm(*states.ahead(self.config.idm_frames, transitions))

    def _forward_errors(self, states: States, z_idm: Tensor, z: Tensor) -> tuple[_Errors, _Errors]:
        """Errors of the next feature and pose, given the IDM's samples, and given the action encoder's samples `z`.

        The target's windows come first, so `z` belongs to the first ones; one pass for all samples is cheaper than two.
        The next feature is a fixed target: otherwise both could shrink together.
        """
        both = States(*map(torch.cat, zip(states, states.first(len(z)), strict=True)))
        feature, pose = self.forward_model(*both.current(), torch.cat([z_idm, z]))
        next_states = both.next()

        def errors(samples: slice) -> _Errors:
            feature_error = gaussian_error(feature[samples], next_states.feature[samples].detach())
            return _Errors(feature_error, self.states.pose_error(pose[samples], next_states.pose[samples]))

        return errors(slice(len(z_idm))), errors(slice(len(z_idm), None))

    def _alignment(self, states: States, idm: DiagGaussian, action_encoder: DiagGaussian) -> Tensor:
        if not self.config.alignment_reaches_encoder:
            idm = self._idm(states.detach(), idm.mean.shape[1])
        divergence = alignment_kl if self.config.alignment == "asymmetric" else symmetric_alignment_kl
        return divergence(idm, action_encoder)


def _weights(config: GlamConfig) -> dict[str, float]:
    forward = ("forward_feature", "forward_pose", "grounded_feature", "grounded_pose")
    priors = ("idm_prior", "action_prior")
    return (
        dict.fromkeys(forward, config.forward_weight)
        | dict.fromkeys(("proprio", "action"), config.action_weight)
        | dict.fromkeys(priors, config.prior_weight)
        | {"reconstruction": config.states.reconstruction_weight, "alignment": config.alignment_weight}
    )
