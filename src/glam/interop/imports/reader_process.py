"""Reader process, which parses files from elsewhere: `python -m glam.interop.imports.reader_process`.

A damaged or hostile file may crash a library written in C, or make it ask for all the memory there is. Here that ends
this process alone, and the one that asked says which file it was. Requests are lines of JSON; an answer is its length,
JSON, and the bytes of an array: nothing that could run code where it is read.
"""

import json
import os
import struct
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from glam.core.errors import GlamError
from glam.core.workers import end_with, restrict
from glam.interop.imports.stores.store import Store

MOST_MEMORY = 2 << 30
"""Bytes that reading may take on top of the process itself."""
_LONGEST_REASON = 300


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer requests until there are no more. One file is open at a time."""
    opened: list[Store] = []
    for line in requests:
        answer, content = _answered(json.loads(line), opened)
        header = json.dumps(answer).encode()
        replies.write(struct.pack("<Q", len(header)) + header)
        replies.write(content)
        replies.flush()


def _answered(request: dict[str, Any], opened: list[Store]) -> tuple[dict[str, Any], memoryview]:
    try:
        if request["do"] == "open":
            opened.clear()
            opened.append(_store(request["store"])(Path(request["path"])))
            kinds = {name: [list(kind.shape), kind.dtype] for name, kind in opened[0].arrays.items()}
            return {"arrays": kinds, "notes": opened[0].notes}, memoryview(b"")
        kind = opened[0].arrays[request["name"]]
        values = opened[0].read(request["name"], request["start"], request["stop"])
        values = np.ascontiguousarray(values, np.dtype(kind.dtype))
        return {"shape": list(values.shape), "bytes": values.nbytes}, values.reshape(-1).view(np.uint8).data
    except GlamError as error:
        reason = str(error)
    except MemoryError:
        reason = f"takes more than {MOST_MEMORY >> 30} GB of memory to read"
    except Exception as error:  # libraries raise all kinds of errors over a damaged file
        reason = f"is damaged ({type(error).__name__}: {error})"
    return {"error": " ".join(reason.split())[:_LONGEST_REASON]}, memoryview(b"")


def _store(name: str) -> Callable[[Path], Store]:
    """Class of a store by `module:Class`; the name comes from the process that started this one, never from a file."""
    module, _, cls = name.partition(":")
    return getattr(import_module(module), cls)


def main() -> None:
    """Serve the process that started this one."""
    end_with(os.getppid())
    # Libraries may print: that must not end up among the answers.
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    restrict(MOST_MEMORY)
    serve(sys.stdin.buffer, replies)


if __name__ == "__main__":
    main()
