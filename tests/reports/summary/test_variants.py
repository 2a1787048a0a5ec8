from dataclasses import replace
from pathlib import Path

import pytest
from tests.reports.summary.folders import LABELLED, UNLABELLED, evaluation, lineage

from glam.core.errors import GlamError
from glam.evaluation.comparison import PairedComparison
from glam.evaluation.statistics import newcombe, wilson
from glam.reports.summary.variants import task_comparisons
from glam_client.action_chunking import ActionChunking

GOOD, POOR = [True] * 8 + [False] * 2, [True] * 3 + [False] * 7
FEW, MANY = (LABELLED,), (replace(LABELLED, episodes=500, digest="d1" * 32),)


def names(*evaluations):
    return [[variant.name for variant in compared.variants] for compared in task_comparisons(evaluations)]


def test_methods_on_the_same_scenes_are_compared_the_best_first():
    (compared,) = task_comparisons([evaluation(POOR), evaluation(GOOD, lineage("glam-o"), Path("b"))])
    assert (compared.task, compared.embodiment, compared.first_seed) == ("stack-two", "kinova", 50_000_000)
    assert [variant.name for variant in compared.variants] == ["glam-o", "mip"]
    assert [(variant.successes, len(variant.records)) for variant in compared.variants] == [(8, 10), (3, 10)]
    assert compared.variants[0].rate == wilson(8, 10)


def test_the_best_is_compared_with_each_other_as_glam_compare_would():
    given = [evaluation(POOR), evaluation(GOOD, lineage("glam-o"), Path("b"))]
    ((comparison,),) = [compared.comparisons for compared in task_comparisons(given)]
    assert isinstance(comparison, PairedComparison)
    assert comparison.difference == newcombe(8, 10, 3, 10)
    assert (comparison.gained, comparison.lost) == (5, 0)
    assert (comparison.a.name, comparison.b.name) == ("glam-o", "mip")


def test_trainings_that_differ_in_their_seed_are_one_arm():
    given = [
        evaluation(outcomes, lineage("mip", seed), Path(f"eval-{seed}")) for seed, outcomes in ((1, POOR), (0, GOOD))
    ]
    ((variant,),) = [compared.variants for compared in task_comparisons(given)]
    assert variant.rates == (0.8, 0.3)
    assert (variant.successes, len(variant.records)) == (11, 20)
    assert variant.digests == {"mip-0-1-100", "mip-1-1-100"}


def test_trainings_with_the_same_seed_are_still_two():
    twins = [replace(lineage(), digest=name) for name in ("one", "other")]
    ((variant,),) = [
        compared.variants for compared in task_comparisons([evaluation(GOOD, one, Path(one.digest)) for one in twins])
    ]
    assert variant.rates == (0.8, 0.8)
    assert {record.training_seed for record in variant.records} == {0, 1}


def test_other_tasks_and_other_scenes_are_other_comparisons():
    given = [evaluation(GOOD), evaluation(GOOD, task="lift"), replace(evaluation(GOOD), first_seed=7)]
    found = [(compared.task, compared.first_seed) for compared in task_comparisons(given)]
    assert found == [("lift", 50_000_000), ("stack-two", 7), ("stack-two", 50_000_000)]


def test_a_method_on_other_data_has_a_name_of_its_own_in_every_comparison():
    given = [
        evaluation(GOOD, lineage("mip", 0, data), Path(f"eval-{len(data)}-{data[0].episodes}")) for data in (FEW, MANY)
    ]
    elsewhere = evaluation(GOOD, lineage("mip", 0, FEW), Path("lift"), "lift")
    assert names(*given, elsewhere) == [["mip (100 labelled)"], ["mip (100 labelled)", "mip (500 labelled)"]]


def test_a_name_that_is_unlike_the_others_stays_short():
    assert names(evaluation(GOOD, lineage("glam-o", 0, (LABELLED, UNLABELLED))), evaluation(GOOD)) == [
        ["glam-o", "mip"]
    ]


def test_other_settings_are_told_apart():
    often = replace(evaluation(GOOD, root=Path("often")), chunking=ActionChunking(7))
    assert names(evaluation(GOOD), often) == [["mip (n_action_steps 5)", "mip (n_action_steps 7)"]]
    wider = replace(lineage(), recipe="wider", digest="wider")
    assert names(evaluation(GOOD), evaluation(GOOD, wider, Path("runs/wider"))) == [["mip (eval)", "mip (wider)"]]
    twin = evaluation(GOOD, wider, Path("other/eval"))
    assert names(evaluation(GOOD), twin) == [["mip (eval)", "mip (other/eval)"]]


def test_an_episode_is_not_counted_twice():
    with pytest.raises(GlamError, match="a and b: the same episodes of the same policy twice"):
        task_comparisons([evaluation(GOOD, root=Path("a")), evaluation(GOOD[:4], root=Path("b"))])


def test_the_order_in_which_folders_come_does_not_matter():
    given = [
        evaluation(GOOD, lineage(name, seed), Path(f"{name}-{seed}")) for name in ("mip", "glam-o") for seed in (0, 1)
    ]
    assert task_comparisons(given) == task_comparisons(given[::-1])
