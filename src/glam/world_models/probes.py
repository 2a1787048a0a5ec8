"""Probes: measurements of a world model on held-out episodes.

`verdicts.MEANINGS` says what each one means, and `MethodConfig.meanings` does so for those of one method alone. A probe
of something that a model does not have, such as the masks of a method on RGB, is absent.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from glam.data.demonstrations import episodes_of
from glam.data.normalizer import Normalizer
from glam.data.windows import EpisodeTable
from glam.nn.flagged import Flagged
from glam.training.batches import on_device
from glam.world_models.batches import LabelledWindowSource, WindowSource
from glam.world_models.method import EncodedEpisode, WorldModel

MOST_EPISODES = 20
"""Episodes of each source that a probe uses at most."""


@torch.no_grad()
def probe(
    model: WorldModel, target: LabelledWindowSource, auxiliary: Sequence[WindowSource], normalizer: Normalizer
) -> dict[str, float]:
    """All probes on held-out episodes of every source together; the action error on those of the target."""
    sources = (target, *auxiliary)
    episodes = [list(encoded_episodes(model, source, source.split.held_out, normalizer)) for source in sources]
    every = [episode for part in episodes for episode in part]
    values = _forward(model, every)
    values["active_dimensions"] = float((_latents_of(every).var(0) > 0.01).sum())
    values |= model.diagnostics(every)
    values["source_accuracy"] = source_accuracy([_latents_of(part) for part in episodes])
    if model.states.config.has_image:
        values |= _images(model, every)
    if model.action_decoder is not None:
        values |= _action_errors(model, model.action_decoder, target, episodes[0], normalizer)
    return values


@torch.no_grad()
def encoded_episodes(
    model: WorldModel, source: WindowSource, table: EpisodeTable, normalizer: Normalizer
) -> Iterator[EncodedEpisode]:
    """The first episodes of `table` through the model."""
    device = next(model.parameters()).device
    for frames in episodes_of(table)[:MOST_EPISODES]:
        windows = on_device(source.windows(frames[None], normalizer), device)
        states, latent = model.states.encode(windows), model.label(windows)
        yield EncodedEpisode(windows, states, latent, model.predict(states, latent))


def _forward(model: WorldModel, episodes: Sequence[EncodedEpisode]) -> dict[str, float]:
    """Errors of the forward model relative to predicting no change, for each part that a state has."""

    def ratio(part: int) -> float:
        error = copy = 0.0
        for _, states, _, predicted in episodes:
            current, truth = states.current()[part], states.next()[part]
            # of a pose only what is known before and after
            known = Flagged(model.states.pose_parts.groups if part else ()).known
            counts = known(current) * known(truth)
            error += float((counts * (predicted[part] - truth) ** 2).sum())
            copy += float((counts * (current - truth) ** 2).sum())
        return error / copy if copy else 1.0

    sizes = {"feature_vs_copy": model.states.feature_size, "pose_vs_copy": model.states.pose_size}
    return {name: ratio(part) for part, (name, size) in enumerate(sizes.items()) if size}


def _latents_of(episodes: Sequence[EncodedEpisode]) -> Tensor:
    return torch.cat([episode.latent[0] for episode in episodes]).cpu()  # (M, d)


def _images(model: WorldModel, episodes: Sequence[EncodedEpisode]) -> dict[str, float]:
    features = torch.cat([episode.states.feature[0] for episode in episodes])
    values = {"feature_std": float(features.std(0).mean())}
    return values | (_overlap(model, episodes) if model.states.config.observation == "masks" else {})


def _overlap(model: WorldModel, episodes: Sequence[EncodedEpisode]) -> dict[str, float]:
    """Intersection over union of decoded masks, over all pixels of all frames and channels."""
    counts = np.zeros(4)
    for episode in episodes:
        truth = episode.windows.image[0] > 0.5
        decoded = model.states.image(episode.states.feature[0]) > 0.5
        predicted = model.states.image(episode.predicted.feature[0]) > 0.5
        pairs = ((decoded, truth), (predicted, truth[1:]))
        counts += [float(count) for a, b in pairs for count in ((a & b).sum(), (a | b).sum())]
    return {"iou": float(counts[0] / max(counts[1], 1.0)), "next_iou": float(counts[2] / max(counts[3], 1.0))}


def _action_errors(
    model: WorldModel,
    decoder: nn.Module,
    target: LabelledWindowSource,
    held_out: Sequence[EncodedEpisode],
    normalizer: Normalizer,
) -> dict[str, float]:
    """Mean squared errors of decoded actions, which are normalized: 1 is the variance of actions."""
    train = target.split.train.select(range(min(len(held_out), len(target.split.train))))

    def error(table: EpisodeTable, episodes: Iterable[EncodedEpisode]) -> float:
        squares = []
        for frames, episode in zip(episodes_of(table), episodes, strict=False):  # a long table has more episodes
            truth = torch.from_numpy(normalizer.action.normalize(target.frames.action[frames[:-1]]))
            squares.append((decoder(episode.latent[0]).cpu() - truth) ** 2)
        return float(torch.cat(squares).mean())

    return {
        "action_error": error(target.split.held_out, held_out),
        "train_action_error": error(train, encoded_episodes(model, target, train, normalizer)),
    }


def source_accuracy(latents: Sequence[Tensor]) -> float:
    """Balanced accuracy of a quadratic classifier of the source, fitted to one half of each source's latents.

    The classifier is a ridge regression of the source on all products of two entries. Each half is classified once by
    the classifier of the other one. Episodes lie one after the other, so the halves share at most one episode of each
    source. With a few episodes of different scenes the result differs from chance by some points even for perfect
    labels; `stages.source_probe` therefore uses sources that show the same scenes.
    """
    first, second = zip(*map(_halves, latents), strict=True)
    return (_accuracy(first, second) + _accuracy(second, first)) / 2


def _accuracy(train: Sequence[Tensor], test: Sequence[Tensor]) -> float:
    every = torch.cat([_quadratic(part) for part in train])
    mean, std = every.mean(0), every.std(0).clamp_min(1e-6)

    def inputs(latents: Tensor) -> Tensor:
        return torch.cat([(_quadratic(latents) - mean) / std, torch.ones(len(latents), 1)], dim=1)

    parts = [inputs(part) for part in train]
    ridge = 1e-3 * torch.diag(torch.ones(len(mean) + 1))
    gram = sum((part.T @ part / len(part) for part in parts), ridge)  # every source has the same weight
    weights = torch.linalg.solve(gram, torch.stack([part.mean(0) for part in parts], dim=1))
    guesses = [(inputs(part) @ weights).argmax(1) for part in test]
    return float(torch.stack([(guess == number).float().mean() for number, guess in enumerate(guesses)]).mean())


def _halves(latents: Tensor) -> tuple[Tensor, Tensor]:
    return latents[: len(latents) // 2], latents[len(latents) // 2 :]


def _quadratic(z: Tensor) -> Tensor:
    upper = torch.triu_indices(z.shape[1], z.shape[1])
    return torch.cat([z, z[:, upper[0]] * z[:, upper[1]]], dim=1)
