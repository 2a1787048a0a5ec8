import pytest

from glam.evaluation.comparison import PairedComparison, SuccessComparison
from glam.evaluation.statistics import newcombe, newcombe_lower, wilson
from glam.evaluation.trainings import difference_over_trainings, rate_over_trainings
from results.trials import Trials, best, comparison, difference_of_trials, in_words, of_method, verdict


@pytest.fixture
def record(grid, made, read):
    main = grid("main")
    for seed, successes in ((0, 180), (1, 160)):
        main.cell("evaluation", ("lift", "glam-o", seed, ""), {"kinova": 100}, made.trials(successes))
        main.cell("evaluation", ("lift", "mip", seed, ""), {"kinova": 100}, made.trials(successes - 40))
    main.cell("evaluation", ("lift", "glam-o", 2, ""), {"kinova": 100})
    main.cell("evaluation", ("lift", "glam-o", 0, "otherwise"), {"kinova": 100}, made.trials(7))
    main.cell("evaluation", ("lift", "lapa", 0, ""), {"kinova": 100}, made.trials(40, first_seed=60_000_000))
    main.cell("evaluation", ("lift", "clam", 0, ""), {"kinova": 100})
    return read(main).grid("main")


def test_trainings_are_pooled_and_those_that_are_missing_counted(record):
    found = of_method(record, "lift", "glam-o")
    assert (found.successes, found.episodes, found.planned) == (340, 400, 3)
    assert found.rate_of_trials == wilson(340, 400)
    assert found.rates == (0.9, 0.8)
    assert found.spread == "mean 85.0, deviation 7.1"
    assert found.failures == "grasp 15, place 15, reach 15, release 15"


def test_the_interval_over_trainings_decides_where_there_are_several(record):
    found = of_method(record, "lift", "glam-o")
    (table,) = found.table
    assert table.shape == (2, 200)
    assert found.rate == rate_over_trainings(table)
    assert found.rate.low < found.rate_of_trials.low
    assert found.percent.startswith("85.0 % [")


def test_a_single_training_has_the_interval_of_its_trials(record):
    found = of_method(record, "lift", "lapa")
    assert found.table == ()
    assert found.rate == found.rate_of_trials == wilson(40, 200)
    assert found.spread == "one training: spread of trainings unknown"


def test_other_details_are_other_cells(record):
    assert of_method(record, "lift", "glam-o", "otherwise").successes == 7


def test_what_was_not_run_has_nothing_to_tell(record):
    found = of_method(record, "lift", "clam")
    assert not found.is_run
    assert found.planned == 1
    assert of_method(record, "juggle", "clam").planned == 0


def test_the_same_scenes_are_compared_in_pairs(record):
    found = comparison("lift", of_method(record, "lift", "glam-o"), of_method(record, "lift", "mip"))
    assert isinstance(found, PairedComparison)
    assert (found.gained, found.lost) == (80, 0)
    sides = [of_method(record, "lift", name) for name in ("glam-o", "mip")]
    tables = [side.table[0] for side in sides]
    assert found.difference == difference_over_trainings(*tables)
    assert found.at_least == difference_over_trainings(*tables, confidence=0.9).low
    assert difference_of_trials(*sides) == newcombe(340, 400, 260, 400)


def test_other_scenes_are_not(record):
    found = comparison("lift", of_method(record, "lift", "glam-o"), of_method(record, "lift", "lapa"))
    assert type(found) is SuccessComparison


def test_a_sentence_does_not_name_the_task_again(record):
    words = in_words("lift", of_method(record, "lift", "glam-o"), of_method(record, "lift", "mip"))
    assert words.startswith("no significant difference between glam-o and mip: +20.0 points")
    assert words.endswith("; over 2 trainings each")
    one = in_words("lift", of_method(record, "lift", "glam-o"), of_method(record, "lift", "lapa"))
    assert one.endswith("; one training: spread of trainings unknown")


def test_the_best_is_looked_for_among_those_that_were_run(record):
    methods = [of_method(record, "lift", name) for name in ("clam", "mip", "glam-o", "lapa")]
    assert best(methods).name == "glam-o"


def test_only_trainings_that_both_have_are_compared(record):
    """glam-o has two, of which lapa has the first: 180 of 200, not 340 of 400."""
    found = comparison("lift", of_method(record, "lift", "glam-o"), of_method(record, "lift", "lapa"))
    assert found.difference == newcombe(180, 200, 40, 200)
    assert found.at_least == newcombe_lower(180, 200, 40, 200)


def trained(*successes):
    outcomes = {seed: (0, "1" * count + "0" * (200 - count)) for seed, count in enumerate(successes)}
    return Trials("a", len(successes), sum(successes), 200 * len(successes), outcomes)


UNKNOWN = "(one training: spread of trainings unknown)"


@pytest.mark.parametrize(
    ("ours", "theirs", "words"),
    [
        ((180, 181, 182), (100, 101, 102), "significantly better (over 3 trainings each)"),
        ((100, 101, 102), (180, 181, 182), "significantly worse (over 3 trainings each)"),
        ((180,), (100,), f"significantly better {UNKNOWN}"),
        ((180, 100), (180,), f"not statistically significant {UNKNOWN}"),
        ((110, 111), (108, 112), "not statistically significant (over 2 trainings each)"),
        ((199, 160, 180), (165, 130, 170), "not statistically significant (over 3 trainings each)"),
    ],
)
def test_significance_is_told_with_what_it_rests_on(ours, theirs, words):
    assert verdict(trained(*ours), trained(*theirs)) == words


def test_one_training_has_no_spread_and_no_failure_is_none():
    found = Trials("a", 1, 5, 5, {0: (7, "11111")})
    assert found.spread == "one training: spread of trainings unknown"
    assert found.failures == "none"
