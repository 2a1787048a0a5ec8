from dataclasses import replace

from tests.data import tiny
from tests.data.matching.test_comparison import record

from glam.data.matching import compare, lines


def listed(tmp_path, schema=tiny.AUXILIARY, **changes):
    target, aux = record(tmp_path / "target", tiny.TARGET), record(tmp_path / "aux", schema, **changes)
    return lines(compare([target, aux]))


def test_a_table_shows_every_set_under_every_topic(tmp_path):
    told = listed(tmp_path)
    assert told[0].endswith("target")
    assert told[1].startswith("aux 1")
    (rate,) = [number for number, line in enumerate(told) if line.startswith("rate")]
    assert told[rate].split() == ["rate", "target", "10", "Hz", "ok"]
    assert told[rate + 1].split() == ["aux", "1", "10", "Hz"]
    assert any("x 0.40 to 0.45, y 0.00 to 0.02, z 0.10 to 0.10 m" in line for line in told)
    assert any("z axis along (0.0, 0.0, -1.0)" in line for line in told)
    assert told[-1] == "verdict: these sets can work together, with glam and glam-o"


def test_a_finding_marks_its_topic_and_says_what_to_do(tmp_path):
    told = listed(tmp_path, replace(tiny.AUXILIARY, fps=5, objects=()))
    assert any(line.startswith("rate") and line.endswith("CANNOT") for line in told)
    assert any(line.startswith("masks") and line.endswith("note") for line in told)
    assert any(line.startswith("CANNOT  rate: ") and "--rate 10" in line for line in told)
    assert told[-1] == "verdict: these sets cannot work together yet; 1 of the above must be changed"


def test_the_verdict_names_the_methods_that_are_left(tmp_path):
    told = listed(tmp_path, replace(tiny.AUXILIARY, objects=(), has_pose=False))
    assert told[-1].startswith("verdict: these sets can work together, with glam-no-pose, but 1 of the above deserves")
    assert any(line.startswith("workspace") for line in told)


def test_a_gripper_that_never_moves_is_told_so(tmp_path):
    assert any("0.30 throughout" in line for line in listed(tmp_path, opening=(0.3, 0.3)))
