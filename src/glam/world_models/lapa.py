"""LAPA as the paper compares with it: quantised latent actions, trained on next states alone, without any label.

The IDM's output is cut into tokens, each replaced by one of a few codes (NSVQ). The forward model must predict the next
state from them. Networks, states and steps are those of GLAM; only the latent-action structure differs. The paper does
not say how the latent is cut into tokens; see docs/deviations.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal, Self

import torch
from torch import Tensor

from glam.core.errors import GlamError
from glam.nn.gaussian import Noise
from glam.nn.nsvq import NSVQ
from glam.training.learner import StepContext
from glam.world_models.batches import MixedBatch, Windows
from glam.world_models.method import IMAGES, MASKS, EncodedEpisode, MethodConfig, WorldModel
from glam.world_models.objectives import gaussian_error
from glam.world_models.parts import ForwardModel, InverseDynamics, Sizes
from glam.world_models.states import StateModel
from glam.world_models.verdicts import Probes, Verdict, graded, verdict


@dataclass(frozen=True)
class LapaConfig(MethodConfig):
    """LAPA world model. Its IDM sees exact poses: no alignment carries a robot's tilt into the latent action."""

    learns_action_decoder: ClassVar[bool] = False
    meanings: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"codes_used": "number of codes in use, of the token that uses the fewest"}
    )

    kind: Literal["lapa"] = "lapa"
    tokens: int = 4
    """Number of tokens in a latent action; the size of the latent must be a multiple of it."""
    codes: int = 8
    """Codes of each token: 8^4 = 4096 latent actions."""
    replace_every: int = 50
    """Steps between two replacements of dead codes."""
    replace_until: float = 0.8
    """Fraction of the training after which no code is replaced any more."""

    @classmethod
    def variants(cls) -> dict[str, Self]:
        """LAPA on RGB and on object masks."""
        return {"lapa": cls(states=IMAGES), "lapa-o": cls(states=MASKS)}

    def build(self, sizes: Sizes) -> "Lapa":
        """A new model."""
        if sizes.latent % self.tokens:
            raise GlamError(
                f"model.tokens is {self.tokens}, which does not divide the {sizes.latent} entries of a latent action"
            )
        return Lapa(self, sizes)

    def own_verdicts(self, probes: Probes, *, has_problem: bool) -> Iterator[Verdict]:
        """Collapse of the codebook."""
        del has_problem
        if "codes_used" in probes:
            severity = graded(probes["codes_used"], 0.75 * self.codes, 0.5 * self.codes)
            finding = f"every token uses at least {probes['codes_used']:.0f} of its {self.codes} codes"
            remedy = "train with more --steps, or replace dead codes more often: --set model.replace_every=..."
            yield verdict(severity, finding, remedy)


class Lapa(WorldModel):
    """States, IDM, quantiser and forward model."""

    config: LapaConfig

    def __init__(self, config: LapaConfig, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        likelihoods = dict.fromkeys(("forward_feature", "forward_pose"), 1.0)
        self.weights = likelihoods | {"reconstruction": config.states.reconstruction_weight}
        self.states = StateModel(sizes, config.parts, config.states)
        self.idm = InverseDynamics(self.states.size, sizes.latent, config.parts)
        self.quantiser = NSVQ(tokens=config.tokens, token_size=sizes.latent // config.tokens, codes=config.codes)
        self.forward_model = ForwardModel(self.states.feature_size, self.states.pose_size, sizes.latent, config.parts)
        self.action_decoder = None

    def losses(self, batch: MixedBatch, context: StepContext) -> dict[str, Tensor]:
        """Next-state prediction through the quantised latent, on every source."""
        every, (target_size, _) = batch.every(), batch.sizes
        noise = context.noise.over(*batch.sizes)
        states = self.states.encode(every)
        encoded = self.idm(states.current().x, states.next().x).mean
        parts = (encoded[:target_size], encoded[target_size:])
        z = torch.cat([self._quantised(part, context.noise) for part in parts])
        feature, pose = self.forward_model(*states.current(), z)
        next_states = states.next()
        return {
            "reconstruction": self.states.reconstruction_error(states.feature, every.image, noise),
            "forward_feature": gaussian_error(feature, next_states.feature.detach()),
            "forward_pose": self.states.pose_error(pose, next_states.pose),
        }

    def after_step(self, context: StepContext) -> None:
        """Replace codes that nothing uses: collapse of the codebook is the best known failure of this method."""
        is_due = context.step % self.config.replace_every == self.config.replace_every - 1
        if is_due and context.step < self.config.replace_until * context.steps:
            self.quantiser.replace_dead_codes(context.noise.generator)

    def label(self, windows: Windows) -> Tensor:
        """Latent action of each transition: the nearest codes. (B, T - 1, d)."""
        states = self.states.encode(windows)
        encoded = self.idm(states.current().x, states.next().x).mean
        return self.quantiser.quantise(encoded.flatten(0, 1)).view(encoded.shape)

    def diagnostics(self, episodes: Sequence[EncodedEpisode]) -> dict[str, float]:
        """Codes in use."""
        codes = self.quantiser.indices(torch.cat([episode.latent[0] for episode in episodes]))
        return {"codes_used": float(min(len(token.unique()) for token in codes.T))}

    def _quantised(self, encoded: Tensor, noise: Noise) -> Tensor:
        quantised: Tensor = self.quantiser(encoded.flatten(0, 1), noise)
        return quantised.view(encoded.shape)
