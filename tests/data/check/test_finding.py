import pytest

from glam.data.check.finding import Finding, guarded
from glam.data.check.kinds import KINDS


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
