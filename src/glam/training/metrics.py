"""`metrics.jsonl`: one JSON object a line, the log of a training.

Every line has `step` (steps taken), `split` (train or validation) and `seconds` (time in training so far), and then
the values. A resumed run drops the lines after its checkpoint, so the file equals that of an uninterrupted run except
for the seconds.

Further loggers are TensorBoard, Weights & Biases and trackio, from the extra `[log]`.
"""

import errno
import hashlib
import json
import math
import os
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Protocol, get_args

from glam.core import files, seals
from glam.core.errors import GlamError, UnknownNameError

Split = Literal["train", "validation"]


class MetricsLog:
    """Appends to the file, each line at once."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._file = path.open("ab", buffering=0)

    def __enter__(self) -> "MetricsLog":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def write(self, step: int, split: Split, values: Mapping[str, float], seconds: float) -> None:
        """Append a line; a value that is not finite is refused by name."""
        for name, value in values.items():
            if not math.isfinite(value):
                raise GlamError(f"{self._path}: {split} metric {name!r} of step {step} is {value}, which is not finite")
        line = {"step": step, "split": split, **values, "seconds": round(seconds, 3)}
        content = json.dumps(line, allow_nan=False).encode() + b"\n"
        with seals.writing(self._path, len(content)):
            if self._file.write(content) != len(content):  # the disk took the beginning only
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def sync(self) -> None:
        """Write all lines to disk, before a checkpoint."""
        os.fsync(self._file.fileno())


def trim(path: Path, last_step: int) -> None:
    """Drop the lines after `last_step`, and half a line that a crash may have left; all at once or not at all."""
    content = files.read_bytes(path) if path.exists() else b""
    lines = content.split(b"\n")[:-1]
    kept = b"".join(line + b"\n" for number, line in enumerate(lines, 1) if _step(line, path, number) <= last_step)
    if kept != content:
        files.write_bytes(path, kept)


def read(path: Path) -> list[dict[str, Any]]:
    """All complete lines; those of a finished training are compared with its seal."""
    if not path.exists():
        raise GlamError(f"{path}: no such file")
    content = seals.read(path.parent, path.name) if seals.is_sealed(path.parent) else files.read_bytes(path)
    lines = content.split(b"\n")[:-1]
    return [_parse(line, path, number) for number, line in enumerate(lines, 1)]


def _step(line: bytes, path: Path, number: int) -> int:
    return int(_parse(line, path, number)["step"])


def _parse(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        value = files.parse_json(line, str(path))
    except GlamError:
        value = {}
    if not isinstance(value, dict) or not isinstance(value.get("step"), int):
        raise GlamError(f"{path}: line {number} is not a line of metrics; restore the file from a copy")
    return value


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
