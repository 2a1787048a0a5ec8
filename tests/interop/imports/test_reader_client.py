"""Whatever a file does to the process that reads it, the one that asked gets arrays or a sentence."""

import io
import json
import struct
import subprocess
import sys
import time

import numpy as np
import pytest
from tests.interop.imports import foreign

from glam.core.errors import GlamError
from glam.interop.imports import reader_client as module
from glam.interop.imports import reader_process
from glam.interop.imports.reader_client import ReaderClient
from glam.interop.imports.stores.hdf5 import Hdf5Store
from glam.interop.imports.stores.store import ArraySpec


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return foreign.robomimic(tmp_path_factory.mktemp("demo") / "demo.hdf5")


def test_arrays_arrive_as_they_are_in_pieces_or_whole(reader, demo, monkeypatch):
    opened = reader.open(Hdf5Store, demo)
    wanted = foreign.actions(9, 1)
    assert np.array_equal(opened.whole("demo_1/actions"), wanted)
    monkeypatch.setattr(module, "PIECE", 2 * wanted[0].nbytes)
    pieces = list(opened.pieces("demo_1/actions", 1, 8))
    assert [len(piece) for piece in pieces] == [2, 2, 2, 1]
    assert np.array_equal(np.concatenate(pieces), wanted[1:8])


def test_a_file_that_was_closed_for_another_is_opened_again(reader, demo, tmp_path):
    first = reader.open(Hdf5Store, demo)
    second = reader.open(Hdf5Store, foreign.robomimic(tmp_path / "other.hdf5", (5,)))
    assert len(first.whole("demo_0/actions")) == 7
    assert len(second.whole("demo_0/actions")) == 5


def test_a_file_that_changed_meanwhile_is_refused(reader, demo, tmp_path):
    file = foreign.robomimic(tmp_path / "demo.hdf5")
    opened = reader.open(Hdf5Store, file)
    reader.open(Hdf5Store, demo)
    foreign.robomimic(file, (5, 5))
    with pytest.raises(GlamError, match="changed while it was read"):
        opened.whole("demo_0/actions")


def program(monkeypatch, text):
    monkeypatch.setattr(module, "_COMMAND", (sys.executable, "-c", text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import os; os.abort()", r"ends the process that reads it \(SIGABRT\)"),
        ("import sys; sys.stdin.readline(); sys.exit(3)", r"ends the process that reads it \(code 3\)"),
        ("import sys; sys.stdin.readline(); print(1); sys.exit(4)", r"ends the process that reads it \(code 4\)"),
        ("import time; time.sleep(60)", r"gives no answer within 0\.5 s"),
    ],
)
def test_a_process_that_dies_or_hangs_is_one_sentence(monkeypatch, tmp_path, text, message):
    program(monkeypatch, text)
    start = time.monotonic()
    with ReaderClient(patience=20.0 if "sleep" not in text else 0.5) as dying:
        with pytest.raises(GlamError, match=f"^{tmp_path}: {message}; it must be damaged$"):
            dying.open(Hdf5Store, tmp_path)
        assert dying._process is None
    assert time.monotonic() - start < 30


def test_after_a_death_the_next_file_is_read(monkeypatch, demo):
    with ReaderClient() as reader:
        with monkeypatch.context() as patch:
            program(patch, "")
            with pytest.raises(GlamError, match="ends the process"):
                reader.open(Hdf5Store, demo)
        assert reader.open(Hdf5Store, demo).notes["total"] == sum(foreign.LENGTHS)


def test_an_interruption_ends_the_process(monkeypatch, demo):
    def interrupt(*_):
        raise KeyboardInterrupt

    with ReaderClient() as reader:
        reader.open(Hdf5Store, demo)
        process = reader._process
        with monkeypatch.context() as patch:
            patch.setattr(module, "_received", interrupt)
            with pytest.raises(KeyboardInterrupt):
                reader.open(Hdf5Store, demo)
        assert process.poll() is not None


def test_answers_of_another_shape_than_asked_for_are_refused(monkeypatch, tmp_path):
    listing = {"arrays": {"a": [[4], "uint8"]}, "notes": {}}
    lie = {"shape": [3], "bytes": 3}
    text = f"""
import json, struct, sys
for answer, content in (({listing}, b""), ({lie}, b"abc")):
    sys.stdin.readline()
    header = json.dumps(answer).encode()
    sys.stdout.buffer.write(struct.pack("<Q", len(header)) + header + content)
    sys.stdout.flush()
"""
    program(monkeypatch, text)
    with ReaderClient() as reader, pytest.raises(GlamError, match="a gave "):
        reader.open(Hdf5Store, tmp_path).whole("a")


def test_an_array_that_claims_to_be_absurdly_large_is_never_asked_for(reader, demo):
    opened = reader.open(Hdf5Store, demo)
    opened.arrays["huge"] = ArraySpec((10**9, 100), "float64")
    opened.arrays["wide"] = ArraySpec((2, 10**5, 10**5, 3), "uint8")
    with pytest.raises(GlamError, match="huge claims to be of shape"):
        opened.whole("huge")
    with pytest.raises(GlamError, match="wide claims to be of shape"):
        next(opened.pieces("wide", 0, 1))


class Store:
    """Raises what it is told to."""

    problem: BaseException = GlamError("has a fault")

    def __init__(self, path):
        self.arrays = {"a": ArraySpec((2,), "float32")}
        self.notes = {"said": "so"}

    def read(self, name, start, stop):
        raise self.problem


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (GlamError("has a fault"), "has a fault"),
        (MemoryError(), "takes more than 2 GB of memory to read"),
        (ValueError("no\nsense"), "is damaged (ValueError: no sense)"),
        (RecursionError("x" * 999), "is damaged (RecursionError: " + "x" * 272),
    ],
)
def test_every_failure_in_the_reading_process_is_one_line(monkeypatch, problem, sentence):
    monkeypatch.setattr(reader_process, "_store", lambda name: Store)
    monkeypatch.setattr(Store, "problem", problem)
    requests = [{"do": "open", "store": "fake", "path": "x"}, {"do": "read", "name": "a", "start": 0, "stop": 2}]
    replies = io.BytesIO()
    reader_process.serve(io.BytesIO(b"".join(json.dumps(request).encode() + b"\n" for request in requests)), replies)
    replies.seek(0)
    answers = []
    for _ in requests:
        (length,) = struct.unpack("<Q", replies.read(8))
        answers.append(json.loads(replies.read(length)))
    assert answers == [{"arrays": {"a": [[2], "float32"]}, "notes": {"said": "so"}}, {"error": sentence}]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory")
def test_the_reading_process_can_neither_take_all_memory_nor_write_files(tmp_path):
    text = f"""
from glam.core.workers import restrict
from glam.interop.imports.reader_process import MOST_MEMORY
restrict(MOST_MEMORY)
try:
    bytearray(3 << 30)
except MemoryError:
    print("refused")
try:
    open({str(tmp_path / "file")!r}, "wb").write(bytes(10000))
except OSError:
    print("refused")
"""
    ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert ran.stdout == "refused\nrefused\n", ran.stderr
