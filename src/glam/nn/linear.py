"""`nn.Linear`, twice as fast on processors of AMD with vectors of 512 bits.

PyTorch multiplies matrices with Intel's MKL, which keeps to vectors of 256 bits on processors that are not Intel's; its
convolutions come from oneDNN, which does not. Here products come from oneDNN too, where that is worth it. Everywhere
else this is `nn.Linear`, and weights are the same in either.
"""

from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

_FEWEST_ROWS = 32
"""With fewer, calling it from Python costs more than it saves."""
_PROCESSORS = Path("/proc/cpuinfo")


class Linear(nn.Linear):
    """(..., inputs) -> (..., outputs)."""

    def forward(self, input: Tensor) -> Tensor:
        """Input times weight, and bias."""
        if is_worthwhile() and is_plain(input) and input.numel() >= _FEWEST_ROWS * self.in_features:
            out: Tensor = _Product.apply(input, self.weight, self.bias)  # type: ignore[no-untyped-call]
            return out
        return functional.linear(input, self.weight, self.bias)


def is_plain(features: Tensor) -> bool:
    """Whether products of these are in single precision on a CPU."""
    return features.is_cpu and features.dtype == torch.float32 and not torch.is_autocast_enabled("cpu")


@cache
def is_worthwhile() -> bool:
    """Whether oneDNN is there, and uses wider vectors than MKL on this processor."""
    is_wide = torch.backends.cpu.get_cpu_capability() == "AVX512"
    is_others = _PROCESSORS.exists() and "AuthenticAMD" in _PROCESSORS.read_text()
    return is_wide and is_others and hasattr(torch.ops.mkldnn, "_linear_pointwise")


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, features: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(features, weight)
        return times(features.reshape(-1, features.shape[-1]), weight, bias).view(*features.shape[:-1], len(weight))

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor, Tensor | None]:
        features, weight = ctx.saved_tensors
        rows, lines = features.reshape(-1, features.shape[-1]), gradient.reshape(-1, gradient.shape[-1])
        to_features = times(lines, weight.t()).view(features.shape) if ctx.needs_input_grad[0] else None
        return to_features, times(lines.t(), rows.t()), lines.sum(0) if ctx.needs_input_grad[2] else None


def times(left: Tensor, right: Tensor, bias: Tensor | None = None) -> Tensor:
    """Product of left and right^T, plus bias; in single precision, without gradients. (m, k), (n, k) -> (m, n)."""
    if not is_worthwhile():
        return functional.linear(left, right, bias)
    product = torch.ops.mkldnn._linear_pointwise.default  # noqa: SLF001 - there is no public name for it
    out: Tensor = product(left, right, bias, "none", [], "")
    return out
