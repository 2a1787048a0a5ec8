"""The exponential moving average of a learner's parameters."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class Average:
    """A running mean of the parameters, or, with decay 0, none at all.

    The decay starts low and rises to its final value, so that the random initial weights are soon forgotten.
    """

    def __init__(self, module: nn.Module, decay: float) -> None:
        self.decay = decay
        parameters = module.named_parameters() if decay else ()
        self.values: dict[str, Tensor] = {name: parameter.detach().clone() for name, parameter in parameters}

    @torch.no_grad()
    def update(self, module: nn.Module, step: int) -> None:
        """Move towards the parameters as they are after `step`."""
        decay = min(self.decay, (1 + step) / (10 + step))
        if self.values:
            own = dict(module.named_parameters())
            torch._foreach_lerp_(list(self.values.values()), [own[name] for name in self.values], 1 - decay)

    def state_dict(self, module: nn.Module) -> dict[str, Tensor]:
        """The module's state with averaged parameters: the result of a training."""
        return {name: tensor.detach().clone() for name, tensor in (module.state_dict() | self.values).items()}

    @contextmanager
    def in_place(self, module: nn.Module) -> Iterator[None]:
        """Let the module work with the averaged parameters inside the block."""
        own = {name: module.get_parameter(name).detach().clone() for name in self.values}
        self._put(module, self.values)
        try:
            yield
        finally:
            self._put(module, own)

    @staticmethod
    @torch.no_grad()
    def _put(module: nn.Module, values: dict[str, Tensor]) -> None:
        for name, value in values.items():
            module.get_parameter(name).copy_(value)
