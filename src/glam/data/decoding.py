"""Decoding a dataset into raw arrays on disk, one `.npy` file per feature, by one or several processes.

Arrays are filled with positional writes, not through a memory map: on a full disk a write is an error, while a map
kills the process.
"""

import multiprocessing
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core import files
from glam.core.errors import USERS_ERRORS, GlamError, sentence
from glam.core.workers import Pool, Progress, pieces, shielding
from glam.data.reader import Dataset
from glam.data.schema import LARGEST_VALUE
from glam_client.resizing import resize

_PIECE = 16
"""Episodes that a machine of a pool decodes at a time, some seconds."""


@dataclass(frozen=True)
class CachedArray:
    """Shape and type of one array."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        """In bytes."""
        return int(np.prod(self.shape)) * self.dtype.itemsize


@dataclass(frozen=True)
class Job:
    """Dataset to decode, size of the images, and output folder."""

    dataset: Dataset
    size: tuple[int, int]
    """Height and width."""
    folder: Path

    @property
    def arrays(self) -> dict[str, CachedArray]:
        """Every array that is to be made, by feature."""
        schema, rows = self.dataset.schema, len(self.dataset)
        single, byte = np.dtype(np.float32), np.dtype(np.uint8)
        vectors = {key: CachedArray((rows, len(names)), single) for key, names in schema.vectors.items()}
        images = {key: CachedArray((rows, *self.size, 3), byte) for key in schema.image_keys}
        masks = {key: CachedArray((rows, *self.size, len(schema.objects)), byte) for key in schema.mask_keys}
        return vectors | images | masks

    def file(self, key: str) -> Path:
        """Path of the array of a feature."""
        return files.contained(self.folder, f"{key}.npy")


def decode(job: Job, workers: int, progress: Progress, pool: Pool | None = None) -> None:
    """Make every array of a job; its folder exists and is empty. More than one worker means as many processes.

    With a pool, its machines do the work, and write into the same files.
    """
    for key, kind in job.arrays.items():
        with writing(job.file(key)), job.file(key).open("wb") as file:
            header = {"descr": np.lib.format.dtype_to_descr(kind.dtype), "fortran_order": False, "shape": kind.shape}
            np.lib.format.write_array_header_1_0(file, header)
            file.truncate(file.tell() + kind.size)
    done = 0
    # Closed in any case: processes must end before the caller clears the folder they write to.
    with closing(_lengths(job, workers, pool)) as lengths:
        for length in lengths:
            done += length
            progress(done, len(job.dataset))


def _lengths(job: Job, workers: int, pool: Pool | None) -> Generator[int]:
    """Decode everything, and yield how many frames are done, as they come."""
    count = len(job.dataset.episodes)
    if pool is not None:
        yield from pool.spread(partial(_decode_piece, job), pieces(count, _PIECE))
    else:
        yield from _decoded(job, range(count)) if workers == 1 else _decoded_by_processes(job, workers)


def _decode_piece(job: Job, episodes: range) -> int:
    return sum(_decoded(job, episodes))


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a failure to write into an error of one sentence."""
    try:
        yield
    except OSError as error:
        sentence = (
            f"{path}: cannot be written ({error.strerror}); set GLAM_CACHE to a folder that can be, with room enough"
        )
        raise GlamError(sentence) from None


def _decoded(job: Job, episodes: Iterable[int]) -> Generator[int]:
    """Decode episodes, and yield the length of each when it is done."""
    for index in episodes:
        _decode_episode(job, index)
        yield job.dataset.episodes[index].length


def _decode_episode(job: Job, index: int) -> None:
    schema, first_row = job.dataset.schema, job.dataset.episodes[index].first_row
    for key, values in job.dataset.vectors(index).items():
        _require_sane(job.dataset, index, key, values)
        _store(job.file(key), first_row, values)
    for key in schema.image_keys:
        _store(job.file(key), first_row, resize(job.dataset.images(index, key), job.size))
    for key in schema.mask_keys:
        _store(job.file(key), first_row, resize(job.dataset.masks(index, key), job.size))


def _require_sane(dataset: Dataset, index: int, key: str, values: NDArray[np.float32]) -> None:
    wrong = np.argwhere(~(np.abs(values) <= LARGEST_VALUE))
    if len(wrong):
        frame, entry = wrong[0]
        where = f"{dataset.episodes[index].data_file}: episode {index}, frame {frame}"
        found, limits = f"{values[frame, entry]:g} in entry {entry}", f"finite and at most {LARGEST_VALUE:g}"
        raise GlamError(f"{where}: {key} is {found}; every number must be {limits}")


def _store(path: Path, row: int, values: NDArray[Any]) -> None:
    array = np.load(path, mmap_mode="r")
    with writing(path), path.open("rb+") as file:
        file.seek(array.offset + row * array[0].nbytes)
        file.write(np.ascontiguousarray(values).data)


def _decoded_by_processes(job: Job, workers: int) -> Generator[int]:
    """Decode all episodes, each process every `workers`-th of them."""
    # Fresh processes: a fork of one that has threads, as the libraries used here start them, may hang.
    context = multiprocessing.get_context("spawn")
    processes: dict[Connection, BaseProcess] = {}
    try:
        for worker in range(workers):
            receiver, sender = context.Pipe(duplex=False)
            share = range(worker, len(job.dataset.episodes), workers)
            process: BaseProcess = context.Process(target=_work, args=(sender, job, share), daemon=True)
            with shielding():
                process.start()
            processes[receiver] = process
            sender.close()
        yield from _reports(set(processes))
    finally:
        for process in processes.values():
            process.terminate()
            process.join()


def _reports(receivers: set[Connection]) -> Iterator[int]:
    while receivers:
        for receiver in wait(list(receivers)):
            assert isinstance(receiver, Connection)
            try:
                report = receiver.recv()
            except EOFError:
                raise GlamError("a decoding process was killed; free some memory, or use 1 worker") from None
            if report is _END:
                receivers.remove(receiver)
            elif isinstance(report, str):
                raise GlamError(report)
            else:
                yield report


_END = None
"""Last report of a process that has done its share."""


def _work(sender: Connection, job: Job, share: range) -> None:
    """Decode a share of the episodes in a worker process; if the parent dies, the next report ends it."""
    try:
        for frames in _decoded(job, share):
            sender.send(frames)
        sender.send(_END)
    except BrokenPipeError:
        return
    except USERS_ERRORS as error:
        sender.send(sentence(error))
