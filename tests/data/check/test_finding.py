import re
from pathlib import Path

import pytest

import glam.data.check.finding
from glam.data.check.finding import KINDS, Finding, guarded, has_errors, lines


def test_the_text_names_file_episode_frame_problem_and_remedy_in_one_line():
    finding = Finding("not-finite", "data/chunk-000/file-003.parquet", "holds a\nNaN", episode=3, frame=7)
    assert finding.text == (
        "error [not-finite] data/chunk-000/file-003.parquet, episode 3, frame 7: holds a NaN; "
        + KINDS["not-finite"].remedy
    )


def test_the_text_leaves_out_what_does_not_apply():
    assert "episode" not in Finding("info", "meta/info.json", "fps is 0").text.split(":")[0]


def test_a_check_that_fails_becomes_a_finding_and_keeps_what_it_found_before():
    def check():
        yield Finding("info", "a", "first")
        raise RecursionError("too deep")

    def run():
        learnt.append((yield from guarded(check(), "a", "otherwise")))

    learnt = []
    assert [finding.code for finding in run()] == ["info", "unreadable"]
    assert learnt == ["otherwise"]


def test_a_check_that_succeeds_returns_what_it_learnt():
    def check():
        yield Finding("info", "a", "first")
        return "learnt"

    def run():
        learnt.append((yield from guarded(check(), "a", "otherwise")))

    learnt = []
    assert len(list(run())) == 1
    assert learnt == ["learnt"]


def test_an_interruption_by_the_user_is_not_swallowed():
    def check():
        raise KeyboardInterrupt
        yield

    with pytest.raises(KeyboardInterrupt):
        list(guarded(check(), "a", None))


SOURCE = Path(glam.data.check.finding.__file__).parent
MADE = re.compile(r'(?:Finding|rows\.finding)\(\s*"([a-z-]+)"|_at\(\s*rows,\s*"([a-z-]+)"')


def test_every_finding_that_the_code_makes_has_a_kind_and_every_kind_is_made():
    made = {a or b for path in SOURCE.glob("*.py") for a, b in MADE.findall(path.read_text())}
    assert made == KINDS.keys()


def test_every_remedy_is_a_sentence_part_that_fits_after_a_semicolon():
    for kind in KINDS.values():
        assert kind.remedy[0].islower()
        assert not kind.remedy.endswith(".")


MANY = [Finding("checksum", f"data/{number}", "changed") for number in range(12)]
FEW = [Finding("leftover", "meta/x.tmp", "a temporary file")]


def test_a_fault_in_every_file_does_not_bury_the_others():
    listed = lines([*MANY, *FEW], most=3)
    assert [line.split(",")[0].split(":")[0] for line in listed] == [
        "error [checksum] data/0",
        "error [checksum] data/1",
        "error [checksum] data/2",
        "warning [leftover] meta/x.tmp",
        "and 9 more [checksum]",
        "12 errors and 1 warning",
    ]


def test_health_is_said_in_words():
    assert lines([]) == ("no problems found",)


def test_warnings_are_no_errors():
    assert has_errors(MANY)
    assert not has_errors(FEW)
