"""Loggers besides the metrics file: TensorBoard, Weights & Biases and trackio, from the extra `[log]`."""

import hashlib
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

from glam.core.errors import GlamError, UnknownNameError

SinkName = Literal["tensorboard", "wandb", "trackio"]
PROJECT = "glam"


class Sink(Protocol):
    """A logger of metrics."""

    def write(self, step: int, values: Mapping[str, float]) -> None:
        """Pass on the values of a step; names begin with the split."""

    def close(self) -> None:
        """Send what is pending."""


OpenSink = Callable[[int], Sink]
"""Opens a sink for a training that resumes after the given step."""


def opener(name: str, run: Path, config: Any) -> OpenSink:
    """A function that opens the sink `name` for the folder `run`; refuses a package that is not installed."""
    if name not in get_args(SinkName):
        raise UnknownNameError("log", name, get_args(SinkName))
    if name == "tensorboard":
        module = _imported("torch.utils.tensorboard", name)
        return lambda step: _TensorBoard(module, run, step)
    module = _imported(name, name)
    return lambda _: _Hosted(module, run, config)


class _TensorBoard:
    def __init__(self, module: Any, run: Path, step: int) -> None:
        self._writer = module.SummaryWriter(str(run / "tensorboard"), purge_step=step + 1)

    def write(self, step: int, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            self._writer.add_scalar(name, value, step)

    def close(self) -> None:
        self._writer.close()


class _Hosted:
    """Weights & Biases and trackio: the same three calls."""

    def __init__(self, module: Any, run: Path, config: Any) -> None:
        self._module = module
        title = run.resolve().name
        settings: dict[str, Any] = {"project": PROJECT, "name": title, "config": config, "resume": "allow"}
        if module.__name__ == "wandb":
            # The same folder is the same run, so that a resumed training continues its curves.
            settings["id"] = hashlib.sha256(str(run.resolve()).encode()).hexdigest()[:16]
            settings["dir"] = str(run)
        module.init(**settings)

    def write(self, step: int, values: Mapping[str, float]) -> None:
        self._module.log(dict(values), step=step)

    def close(self) -> None:
        self._module.finish()


def _imported(module: str, name: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise GlamError(f"logging to {name} needs the extra [log]: pip install 'glam-robot[log]'") from None
