import numpy as np
import pytest

from results.document import Figures, Table, Words
from results.smoothness import mean, smoothness
from results.trials import Trials


def scores(values):
    return {"smoothness": {"jerk": float(np.mean(values)), "jerk_deviation": float(np.std(values, ddof=1)),
                           "movements": float(len(values))}}  # fmt: skip


def test_means_of_several_trainings_are_those_of_all_movements():
    parts = np.random.default_rng(0).normal(-12.0, 2.0, 400), np.random.default_rng(1).normal(-14.0, 1.0, 300)
    (found,) = mean(Trials("a", 2, results=tuple(map(scores, parts))), "jerk", "smoothness")
    every = np.concatenate(parts)
    assert found.estimate == pytest.approx(every.mean())
    assert found.high - found.estimate == pytest.approx(1.96 * every.std() / 700**0.5, rel=0.01)


def test_without_movements_there_is_no_mean():
    assert mean(Trials("a", 1, results=({"smoothness": {}},)), "jerk", "smoothness") == ()
    assert mean(Trials("a", 1), "jerk", "smoothness") == ()


def test_the_section_shows_scores_joints_and_how_far_from_the_expert(records):
    blocks = smoothness(records).blocks
    figures = [block for block in blocks if isinstance(block, Figures)]
    tables = [block for block in blocks if isinstance(block, Table)]
    assert [len(one.drawn) for one in figures] == [2, 3, 3]  # scores, joints on their own, joints along
    assert [one.is_folded for one in figures] == [False, False, True]
    assert blocks[1].text == (
        "Here: in successes, with 100 labels: Jerk score -13.62 of mip and -12.30 of glam-o (log dimensionless jerk); "
        "FFT score 10.00 of mip and 10.00 of glam-o (mm/s)."
    )
    assert figures[1].title.endswith("300000: glam-o succeeds, mip fails")
    assert all("expert" in drawn and "glam-o" in drawn and "mip" in drawn for drawn in figures[1].drawn)
    assert tables[0].rows[0][1] == "-13.62 [-13.76, -13.48]"
    assert tables[0].rows[1][-1] == "not run"
    assert tables[2].rows[1:] == (("glam-o", "2.50", "0.400"), ("mip", "2.50", "0.400"))


def test_missing_trajectories_are_told(read, grid, made):
    grown = grid("smoothness")
    grown.cell("evaluation", ("stack-two", "mip", 0, "100 kinova"), {"kinova": 100}, made.trials(100))
    grown.cell("trajectories", ("stack-two", "glam-o", 0, "joint trajectories beside mip"), {})
    assert Words("Joint trajectories: not run.") in smoothness(read(grown)).blocks
