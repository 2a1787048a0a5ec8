import pytest

from glam.evaluation.comparison import PairedComparison, SuccessComparison
from glam.evaluation.statistics import newcombe, newcombe_lower, wilson
from results.trials import Trials, best, comparison, in_words, of_method, verdict


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
    assert found.rate == wilson(340, 400)
    assert found.rates == (0.9, 0.8)
    assert found.percent == "85.0 % [81.2, 88.2]"
    assert found.spread == "mean 85.0, deviation 7.1"
    assert found.failures == "grasp 15, place 15, reach 15, release 15"


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
    assert found.difference == newcombe(340, 400, 260, 400)
    assert found.at_least == newcombe_lower(340, 400, 260, 400)


def test_other_scenes_are_not(record):
    found = comparison("lift", of_method(record, "lift", "glam-o"), of_method(record, "lift", "lapa"))
    assert type(found) is SuccessComparison


def test_a_sentence_does_not_name_the_task_again(record):
    words = in_words("lift", of_method(record, "lift", "glam-o"), of_method(record, "lift", "mip"))
    assert words.startswith("glam-o is better than mip: +20.0 points")


def test_the_best_is_looked_for_among_those_that_were_run(record):
    methods = [of_method(record, "lift", name) for name in ("clam", "mip", "glam-o", "lapa")]
    assert best(methods).name == "glam-o"


def test_only_trainings_that_both_have_are_compared(record):
    """glam-o has two, of which lapa has the first: 180 of 200, not 340 of 400."""
    found = comparison("lift", of_method(record, "lift", "glam-o"), of_method(record, "lift", "lapa"))
    assert found.difference == newcombe(180, 200, 40, 200)


def trained(*successes):
    outcomes = {seed: (0, "1" * count + "0" * (200 - count)) for seed, count in enumerate(successes)}
    return Trials("a", len(successes), sum(successes), 200 * len(successes), outcomes)


@pytest.mark.parametrize(
    ("ours", "theirs", "words"),
    [
        ((180, 181, 182), (100, 101, 102), "significantly better"),
        ((100, 101, 102), (180, 181, 182), "significantly worse"),
        ((180,), (100,), "significantly better (one training each)"),
        ((180, 100), (180,), "not statistically significant"),
        ((110, 111), (108, 112), "not statistically significant"),
        (
            (199, 160, 180),
            (165, 130, 170),
            "significantly better in these trainings; over trainings +12.3 [-11.2, +35.9]",
        ),
    ],
)
def test_significance_is_told_in_words_of_trials_and_of_trainings(ours, theirs, words):
    assert verdict(trained(*ours), trained(*theirs)) == words


def test_one_training_has_no_spread_and_no_failure_is_none():
    found = Trials("a", 1, 5, 5, {0: (7, "11111")})
    assert found.spread == "one training"
    assert found.failures == "none"
