from dataclasses import replace
from pathlib import Path

import pytest
from tests.evaluation.episodes import run

from glam.core.configs import to_json
from glam.core.errors import GlamError
from glam.evaluation.comparison import PairedComparison, compare, compare_runs
from glam.evaluation.evaluations import write_evaluation

NAMES = ("glam-o", "mip")


def outcomes(successes: int, trials: int) -> list[bool]:
    return [True] * successes + [False] * (trials - successes)


def test_newcombes_example_is_decided() -> None:
    verdict = compare(run(outcomes(56, 70)), run(outcomes(48, 80), "mip"), NAMES)
    assert verdict.sentence == (
        "stack-two: glam-o is better than mip: +20.0 points, 95 % interval +5.2 to +33.4 (glam-o 56/70, mip 48/80)"
    )
    assert verdict.at_least == pytest.approx(0.0768, abs=1e-3)
    assert not isinstance(verdict, PairedComparison)


def test_a_worse_first_run_makes_the_second_one_better() -> None:
    verdict = compare(run(outcomes(48, 80), "mip"), run(outcomes(56, 70)), ("mip", "glam-o"))
    assert verdict.sentence.startswith(
        "stack-two: glam-o is better than mip: +20.0 points, 95 % interval +5.2 to +33.4"
    )


def test_a_small_difference_is_not_decided() -> None:
    verdict = compare(run(outcomes(16, 20)), run(outcomes(14, 21), "mip"), NAMES)
    assert verdict.sentence.startswith(
        "stack-two: no significant difference between glam-o and mip: +13.3 points, 95 % interval -"
    )


def test_runs_on_the_same_scenes_are_paired() -> None:
    a, b = [True, True, True, False], [True, False, False, True]
    verdict = compare(run(a), run(b, "mip")[::-1], NAMES)
    assert isinstance(verdict, PairedComparison)
    assert (verdict.gained, verdict.lost) == (2, 1)
    assert verdict.sentence.endswith(
        "; in the same 4 scenes glam-o succeeds in 2 where mip fails, and fails in 1 where mip succeeds"
    )


def test_runs_on_other_scenes_are_not_paired() -> None:
    verdict = compare(run([True] * 4), run([False] * 4, "mip", start=5), NAMES)
    assert not isinstance(verdict, PairedComparison)


def test_several_trainings_are_pooled_and_paired() -> None:
    a = [*run([True, True], seed=3), *run([True, False], seed=8)]
    b = [*run([False, True], "mip", seed=0), *run([False, False], "mip", seed=1)]
    verdict = compare(a, b, NAMES)
    assert (verdict.a.successes, verdict.a.trials) == (3, 4)
    assert isinstance(verdict, PairedComparison)
    assert (verdict.gained, verdict.lost) == (2, 0)


def test_folders_are_compared_by_method_or_by_name_when_the_methods_are_the_same(tmp_path: Path) -> None:
    write_evaluation(tmp_path / "a", run([True] * 30))
    write_evaluation(tmp_path / "b", run([False] * 30, "mip"))
    write_evaluation(tmp_path / "c", run([False] * 30))
    assert "glam-o is better than mip" in compare_runs(tmp_path / "a", tmp_path / "b").sentence
    assert f"{tmp_path / 'a'} is better than {tmp_path / 'c'}" in compare_runs(tmp_path / "a", tmp_path / "c").sentence


def test_a_verdict_can_be_written_as_json() -> None:
    written = to_json(compare(run([True, False]), run([False, False], "mip"), NAMES))
    assert written["difference"]["estimate"] == 0.5
    assert written["gained"] == 1


def test_different_tasks_mixed_methods_and_mixed_embodiments_are_refused(tmp_path: Path) -> None:
    lift = [replace(record, task="lift") for record in run([True], "mip")]
    with pytest.raises(GlamError, match="glam-o did stack-two and mip did lift; compare evaluations of one task"):
        compare(run([True]), lift, NAMES)
    with pytest.raises(GlamError, match="no records"):
        compare([], lift, NAMES)
    bodies = [*run([True]), replace(run([True])[0], embodiment="kinova-lab")]
    with pytest.raises(GlamError, match="exactly one embodiment; got kinova, kinova-lab"):
        compare(bodies, run([True], "mip"), NAMES)
    write_evaluation(tmp_path, [*run([True]), *run([True], "mip")])
    with pytest.raises(GlamError, match="exactly one method; got glam-o, mip"):
        compare_runs(tmp_path, tmp_path)
