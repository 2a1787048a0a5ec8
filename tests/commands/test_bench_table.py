import io
from dataclasses import dataclass

import pytest
from rich.console import Console

from glam.bench.progress import CellCount, RunInProgress
from glam.commands.bench import line, shown, table, time_left


@dataclass(frozen=True)
class Made:
    kind: str = "policy"
    title: str = "mip-lift-111-s0"


class GridProgress:
    tasks = {"lift": CellCount(2, 1, 3, 0, 1.5), "stack-three": CellCount(0, 0, 4, 1, 0.0)}  # noqa: RUF012
    whole = CellCount(2, 1, 7, 1, 1.5)
    in_progress = [RunInProgress(Made(), 180.0, 600.0)]  # noqa: RUF012


def printed(*, is_terminal):
    return Console(file=io.StringIO(), force_terminal=is_terminal, width=100, soft_wrap=True)


def test_a_line_tells_cells_time_left_and_what_is_made_now():
    assert line(GridProgress()) == (
        "2 cells done, 1 running, 7 left, 1 failed; about 1.5 hours left; "
        "now policy mip-lift-111-s0 (3 of about 10 min)"
    )


def test_a_table_has_a_row_for_each_task_and_one_for_all():
    console = printed(is_terminal=False)
    console.print(table(GridProgress()))
    rows = [row.split() for row in console.file.getvalue().splitlines()]
    assert rows[0] == ["done", "running", "left", "failed", "time", "left"]
    assert rows[1] == ["lift", "2", "1", "3", "-", "1.5", "hours"]
    assert rows[2] == ["stack-three", "-", "-", "4", "1", "-"]
    assert rows[3] == ["all", "2", "1", "7", "1", "1.5", "hours"]
    assert rows[4][:3] == ["now", "policy", "mip-lift-111-s0"]


def test_without_a_terminal_every_change_is_a_line():
    console = printed(is_terminal=False)
    with shown(GridProgress(), console) as show:
        show()
        show()
    assert console.file.getvalue() == f"{line(GridProgress())}\n" * 2


def test_on_a_terminal_the_table_stays_in_place():
    console = printed(is_terminal=True)
    with shown(GridProgress(), console) as show:
        show()
    text = console.file.getvalue()
    assert "stack-three" in text
    assert "\x1b[" in text  # moves back to draw over what was there
    assert "cells done" not in text


@pytest.mark.parametrize(("hours", "words"), [(2.34, "2.3 hours"), (1.0, "1.0 hours"), (0.2, "12 minutes")])
def test_time_left_is_told_in_the_unit_that_fits(hours, words):
    assert time_left(hours) == words
