"""The log is complete up to its last line, and an interrupted one is cut back to its checkpoint."""

import resource

import pytest

from glam.core.errors import GlamError
from glam.training.metrics import MetricsLog, read, trim


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "run" / "metrics.jsonl"
    with MetricsLog(path) as log:
        for step in (2, 4, 6):
            log.write(step, "train", {"loss": step / 10}, 1.23456)
        log.write(6, "validation", {"error": 0.5}, 2.0)
        log.sync()
    return path


def test_lines_are_read_as_written(path):
    lines = read(path)
    assert lines[0] == {"step": 2, "split": "train", "loss": 0.2, "seconds": 1.235}
    assert lines[-1] == {"step": 6, "split": "validation", "error": 0.5, "seconds": 2.0}
    assert len(lines) == 4


def test_a_line_is_in_the_file_at_once(tmp_path):
    with MetricsLog(tmp_path / "log") as log:
        log.write(1, "train", {"a": 1.0}, 0.0)
        assert len(read(tmp_path / "log")) == 1


def test_a_log_is_appended_to(path):
    with MetricsLog(path) as log:
        log.write(8, "train", {"loss": 0.8}, 3.0)
    assert [line["step"] for line in read(path)] == [2, 4, 6, 6, 8]


@pytest.mark.parametrize(("last", "kept"), [(0, []), (4, [2, 4]), (5, [2, 4]), (6, [2, 4, 6, 6]), (99, [2, 4, 6, 6])])
def test_lines_after_the_checkpoint_are_dropped(path, last, kept):
    trim(path, last)
    assert [line["step"] for line in read(path)] == kept
    assert [entry.name for entry in path.parent.iterdir()] == ["metrics.jsonl"]


def test_half_a_line_at_the_end_is_dropped(path):
    complete = path.read_bytes()
    path.write_bytes(complete + b'{"step": 8, "sp')
    assert len(read(path)) == 4
    trim(path, 99)
    assert path.read_bytes() == complete


def test_a_log_that_is_right_is_not_touched(path):
    before = path.stat()
    trim(path, 6)
    assert path.stat().st_ino == before.st_ino


def test_trimming_what_is_not_there_makes_nothing(tmp_path):
    trim(tmp_path / "absent", 3)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("line", [b"nonsense", b"[1]", b'{"loss": 1}', b"\xff"])
def test_a_damaged_line_is_named(path, line):
    content = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([content[0], line, *content[2:]]))
    with pytest.raises(GlamError, match=r"metrics\.jsonl: line 2 is not a line of metrics"):
        trim(path, 99)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_value_that_is_no_number_is_refused_by_name(tmp_path, value):
    with MetricsLog(tmp_path / "log") as log, pytest.raises(GlamError, match="validation metric 'iou' of step 5 is"):
        log.write(5, "validation", {"fine": 1.0, "iou": value}, 0.0)
    assert read(tmp_path / "log") == []


@pytest.mark.parametrize("room", [0, 10])
def test_a_full_disk_is_said_with_the_place(tmp_path, room):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with MetricsLog(tmp_path / "log") as log:
        log.write(1, "train", {"a": 1.0}, 0.0)
        resource.setrlimit(resource.RLIMIT_FSIZE, ((tmp_path / "log").stat().st_size + room, hard))
        try:
            with pytest.raises(GlamError, match=r"log: cannot be written \(.*\); \d+ bytes are needed there"):
                log.write(2, "train", {"a": 2.0}, 0.0)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    trim(tmp_path / "log", 1)
    assert [line["step"] for line in read(tmp_path / "log")] == [1]


def test_a_missing_log_is_named(tmp_path):
    with pytest.raises(GlamError, match="absent: no such file"):
        read(tmp_path / "absent")
