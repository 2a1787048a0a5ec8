"""Gradient norms of each loss on each part of a learner."""

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from glam.training.learner import BatchT, Learner, StepContext


def gradient_norms(learner: Learner[BatchT], batch: BatchT, context: StepContext) -> dict[str, float]:
    """Norms of the weighted gradients: `term.T` of loss T, `part.P` of the whole objective on part P, `term.T.part.P`.

    A part is a direct child of the learner. Gradients and buffers stay as they are.
    """
    before = {name: buffer.clone() for name, buffer in learner.named_buffers()}
    names, parameters = zip(*_trained(learner).items(), strict=True)
    terms = learner.losses(batch, context)
    norms: dict[str, float] = {}
    whole = [torch.zeros_like(parameter) for parameter in parameters]
    for term, loss in terms.items():
        gradients = _gradients(learner.weights[term] * loss, parameters)
        whole = [total + gradient for total, gradient in zip(whole, gradients, strict=True)]
        parts = _by_part(dict(zip(names, gradients, strict=True)))
        norms |= {f"term.{term}": math.hypot(*parts.values())} | {f"term.{term}.part.{p}": n for p, n in parts.items()}
    norms |= {f"part.{part}": norm for part, norm in _by_part(dict(zip(names, whole, strict=True))).items()}
    for name, buffer in learner.named_buffers():
        buffer.copy_(before[name])
    return norms


def _trained(learner: Learner[BatchT]) -> dict[str, Tensor]:
    return {name: parameter for name, parameter in learner.named_parameters() if parameter.requires_grad}


def _gradients(loss: Tensor, parameters: tuple[Tensor, ...]) -> list[Tensor]:
    if not loss.requires_grad:  # a constant term, such as the reconstruction of a model without images
        return [torch.zeros_like(parameter) for parameter in parameters]
    return list(torch.autograd.grad(loss, parameters, retain_graph=True, materialize_grads=True))


def _by_part(gradients: Mapping[str, Tensor]) -> dict[str, float]:
    squares: dict[str, float] = {}
    for name, gradient in gradients.items():
        part = name.partition(".")[0]
        squares[part] = squares.get(part, 0.0) + float(gradient.square().sum())
    return {part: square**0.5 for part, square in squares.items()}
