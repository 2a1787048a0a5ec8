"""What a world model has learnt, measured on episodes it has not seen.

What each one says stands in `verdicts.MEANINGS`. A probe of something that a model does not have, such as the codes of
GLAM, is absent.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from glam.data.normalizer import Normalizer
from glam.data.windows import EpisodeTable
from glam.nn.gaussian import DiagGaussian
from glam.training.batches import on_device
from glam.world_models.batches import Windows
from glam.world_models.clam import Clam
from glam.world_models.glam import Glam
from glam.world_models.lapa import Lapa
from glam.world_models.registry import Model
from glam.world_models.sources import Source, TargetSource, episodes_of
from glam.world_models.states import States

MOST_EPISODES = 20
"""Episodes of each source that a probe looks at."""


class Seen(NamedTuple):
    """One episode of T frames through the model, on the model's device; the leading dimension of all is 1."""

    windows: Windows
    states: States
    posterior: DiagGaussian
    latent: Tensor  # (1, T - 1, d)
    predicted: States  # the successors of all frames but the last


@torch.no_grad()
def probe(model: Model, target: TargetSource, auxiliary: Sequence[Source], normalizer: Normalizer) -> dict[str, float]:
    """All probes on held-out episodes of every source together; the action error on the target's."""
    episodes = [list(look(model, source, source.split.held_out, normalizer)) for source in (target, *auxiliary)]
    every = [seen for part in episodes for seen in part]
    values = _forward(model, every) | _latents(model, every)
    values["source_accuracy"] = source_accuracy([_latents_of(part) for part in episodes])
    if model.states.config.has_image:
        values |= _images(model, every)
    if isinstance(model, Glam | Clam):
        values |= _action_errors(model, target, episodes[0], normalizer)
    return values


@torch.no_grad()
def look(model: Model, source: Source, table: EpisodeTable, normalizer: Normalizer) -> Iterator[Seen]:
    """The first episodes of `table` through the model, by the means of its latent actions."""
    device = next(model.parameters()).device
    for rows in episodes_of(table)[:MOST_EPISODES]:
        windows = on_device(source.windows(rows[None], normalizer), device)
        states = model.states.encode(windows)
        posterior = model.idm(states.now().x, states.later().x)
        latent = model.label(windows)
        yield Seen(windows, states, posterior, latent, States(*model.forward_model(*states.now(), latent)))


def _forward(model: Model, episodes: Sequence[Seen]) -> dict[str, float]:
    """Errors of the forward model relative to predicting no change, of those parts that a state has."""

    def ratio(part: int) -> float:
        error = sum(float(((seen.predicted[part] - seen.states.later()[part]) ** 2).sum()) for seen in episodes)
        copy = sum(float(((seen.states.now()[part] - seen.states.later()[part]) ** 2).sum()) for seen in episodes)
        return error / copy if copy else 1.0

    sizes = {"feature_vs_copy": model.states.feature_size, "pose_vs_copy": model.states.pose_size}
    return {name: ratio(part) for part, (name, size) in enumerate(sizes.items()) if size}


def _latents(model: Model, episodes: Sequence[Seen]) -> dict[str, float]:
    latents = _latents_of(episodes)
    values = {"active_dimensions": float((latents.var(0) > 0.01).sum())}
    if isinstance(model, Lapa):
        codes = model.quantiser.indices(latents.to(model.quantiser.codebook.device))
        values["codes_used"] = float(min(len(token.unique()) for token in codes.T))
    if isinstance(model, Glam):  # the others use the means alone, so that nothing trains their widths
        kl = torch.cat([seen.posterior.kl_to_standard()[0] for seen in episodes]).mean(0)
        width = torch.cat([seen.posterior.standard_deviation[0] for seen in episodes]).mean(0)
        values |= {f"kl/{entry}": float(value) for entry, value in enumerate(kl)}
        values |= {f"width/{entry}": float(value) for entry, value in enumerate(width)}
    return values


