"""Batches: tensors inside dataclasses, mappings and tuples, and the processes that share the samples of one.

Several processes, as torchrun starts them, take an equal share of the samples each. Gradients are averaged before the
optimiser sees them, so all processes hold the same weights at all times, and these are those of one process on the
whole batch up to rounding. The first process alone writes files.
"""

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import Tensor, distributed, nn

from glam.core.errors import GlamError

BatchT = TypeVar("BatchT")


def on_device(batch: BatchT, device: torch.device) -> BatchT:
    """The batch with every tensor on `device`."""
    return _mapped(batch, lambda _, tensor: tensor.to(device, non_blocking=True), "batch")


def concatenated(parts: Sequence[BatchT]) -> BatchT:
    """One batch from several of the same type, one after the other."""

    def join(*values: Any) -> Any:
        if isinstance(values[0], Tensor):
            return torch.cat(values)
        return dataclasses.replace(
            values[0], **{name: join(*(vars(v)[name] for v in values)) for name in vars(values[0])}
        )

    return join(*parts)


def share_of(batch: BatchT, share: int, shares: int) -> BatchT:
    """One of equal shares of the samples of every tensor; views, not copies."""
    if shares == 1:
        return batch

    def cut(name: str, tensor: Tensor) -> Tensor:
        size, rest = divmod(len(tensor), shares)
        if rest:
            raise GlamError(f"{name} has {len(tensor)} samples, which {shares} processes cannot share equally")
        return tensor[share * size : (share + 1) * size]

    return _mapped(batch, cut, "batch")


def non_finite_tensors(batch: Any) -> list[str]:
    """Names of the tensors of a batch that hold a NaN or an infinity, such as `batch.target.action`."""
    return [
        name for name, tensor in _tensors(batch, "batch") if tensor.is_floating_point() and not tensor.isfinite().all()
    ]


def _mapped(value: Any, change: Callable[[str, Tensor], Tensor], name: str) -> Any:
    if isinstance(value, Tensor):
        return change(name, value)
    parts = {key: _mapped(part, change, f"{name}.{key}") for key, part in _parts(value).items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(value, **parts)
    if isinstance(value, Mapping):
        return parts
    if isinstance(value, tuple | list):
        is_named = hasattr(value, "_fields")
        return type(value)(*parts.values()) if is_named else type(value)(parts.values())
    return value


def _tensors(value: Any, name: str) -> Iterator[tuple[str, Tensor]]:
    if isinstance(value, Tensor):
        yield name, value
    for key, part in _parts(value).items():
        yield from _tensors(part, f"{name}.{key}")


def _parts(value: Any) -> dict[Any, Any]:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple | list):
        return dict(zip(getattr(value, "_fields", range(len(value))), value, strict=True))
    return {}


@dataclass(frozen=True)
class Processes:
    """The processes that train together, seen from one of them; `ALONE` without torchrun."""

    rank: int = 0
    count: int = 1
    local_rank: int = 0
    """Number of this process on its machine, and of its GPU."""

    @property
    def is_first(self) -> bool:
        """True for the process that logs and saves."""
        return self.rank == 0

    def device(self, name: str) -> torch.device:
        """The device this process uses when `name` is asked for."""
        return torch.device(f"cuda:{self.local_rank}" if name == "cuda" else name)

    def wait(self) -> None:
        """Wait until all processes have reached this point."""
        if self.count > 1:
            distributed.barrier()

    def broadcast(self, module: nn.Module) -> None:
        """Give all processes the parameters and buffers of the first."""
        if self.count > 1:
            for tensor in module.state_dict().values():
                distributed.broadcast(tensor, 0)

    def mean(self, scalars: Mapping[str, Tensor]) -> dict[str, float]:
        """Average of each scalar over the processes; one wait for the device, not one per scalar."""
        values = torch.stack([scalar.detach().float() for scalar in scalars.values()])
        if self.count > 1:
            distributed.all_reduce(values)
            values /= self.count
        return dict(zip(scalars, values.tolist(), strict=True))

    def average_gradients(self, module: nn.Module) -> None:
        """Replace each gradient by its mean over the processes; a gradient that no process has stays absent."""
        if self.count == 1:
            return
        parameters = [parameter for parameter in module.parameters() if parameter.requires_grad]
        present = [parameter.grad is not None for parameter in parameters]
        gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
        # Presence travels with the gradients: one exchange a step is cheaper than two.
        holders = torch.tensor(present, dtype=gradients[0].dtype, device=gradients[0].device)
        together = torch.cat([*(gradient.reshape(-1) for gradient in gradients), holders])
        distributed.all_reduce(together)
        sizes = [*(parameter.numel() for parameter in parameters), len(parameters)]
        *averaged, holders = torch.split_with_sizes(together, sizes)
        for parameter, gradient, holder in zip(parameters, averaged, holders.tolist(), strict=True):
            if holder:
                mean = torch.empty_like(parameter)  # keeps the memory format of the parameter
                parameter.grad = mean.copy_(gradient.view(parameter.shape) / self.count)

    def buffers(self, module: nn.Module) -> dict[str, Tensor]:
        """Copies for `add_up_buffers` to compare with; empty if there is only one process."""
        return {name: buffer.clone() for name, buffer in module.named_buffers()} if self.count > 1 else {}

    def add_up_buffers(self, module: nn.Module, before: Mapping[str, Tensor]) -> None:
        """Add to each buffer its changes in all processes."""
        current = dict(module.named_buffers())
        for name, old in before.items():
            growth = current[name] - old
            distributed.all_reduce(growth)
            current[name].copy_(old + growth)


ALONE = Processes()


@contextmanager
def joined(device: str) -> Iterator[Processes]:
    """The processes torchrun started, connected until the end of the block; `ALONE` without torchrun."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count == 1:
        yield ALONE
        return
    processes = Processes(int(os.environ["RANK"]), count, int(os.environ.get("LOCAL_RANK", "0")))
    is_gpu = device.startswith("cuda")
    if is_gpu:
        torch.cuda.set_device(processes.device(device))
    distributed.init_process_group("nccl" if is_gpu else "gloo")
    try:
        yield processes
    finally:
        distributed.destroy_process_group()
