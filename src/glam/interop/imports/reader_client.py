"""Client of the reader process: asks for arrays and gets them, or an error of one sentence."""

import json
import os
import selectors
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.interop.imports.stores.store import NUMBERS, ArraySpec, Store

PATIENCE = 120.0
"""Seconds for one answer; the largest takes a second from a slow disk."""
PIECE = 32 << 20
"""Bytes that are asked for at once, unless a single row is larger."""
LARGEST_ROW = 1 << 28
"""Bytes of one row; an image of 8192 x 8192 pixels has fewer."""
LARGEST_ARRAY = 1 << 30
"""Bytes of an array that is read as a whole."""
_LONGEST_HEADER = 1 << 28
# -P: no code from the current folder, in which files from elsewhere may lie.
_COMMAND = (sys.executable, "-B", "-P", "-m", "glam.interop.imports.reader_process")


class ReaderClient:
    """Reader process, started when it is first needed, and again after a file has ended it."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._process: subprocess.Popen[bytes] | None = None
        self._opened: OpenedFile | None = None

    def __enter__(self) -> "ReaderClient":
        """Ready."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process."""
        self._end()

    def open(self, store: Callable[[Path], Store], path: Path) -> "OpenedFile":
        """Open a file as a store, which is a class at the top level of a module: the reader process imports it."""
        name = f"{store.__module__}:{store.__qualname__}"
        return self._open(name, path)

    def _open(self, store: str, path: Path) -> "OpenedFile":
        self._opened = None
        request = {"do": "open", "store": store, "path": str(path.resolve())}
        answer, _ = self._ask(path, request)
        arrays = {name: _checked_kind(path, name, found) for name, found in answer["arrays"].items()}
        self._opened = OpenedFile(self, store, path, arrays, answer["notes"])
        return self._opened

    def read(self, opened: "OpenedFile", name: str, start: int, stop: int) -> NDArray[Any]:
        """Rows of an array, of the file that is open or of one that was before."""
        if self._opened is not opened:
            if self._open(opened.store, opened.path).arrays != opened.arrays:
                raise GlamError(f"{opened.path}: changed while it was read")
            self._opened = opened
        kind = opened.arrays[name]
        answer, content = self._ask(opened.path, {"do": "read", "name": name, "start": start, "stop": stop})
        wanted = (stop - start, *kind.shape[1:])
        if tuple(answer["shape"]) != wanted or len(content) != (stop - start) * kind.row_bytes:
            raise GlamError(f"{opened.path}: {name} gave {answer['shape']} instead of {list(wanted)}")
        return np.frombuffer(content, kind.dtype).reshape(wanted)

    def _ask(self, path: Path, request: dict[str, Any]) -> tuple[dict[str, Any], bytearray]:
        process = self._started()
        assert process.stdin
        assert process.stdout
        end = time.monotonic() + self._patience
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            (length,) = struct.unpack("<Q", _received(process.stdout.fileno(), 8, end))
            answer = json.loads(_received(process.stdout.fileno(), min(length, _LONGEST_HEADER), end))
            content = _received(process.stdout.fileno(), min(answer.get("bytes", 0), LARGEST_ROW + PIECE), end)
        except (EOFError, BrokenPipeError):
            raise GlamError(f"{path}: ends the process that reads it ({self._end()}); it must be damaged") from None
        except TimeoutError:
            self._end()
            raise GlamError(f"{path}: gives no answer within {self._patience:g} s; it must be damaged") from None
        except BaseException:  # interrupted in the middle of an answer
            self._end()
            raise
        if "error" in answer:
            raise GlamError(f"{path}: {answer['error']}")
        return answer, content

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._process is None:
            # One thread for numpy's libraries; no plug-ins of HDF5, which are code.
            settings = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "HDF5_PLUGIN_PRELOAD": "::"}
            self._process = subprocess.Popen(
                _COMMAND,
                env=os.environ | settings,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for us
            )
        return self._process

    def _end(self) -> str:
        """End the process; returns how it ended."""
        process, self._process, self._opened = self._process, None, None
        if process is None:
            return ""
        assert process.stdin
        assert process.stdout
        with suppress(BrokenPipeError):
            process.stdin.close()  # at which it ends by itself, unless it is stuck
        try:
            code = process.wait(0.5)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        process.stdout.close()
        return signal.Signals(-code).name if code < 0 else f"code {code}"


@dataclass(frozen=True, eq=False)
class OpenedFile:
    """A file as named arrays."""

    reader: ReaderClient
    store: str
    """Module and class that read the file, as `module:Class`."""
    path: Path
    arrays: dict[str, ArraySpec]
    notes: dict[str, Any]

    def whole(self, name: str) -> NDArray[Any]:
        """All of an array of modest size."""
        kind = self.arrays[name]
        if kind.shape[0] * kind.row_bytes > LARGEST_ARRAY:
            raise GlamError(f"{self.path}: {name} claims to be of shape {kind.shape}, which is absurd")
        return np.concatenate([np.empty((0, *kind.shape[1:]), kind.dtype), *self.pieces(name, 0, kind.shape[0])])

    def pieces(self, name: str, start: int, stop: int) -> Iterator[NDArray[Any]]:
        """Rows start .. stop - 1, some at a time."""
        kind = self.arrays[name]
        if kind.row_bytes > LARGEST_ROW:
            raise GlamError(f"{self.path}: {name} claims to be of shape {kind.shape}, which is absurd")
        step = max(1, PIECE // max(1, kind.row_bytes))
        for first in range(start, stop, step):
            yield self.reader.read(self, name, first, min(first + step, stop))


def _checked_kind(path: Path, name: str, found: Any) -> ArraySpec:
    shape, dtype = found
    if dtype not in NUMBERS:
        raise GlamError(f"{path}: {name} has the unknown type {dtype!r}")
    return ArraySpec(tuple(map(int, shape)), dtype)


def _received(pipe: int, count: int, end: float) -> bytearray:
    """Exactly `count` bytes, before the clock shows `end`."""
    content = bytearray(count)
    view, filled = memoryview(content), 0
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while filled < count:
            if not selector.select(max(0.0, end - time.monotonic())):
                raise TimeoutError
            new = os.readv(pipe, [view[filled:]])
            if not new:
                raise EOFError
            filled += new
    return content
