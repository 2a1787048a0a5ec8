"""A whole residual perceptron as one node of autograd's graph.

A world model has some tens of rows in a batch, and then autograd's work around a product takes nearly as long as the
product. Here the blocks and their gradients are written out: the same kernels in the same order as layer by layer.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from glam.nn.linear import times

_EPSILON = 1e-5
"""Of `nn.LayerNorm`."""


class Block(NamedTuple):
    """Parameters of LayerNorm -> Linear -> GELU -> Linear."""

    scale: Tensor
    shift: Tensor
    first: Tensor
    first_bias: Tensor
    second: Tensor
    second_bias: Tensor


class _Kept(NamedTuple):
    """What the gradients of a block are made of."""

    features: Tensor
    normal: Tensor
    mean: Tensor
    spread: Tensor
    hidden: Tensor
    active: Tensor


_ENDS = 2
"""Parameters of the linear map into the blocks, and of the one out of them."""


def residual_perceptron(features: Tensor, parameters: Sequence[Tensor]) -> Tensor:
    """Linear, residual blocks, linear: parameters in the order in which they are used. (..., n) -> (..., m)."""
    out: Tensor = _Perceptron.apply(features, *parameters)  # type: ignore[no-untyped-call]
    return out


class _Perceptron(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, features: Tensor, *parameters: Tensor) -> Tensor:
        rows = features.reshape(-1, features.shape[-1])
        out = times(rows, *parameters[:_ENDS])
        kept: list[_Kept] = []
        for block in _blocks(parameters):
            out, seen = _forward(block, out)
            kept.append(seen)
        ctx.shape = features.shape
        ctx.save_for_backward(rows, out, *(tensor for seen in kept for tensor in seen), *parameters)
        return times(out, *parameters[-_ENDS:]).view(*features.shape[:-1], -1)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        rows, out, *saved = ctx.saved_tensors
        blocks = len(saved) // (len(_Kept._fields) + len(Block._fields))
        kept, parameters = saved[: blocks * len(_Kept._fields)], saved[blocks * len(_Kept._fields) :]
        lines = gradient.reshape(-1, gradient.shape[-1])
        found = [*_of_linear(lines, out)]
        lines = times(lines, parameters[-_ENDS].t())
        for block, seen in reversed(list(zip(_blocks(parameters), _grouped(kept), strict=True))):
            lines, gradients = _backward(block, seen, lines)
            found = [*gradients, *found]
        found = [*_of_linear(lines, rows), *found]
        to_features = times(lines, parameters[0].t()).view(ctx.shape) if ctx.needs_input_grad[0] else None
        return to_features, *found


def _forward(block: Block, features: Tensor) -> tuple[Tensor, _Kept]:
    normal, mean, spread = torch.native_layer_norm(features, [len(block.scale)], block.scale, block.shift, _EPSILON)
    hidden = times(normal, block.first, block.first_bias)
    active = functional.gelu(hidden)
    out = times(active, block.second, block.second_bias).add_(features)
    return out, _Kept(features, normal, mean, spread, hidden, active)


def _backward(block: Block, seen: _Kept, lines: Tensor) -> tuple[Tensor, Block]:
    """Gradients of a block's input and parameters, given that of its output."""
    of_second = _of_linear(lines, seen.active)
    hidden = torch.ops.aten.gelu_backward(times(lines, block.second.t()), seen.hidden)
    of_first = _of_linear(hidden, seen.normal)
    branch, of_scale, of_shift = torch.ops.aten.native_layer_norm_backward(
        times(hidden, block.first.t()),
        seen.features,
        [len(block.scale)],
        seen.mean,
        seen.spread,
        block.scale,
        block.shift,
        [True, True, True],
    )
    return branch.add_(lines), Block(of_scale, of_shift, *of_first, *of_second)


def _of_linear(lines: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
    """Gradients of a weight and a bias, given that of the output and the input."""
    return times(lines.t(), rows.t()), lines.sum(0)


def _blocks(parameters: Sequence[Tensor]) -> Iterator[Block]:
    inner, size = parameters[_ENDS:-_ENDS], len(Block._fields)
    return (Block(*inner[start : start + size]) for start in range(0, len(inner), size))


def _grouped(kept: Sequence[Tensor]) -> Iterator[_Kept]:
    size = len(_Kept._fields)
    return (_Kept(*kept[start : start + size]) for start in range(0, len(kept), size))
