import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.evaluation.episodes import FAILURE, SUCCESS, run

from glam.core import seals
from glam.core.errors import GlamError
from glam.evaluation.evaluations import RECORDS, read_records, write_evaluation
from glam.evaluation.motion import Smoothness


def damaged(folder: Path, **changes: Any) -> Path:
    """A folder with one good record and one changed by hand."""
    write_evaluation(folder, run([True, False]))
    first, second = (folder / RECORDS).read_text().splitlines()
    resealed(folder, f"{first}\n{json.dumps(json.loads(second) | changes)}\n".encode())
    return folder


def resealed(folder: Path, content: bytes) -> None:
    """Records of a faulty program, or of somebody who knows how to seal."""
    seals.write(folder, {RECORDS: content})


def test_records_come_back_as_they_were_written(tmp_path: Path) -> None:
    records = [
        *run([True, False, True]),
        replace(FAILURE, test_seed=5, failure="Würfel\n\u2028fiel", smoothness=()),
        replace(SUCCESS, test_seed=6, smoothness=(Smoothness(-20.1, 1e-3), Smoothness(-18.0, 2e-3))),
    ]
    write_evaluation(tmp_path / "run", records)
    assert read_records(tmp_path / "run") == tuple(records)


def test_each_line_is_a_record_that_any_program_can_read(tmp_path: Path) -> None:
    write_evaluation(tmp_path, run([True, False]))
    lines = [json.loads(line) for line in (tmp_path / RECORDS).read_text().splitlines()]
    assert [line["is_success"] for line in lines] == [True, False]
    assert lines[1]["failed_stage"] == "place"
    assert lines[0]["smoothness"] == [{"jerk": -19.5, "fft": 0.0021}]


def test_writing_again_replaces_the_file_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    write_evaluation(tmp_path, run([True]))
    write_evaluation(tmp_path, run([False, False]))
    assert len(read_records(tmp_path)) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == [RECORDS, seals.MANIFEST]


def test_every_changed_letter_is_found(tmp_path: Path) -> None:
    write_evaluation(tmp_path, run([True, False]))
    path = tmp_path / RECORDS
    path.write_text(path.read_text().replace("100000", "100009"))
    with pytest.raises(GlamError, match=rf"{RECORDS}: damaged"):
        read_records(tmp_path)


def test_an_evaluation_without_a_seal_has_not_finished(tmp_path: Path) -> None:
    write_evaluation(tmp_path, run([True, False]))
    seals.unseal(tmp_path)
    with pytest.raises(GlamError, match="the evaluation has not finished; repeat the command"):
        read_records(tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"failed_stage": "none"},
        {"failed_stage": ""},
        {"failed_stage": 3},
        {"failure": ""},
        {"is_success": True},
        {"is_success": 1},
        {"steps": -1},
        {"steps": 3.5},
        {"test_seed": True},
        {"method": ""},
        {"smoothness": [{"jerk": -3.0}]},
        {"smoothness": "smooth"},
        {"smoothness": [{"jerk": math.nan, "fft": 0.1}]},
        {"colour": "red"},
        {"format": 1},
    ],
)
def test_a_damaged_record_is_refused_with_its_line(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(GlamError, match=rf"{RECORDS}, line 2: "):
        read_records(damaged(tmp_path, **changes))


def test_a_number_too_large_for_a_float_is_refused(tmp_path: Path) -> None:
    text = damaged(tmp_path) / RECORDS
    resealed(tmp_path, text.read_bytes().replace(b"-19.5", b"-1e999"))
    with pytest.raises(GlamError, match=r"line 1: .*finite"):
        read_records(tmp_path)


def test_a_torn_line_and_a_record_without_format_are_refused(tmp_path: Path) -> None:
    write_evaluation(tmp_path, run([True, False]))
    path = tmp_path / RECORDS
    whole = path.read_bytes()
    resealed(tmp_path, whole[:-30])
    with pytest.raises(GlamError, match="line 2: not valid JSON"):
        read_records(tmp_path)
    resealed(tmp_path, whole.replace(b'"format": 2, ', b""))
    with pytest.raises(GlamError, match="line 1: not an episode record"):
        read_records(tmp_path)
    resealed(tmp_path, b"\xff\xfe")
    with pytest.raises(GlamError, match="not text"):
        read_records(tmp_path)


def test_an_episode_cannot_count_twice(tmp_path: Path) -> None:
    with pytest.raises(GlamError, match="twice"):
        write_evaluation(tmp_path, [SUCCESS, SUCCESS])
    write_evaluation(tmp_path, [SUCCESS])
    path = tmp_path / RECORDS
    resealed(tmp_path, path.read_bytes() * 2)
    with pytest.raises(GlamError, match="twice"):
        read_records(tmp_path)


def test_the_same_configuration_may_be_tried_by_several_trainings(tmp_path: Path) -> None:
    write_evaluation(tmp_path, [*run([True], seed=0), *run([False], seed=1)])
    assert len(read_records(tmp_path)) == 2


def test_a_run_without_episodes_or_without_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GlamError, match="no episodes"):
        write_evaluation(tmp_path, [])
    with pytest.raises(GlamError, match="no such file; give the folder of an evaluation"):
        read_records(tmp_path / "nowhere")
