from glam.data.check.finding import Finding
from glam.data.check.listing import has_errors, lines

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
    assert lines([]) == ("nothing found: the dataset is healthy",)


def test_warnings_are_no_errors():
    assert has_errors(MANY)
    assert not has_errors(FEW)
