import numpy as np

from glam.evaluation.evaluations import FilmedEpisode
from glam.evaluation.records import EpisodeRecord
from glam.reports.films import encode_film
from glam.reports.results.films import film_blocks
from glam.reports.results.record import Cell
from glam.reports.results.trials import Trials


def filmed(folder, seed, *, is_success):
    path = folder / f"{seed}.mp4"
    path.write_bytes(encode_film(np.zeros((3, 32, 64, 3), np.uint8), 10).mp4)
    stage, failure = ("none", "") if is_success else ("place", "beside")
    return FilmedEpisode(EpisodeRecord("lift", "mip", "kinova", 0, seed, is_success, 40, stage, failure, ()), path)


def test_a_method_is_shown_by_some_successes_and_some_failures(tmp_path):
    episodes = [filmed(tmp_path, seed, is_success=seed < 3) for seed in range(4)]
    cell = Cell("lift", "mip", 0, "", "evaluation", "mip-lift-1", (), {})
    (figures,) = film_blocks([Trials("mip", 1, cells=(cell,)), Trials("glam", 1)], {"mip-lift-1": episodes})
    assert figures.title == "Films of mip"
    assert len(figures.drawn) == 3  # two of three successes, and the failure
    assert "fails to place" in figures.drawn[2]
    assert "succeeds in 40 steps" in figures.drawn[0]
