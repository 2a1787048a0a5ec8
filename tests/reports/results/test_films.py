import numpy as np

from glam.reports.films import encode_film
from glam.reports.results.films import film_blocks
from glam.reports.results.record import Cell
from glam.reports.results.trials import Trials


def filmed(folder, seed, *, is_success):
    path = folder / f"{seed}-{'success' if is_success else 'failed-place'}.mp4"
    path.write_bytes(encode_film(np.zeros((3, 32, 64, 3), np.uint8), 10).mp4)
    return path


def test_a_method_is_shown_by_some_successes_and_some_failures(tmp_path):
    episodes = [filmed(tmp_path, seed, is_success=seed < 3) for seed in range(4)]
    cell = Cell("lift", "mip", 0, "", "evaluation", "mip-lift-1", (), {})
    (figures,) = film_blocks([Trials("mip", 1, cells=(cell,)), Trials("glam", 1)], {"mip-lift-1": episodes})
    assert figures.title == "Films of mip"
    assert len(figures.drawn) == 3  # two of three successes, and the failure
    assert "Configuration 3: fails to place." in figures.drawn[2]
    assert "Configuration 0: succeeds." in figures.drawn[0]
