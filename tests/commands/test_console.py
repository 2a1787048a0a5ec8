"""Progress where there is no terminal."""

from io import FileIO, TextIOWrapper

import pytest
from rich.console import Console

from glam.commands import console
from glam.commands.console import LINE_EVERY, ProgressLines


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_line_comes_every_half_minute_with_share_time_left_and_loss(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    lines = ProgressLines("training glam-o", clock)
    for step in range(1, 1001):  # one step a second
        clock.now += 1.0
        lines.update(step, 1000, f"loss {1 / step:.2g}")
    printed = capsys.readouterr().err.splitlines()
    assert len(printed) == pytest.approx(1000 / LINE_EVERY, abs=1)
    assert printed[0] == "training glam-o: 30 of 1000, 3 %, about 16 min left, loss 0.033"
    assert printed[-1].startswith("training glam-o: 990 of 1000, 99 %, less than a minute left")


def test_what_is_done_within_half_a_minute_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    lines = ProgressLines("checking", Clock())
    for done in range(1, 11):
        lines.update(done, 10)
    assert capsys.readouterr().err == ""


def test_a_log_on_a_full_disk_does_not_end_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    lines = ProgressLines("training mip", clock)
    with TextIOWrapper(FileIO("/dev/full", "w"), write_through=True) as full:
        monkeypatch.setattr(console, "_ERR", Console(file=full))
        clock.now = LINE_EVERY
        lines.update(10, 5000)
        console.say_error("no more")
        with pytest.raises(OSError, match="No space"):
            console._ERR.print("this file is full indeed")


def test_a_resumed_run_judges_the_time_left_by_its_own_pace(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    lines = ProgressLines("training mip", clock)
    lines.update(4000, 5000)  # where an earlier run stopped
    clock.now = LINE_EVERY
    lines.update(4010, 5000)
    assert "about 50 min left" in capsys.readouterr().err