def _latents_of(episodes: Sequence[Seen]) -> Tensor:
    return torch.cat([seen.latent[0] for seen in episodes]).cpu()  # (M, d)


def _images(model: Model, episodes: Sequence[Seen]) -> dict[str, float]:
    features = torch.cat([seen.states.feature[0] for seen in episodes])
    values = {"feature_std": float(features.std(0).mean())}
    return values | (_overlap(model, episodes) if model.states.config.observation == "masks" else {})


def _overlap(model: Model, episodes: Sequence[Seen]) -> dict[str, float]:
    """Intersection over union of decoded masks, over all pixels of all frames and channels."""
    counts = np.zeros(4)
    for seen in episodes:
        truth = seen.windows.image[0] > 0.5
        decoded = model.states.image(seen.states.feature[0]) > 0.5
        predicted = model.states.image(seen.predicted.feature[0]) > 0.5
        pairs = ((decoded, truth), (predicted, truth[1:]))
        counts += [float(count) for a, b in pairs for count in ((a & b).sum(), (a | b).sum())]
    return {"iou": float(counts[0] / max(counts[1], 1.0)), "next_iou": float(counts[2] / max(counts[3], 1.0))}


def _action_errors(
    model: Glam | Clam, target: TargetSource, held_out: Sequence[Seen], normalizer: Normalizer
) -> dict[str, float]:
    """Normalized: actions have unit variance in the units of the error."""
    train = target.split.train.select(range(min(len(held_out), len(target.split.train))))

    def error(table: EpisodeTable, episodes: Iterable[Seen]) -> float:
        squares = []
        for rows, seen in zip(episodes_of(table), episodes, strict=False):  # of a long table the first are looked at
            truth = torch.from_numpy(normalizer.action.normalize(target.frames.action[rows[:-1]]))
            squares.append((model.action_decoder(seen.latent[0]).cpu() - truth) ** 2)
        return float(torch.cat(squares).mean())

    return {
        "action_error": error(target.split.held_out, held_out),
        "train_action_error": error(train, look(model, target, train, normalizer)),
    }


def source_accuracy(latents: Sequence[Tensor]) -> float:
    """Balanced accuracy of a quadratic classifier of the source, fitted to one half of each source's latents.

    It is a ridge regression of the source on all products of two entries. Each half is judged once by the classifier of
    the other one; as episodes lie one after the other, the halves share at most one of each source. With a few episodes
    of different scenes in each source it is some points off chance even for perfect labels: `stages.source_probe` has
    sources show the same scenes.
    """
    first, second = zip(*map(_halves, latents), strict=True)
    return (_judged(first, second) + _judged(second, first)) / 2


def _judged(fitted: Sequence[Tensor], judged: Sequence[Tensor]) -> float:
    every = torch.cat([_quadratic(part) for part in fitted])
    mean, std = every.mean(0), every.std(0).clamp_min(1e-6)

    def inputs(rows: Tensor) -> Tensor:
        return torch.cat([(_quadratic(rows) - mean) / std, torch.ones(len(rows), 1)], dim=1)

    parts = [inputs(part) for part in fitted]
    gram = sum((part.T @ part / len(part) for part in parts), 1e-3 * torch.eye(len(mean) + 1))  # sources count alike
    weights = torch.linalg.solve(gram, torch.stack([part.mean(0) for part in parts], dim=1))
    guesses = [(inputs(part) @ weights).argmax(1) for part in judged]
    return float(torch.stack([(guess == number).float().mean() for number, guess in enumerate(guesses)]).mean())


def _halves(rows: Tensor) -> tuple[Tensor, Tensor]:
    return rows[: len(rows) // 2], rows[len(rows) // 2 :]


def _quadratic(z: Tensor) -> Tensor:
    upper = torch.triu_indices(z.shape[1], z.shape[1])
    return torch.cat([z, z[:, upper[0]] * z[:, upper[1]]], dim=1)
