"""What a world model has learnt, measured on episodes it has not seen.

| probe                     | says                                                                                    |
|---------------------------|-----------------------------------------------------------------------------------------|
| action_error              | IDM mean -> action decoder, mean squared error over the variance of actions; 1 = useless |
| feature_vs_copy           | forward error on y over the error of predicting no change; below 1 wanted               |
| pose_vs_copy              | the same for the end-effector pose                                                      |
| iou, next_iou             | masks decoded from y, and from the predicted next y                                     |
| source_accuracy           | how well the source can be told from z; one half is chance                              |
| active_dimensions         | latent entries whose mean moves (variance above 0.01)                                   |
| kl/i, width/i             | KL to the prior and mean standard deviation of each latent entry                        |
| feature_std               | spread of y over frames; near zero means collapse                                       |
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from glam.nn.gaussian import DiagGaussian
from glam.world_models.batches import Windows
from glam.world_models.parts import ForwardModel, InverseDynamics
from glam.world_models.sources import Scales, Source, TargetSource, episodes_of
from glam.world_models.states import StateModel, States

MOST_EPISODES = 20
"""Held-out episodes of each source that a probe looks at."""


class WorldModel(Protocol):
    """The parts that every world model has."""

    states: StateModel
    idm: InverseDynamics
    forward_model: ForwardModel

    def label(self, windows: Windows) -> Tensor:
        """Latent action of each transition."""


class Seen(NamedTuple):
    """One episode through the model."""

    windows: Windows
    states: States
    posterior: DiagGaussian
    latent: Tensor
    predicted: States


@torch.no_grad()
def probe(model: WorldModel, target: TargetSource, auxiliary: Sequence[Source], scales: Scales) -> dict[str, float]:
    """All probes on held-out episodes of every source together; the action error on the target's."""
    sources = (target, *auxiliary)
    episodes = [list(_look(model, source, scales)) for source in sources]
    every = [seen for part in episodes for seen in part]
    latents = [torch.cat([seen.latent[0] for seen in part]) for part in episodes]
    values = _forward(every) | _posterior(every) | {"source_accuracy": source_accuracy(latents)}
    if model.states.config.observation == "masks" and model.states.config.has_picture:
        values |= _overlap(model, every)
    decoder = getattr(model, "action_decoder", None)
    if decoder is not None:
        values["action_error"] = _action_error(decoder, target, scales, episodes[0])
    return values


def _look(model: WorldModel, source: Source, scales: Scales) -> Iterator[Seen]:
    for rows in episodes_of(source.split.held_out)[:MOST_EPISODES]:
        windows = source.windows(rows[None], scales)
        states = model.states.encode(windows)
        posterior = model.idm(states.now().x, states.later().x)
        latent = model.label(windows)
        yield Seen(windows, states, posterior, latent, States(*model.forward_model(*states.now(), latent)))


def _forward(episodes: Sequence[Seen]) -> dict[str, float]:
    """Errors of the forward model relative to predicting no change."""

    def ratio(part: int) -> float:
        error = sum(float(((seen.predicted[part] - seen.states.later()[part]) ** 2).sum()) for seen in episodes)
        copy = sum(float(((seen.states.now()[part] - seen.states.later()[part]) ** 2).sum()) for seen in episodes)
        return error / copy if copy else 1.0

    return {"feature_vs_copy": ratio(0), "pose_vs_copy": ratio(1)}


def _posterior(episodes: Sequence[Seen]) -> dict[str, float]:
    latents = torch.cat([seen.latent[0] for seen in episodes])
    kl = torch.cat([seen.posterior.kl_to_standard()[0] for seen in episodes]).mean(0)
    width = torch.cat([seen.posterior.standard_deviation[0] for seen in episodes]).mean(0)
    features = torch.cat([seen.states.feature[0] for seen in episodes])
    values = {
        "active_dimensions": float((latents.var(0) > 0.01).sum()),
        "feature_std": float(features.std(0).mean()) if features.shape[1] else 0.0,
    }
    per_entry = {f"kl/{i}": float(value) for i, value in enumerate(kl)}
    return values | per_entry | {f"width/{i}": float(value) for i, value in enumerate(width)}


def _overlap(model: WorldModel, episodes: Sequence[Seen]) -> dict[str, float]:
    """Intersection over union of decoded masks, over all pixels of all frames and channels."""
    counts = np.zeros(4)
    for seen in episodes:
        truth = seen.windows.picture[0] > 0.5
        decoded = model.states.picture(seen.states.feature[0]) > 0.5
        predicted = model.states.picture(seen.predicted.feature[0]) > 0.5
        pairs = ((decoded, truth), (predicted, truth[1:]))
        counts += [float(count) for a, b in pairs for count in ((a & b).sum(), (a | b).sum())]
    return {"iou": counts[0] / max(counts[1], 1.0), "next_iou": counts[2] / max(counts[3], 1.0)}


def _action_error(decoder: nn.Module, target: TargetSource, scales: Scales, episodes: Sequence[Seen]) -> float:
    """Normalised: actions have unit variance in the units of the error."""
    errors = []
    for rows, seen in zip(episodes_of(target.split.held_out)[:MOST_EPISODES], episodes, strict=True):
        truth = torch.from_numpy(scales.action.normalise(target.frames.action[rows[:-1]]))
        errors.append((decoder(seen.latent[0]) - truth) ** 2)
    return float(torch.cat(errors).mean())


def source_accuracy(latents: Sequence[Tensor]) -> float:
    """Balanced accuracy of a quadratic classifier of the source, fitted to the first half of each source's latents.

    It is a ridge regression of the source on all products of two entries, judged on the second halves, which come from
    other episodes; one half is chance for two sources.
    """
    fitted, judged = ([_quadratic(part) for part in half] for half in zip(*map(_halves, latents), strict=True))
    every = torch.cat(fitted)
    mean, std = every.mean(0), every.std(0).clamp_min(1e-6)
    gram = torch.zeros(len(mean) + 1, len(mean) + 1)
    moments = torch.zeros(len(mean) + 1, len(latents))
    for number, rows in enumerate(fitted):
        inputs = _with_one((rows - mean) / std)
        gram += inputs.T @ inputs / len(inputs)  # every source counts alike, however long it is
        moments[:, number] = inputs.mean(0)
    weights = torch.linalg.solve(gram + 1e-3 * torch.eye(len(gram)), moments)
    guesses = [(_with_one((rows - mean) / std) @ weights).argmax(1) for rows in judged]
    return float(torch.stack([(guess == number).float().mean() for number, guess in enumerate(guesses)]).mean())


def _halves(rows: Tensor) -> tuple[Tensor, Tensor]:
    return rows[: len(rows) // 2], rows[len(rows) // 2 :]


def _with_one(rows: Tensor) -> Tensor:
    return torch.cat([rows, torch.ones(len(rows), 1)], dim=1)


def _quadratic(z: Tensor) -> Tensor:
    upper = torch.triu_indices(z.shape[1], z.shape[1])
    return torch.cat([z, z[:, upper[0]] * z[:, upper[1]]], dim=1)
