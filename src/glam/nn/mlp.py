"""The two perceptrons of the paper's table of architectures."""

from collections.abc import Iterator
from itertools import pairwise

from torch import Tensor, nn

from glam.nn.linear import Linear

HIDDEN = 256


class ResMLP(nn.Module):
    """`N ResMLP / H`: a linear map into H features, N residual blocks, a linear map out."""

    def __init__(self, inputs: int, outputs: int, *, blocks: int, hidden: int = HIDDEN) -> None:
        super().__init__()
        self.enter = Linear(inputs, hidden)
        self.blocks = nn.Sequential(*(ResidualBlock(hidden) for _ in range(blocks)))
        self.leave = Linear(hidden, outputs)

    def forward(self, features: Tensor) -> Tensor:
        """(..., inputs) -> (..., outputs)."""
        out: Tensor = self.leave(self.blocks(self.enter(features)))
        return out


class ResidualBlock(nn.Module):
    """LayerNorm -> Linear -> GELU -> Linear, added to what came in."""

    def __init__(self, size: int) -> None:
        super().__init__()
        # The exact GELU: on a CPU it is faster than its tanh approximation.
        self.branch = nn.Sequential(nn.LayerNorm(size), Linear(size, size), nn.GELU(), Linear(size, size))

    def forward(self, features: Tensor) -> Tensor:
        """(..., size) -> (..., size)."""
        out: Tensor = features + self.branch(features)
        return out


class MLP(nn.Sequential):
    """`N MLP / H, ReLU`: N linear layers, the last of which is the output, with a ReLU between each two."""

    def __init__(self, inputs: int, outputs: int, *, layers: int, hidden: int = HIDDEN) -> None:
        super().__init__(*_layers([inputs, *[hidden] * (layers - 1), outputs]))


def _layers(sizes: list[int]) -> Iterator[nn.Module]:
    yield Linear(sizes[0], sizes[1])
    for before, after in pairwise(sizes[1:]):
        yield nn.ReLU()
        yield Linear(before, after)
