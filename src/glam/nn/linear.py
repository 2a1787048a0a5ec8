"""`nn.Linear` whose products come from oneDNN where that is faster: the only CPU-specific backward pass in GLAM.

PyTorch multiplies matrices with Intel's MKL, which keeps to 256-bit vectors on processors of other makers. oneDNN,
which computes PyTorch's convolutions, does not. On AMD processors with AVX-512 a product takes half to two thirds of
the time, and a training step of a latent policy 15 % less (46 instead of 54 ms). Everywhere else this is `nn.Linear`.

The environment variable GLAM_ONEDNN_LINEAR is the switch: `on`, `off`, or `auto` (the default: on such processors).
"""

import os
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

SWITCH = "GLAM_ONEDNN_LINEAR"
_FEWEST_ROWS = 32
"""With fewer, calling oneDNN from Python costs more than it saves."""
_PROCESSORS = Path("/proc/cpuinfo")


class Linear(nn.Linear):
    """(..., inputs) -> (..., outputs)."""

    def forward(self, input: Tensor) -> Tensor:
        """Input times weight, plus bias."""
        if uses_onednn() and _is_plain(input) and input.numel() >= _FEWEST_ROWS * self.in_features:
            out: Tensor = _Product.apply(input, self.weight, self.bias)  # type: ignore[no-untyped-call]
            return out
        return functional.linear(input, self.weight, self.bias)


@cache
def uses_onednn() -> bool:
    """State of the switch on this machine."""
    if not hasattr(torch.ops.mkldnn, "_linear_pointwise"):
        return False
    wanted = os.environ.get(SWITCH, "auto")
    return wanted == "on" or (wanted == "auto" and _is_amd_with_avx512())


def _is_amd_with_avx512() -> bool:
    is_wide = torch.backends.cpu.get_cpu_capability() == "AVX512"
    return is_wide and _PROCESSORS.exists() and "AuthenticAMD" in _PROCESSORS.read_text()


def _is_plain(features: Tensor) -> bool:
    """True for single precision on a CPU."""
    return features.is_cpu and features.dtype == torch.float32 and not torch.is_autocast_enabled("cpu")


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, features: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(features, weight)
        return _times(features.reshape(-1, features.shape[-1]), weight, bias).view(*features.shape[:-1], len(weight))

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor, Tensor | None]:
        features, weight = ctx.saved_tensors
        inputs, outputs = features.reshape(-1, features.shape[-1]), gradient.reshape(-1, gradient.shape[-1])
        to_features = _times(outputs, weight.t()).view(features.shape) if ctx.needs_input_grad[0] else None
        return to_features, _times(outputs.t(), inputs.t()), outputs.sum(0) if ctx.needs_input_grad[2] else None


def _times(left: Tensor, right: Tensor, bias: Tensor | None = None) -> Tensor:
    """Product of left and right^T, plus bias, without gradients. (m, k), (n, k) -> (m, n)."""
    product = torch.ops.mkldnn._linear_pointwise.default  # noqa: SLF001 - there is no public name for it
    out: Tensor = product(left, right, bias, "none", [], "")
    return out
