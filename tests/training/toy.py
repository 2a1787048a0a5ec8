"""A small learner that uses everything a large one does: convolutions, noise, dropout, a quantiser and its counters."""

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from glam.nn.gaussian import DiagGaussian
from glam.nn.layers import MLP, ConvImageModel, ImageShape, VisualDecoder, VisualEncoder
from glam.nn.nsvq import NSVQ
from glam.training import artefact
from glam.training.artefact import RunDescription, opened
from glam.training.batches import ALONE, Processes
from glam.training.fit import fit
from glam.training.learner import FitConfig, Learner, StepContext
from glam.training.recorder import Hooks
from glam.training.reproducibility import seed_initialisation, seed_of

IMAGE = ImageShape(1, 16, 16)
WEIGHTS = {"image": 1.0, "action": 0.5, "prior": 0.01}
VISION = ConvImageModel(widths=(2, 2, 2, 4), feature_size=4)
CONFIG = FitConfig(
    steps=12, ema_decay=0.9, log_every=2, save_every=5, validate_every=6, threads=1, seed=3, learning_rate=1e-2
)


@dataclass(frozen=True)
class Pair:
    image: Tensor
    action: Tensor


@dataclass(frozen=True)
class ToyBatch:
    target: Pair
    auxiliary: Tensor
    """Images without actions."""


class Toy(Learner[ToyBatch]):
    def __init__(self, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.weights = WEIGHTS
        self.encoder, self.decoder = VisualEncoder(IMAGE, VISION), VisualDecoder(IMAGE, VISION)
        self.head, self.action = MLP(4, 8, layers=2, hidden=8), MLP(4, 2, layers=2, hidden=8)
        self.quantiser = NSVQ(tokens=2, token_size=2, codes=4)
        self.dropout = nn.Dropout(dropout)
        self.spare = nn.Linear(1, 1)  # never used: it has neither gradients nor moments
        self.register_buffer("rows_seen", torch.zeros((), dtype=torch.int64))

    def losses(self, batch: ToyBatch, context: StepContext) -> dict[str, Tensor]:
        images = torch.cat([batch.target.image, batch.auxiliary])
        features = self.dropout(self.encoder(images))
        posterior = DiagGaussian.from_head(self.head(features[: len(batch.target.image)]))
        latent = self.quantiser(posterior.rsample(context.noise), context.noise)
        self.rows_seen += len(images)
        return {
            "image": (self.decoder(features) - images).square().mean(),
            "action": (self.action(latent) - batch.target.action).square().mean(),
            "prior": posterior.kl_to_standard().sum(-1).mean() * context.ramp(0.5),
        }

    def after_step(self, context: StepContext) -> None:
        if context.step % 4 == 3:
            self.quantiser.replace_dead_codes(context.noise.generator, 0.5)


def batch_at(step: int, *, rows: int = 8) -> ToyBatch:
    generator = torch.Generator().manual_seed(seed_of("toy batch", step))
    images = torch.rand(2 * rows, 1, 16, 16, generator=generator)
    return ToyBatch(Pair(images[:rows], images[:rows, 0, 0, :2] * 2), images[rows:])


def new_toy(*, dropout: float = 0.0) -> Toy:
    seed_initialisation(0)
    return Toy(dropout=dropout)


def train(root: Path, config: FitConfig = CONFIG, processes: Processes = ALONE) -> None:
    """What a command does: open the run folder, fit, finish."""
    description = RunDescription("toy", config, config.seed, {"data": "none"}, ("toy",))
    with opened(root, description, processes):
        if artefact.is_finished(root):
            return
        toy = new_toy(dropout=0.2 if processes is ALONE else 0.0)
        weights = fit(toy, batch_at, config, root, Hooks(validate=lambda step: {"score": step / 2}), processes)
        if processes.is_first:
            artefact.finish(root, weights, {"normalizer": {"mean": [0.0, 1.0]}})
