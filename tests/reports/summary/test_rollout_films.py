from pathlib import Path

import pytest
from tests.reports.summary.folders import evaluation, filmed, lineage, replayed

from glam.core.errors import GlamError
from glam.reports.markup import joined
from glam.reports.summary.page import BUDGET, chosen, variant_films
from glam.reports.summary.variants import task_comparisons

OUTCOMES = [True, False] * 4


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    root = tmp_path_factory.mktemp("films")
    given = [filmed(root / name, evaluation(OUTCOMES, lineage(name))) for name in ("mip", "glam-o")]
    return task_comparisons(given)


def test_all_films_are_shown_while_they_fit(found, tmp_path):
    replay = replayed(tmp_path)
    films = chosen(found, [replay])
    assert len(films) == 13
    assert replay.films[0] in films
    assert all(film.mp4 == path.read_bytes() for path, film in films.items())


def test_a_page_carries_no_more_than_its_budget(found):
    sizes = {path: len(film.mp4) for path, film in chosen(found, []).items()}
    for budget in (sum(sizes.values()) - 1, 2000, 0):
        films = chosen(found, [], budget)
        assert sum(len(film.mp4) for film in films.values()) <= budget
        assert all(film.width == 32 for film in films.values())  # half of what they were
    assert BUDGET * 4 / 3 < 19e6


def test_films_that_do_not_fit_leave_out_the_last_of_each_method_first(found):
    half = sum(len(film.mp4) for film in chosen(found, [], 10**9 - 1).values()) // 5
    methods = [path.parent.name for path in chosen(found, [], half)]
    assert 0 < len(methods) < 12
    assert abs(methods.count("mip") - methods.count("glam-o")) <= 1


def test_all_methods_are_shown_in_the_same_scenes(found):
    text = joined(variant_films(found[0], chosen(found, [])))
    assert text.count("<video") == 12
    fifth = text.split("<h3>")[5]
    assert fifth.startswith("The same scene, number 5</h3>")
    assert "glam-o succeeds in 64 steps." in fifth
    assert "mip succeeds in 64 steps." in fifth
    assert "more films" not in text


def test_a_single_method_has_its_films_by_scene_successes_first(tmp_path):
    alone = task_comparisons([filmed(tmp_path, evaluation(OUTCOMES))])
    text = joined(variant_films(alone[0], chosen(alone, [])))
    assert text.index("Scene 5: succeeds in 64 steps.") < text.index("Scene 2: fails to place.")
    assert "The same scene" not in text


def test_films_left_out_are_counted(found):
    text = joined(variant_films(found[0], {}))
    assert "12 more films" in text
    assert "<video" not in text


def test_trainings_of_one_method_take_turns(tmp_path):
    given = [filmed(tmp_path / str(seed), evaluation(OUTCOMES, lineage("mip", seed))) for seed in (0, 1)]
    paths = list(chosen(task_comparisons(given), []))
    assert [path.parent.name for path in paths] == ["0", "0", "1", "1", "0", "0"]
    assert [path.stem.split("-")[1] for path in paths] == ["success", "failed"] * 3


def test_a_damaged_film_is_named(tmp_path):
    one = filmed(tmp_path, evaluation(OUTCOMES))
    one.films[0].path.write_bytes(b"x")
    with pytest.raises(GlamError, match=r"50000000-success\.mp4"):
        chosen(task_comparisons([one]), [])


def test_no_films_are_no_trouble():
    found = task_comparisons([evaluation(OUTCOMES, root=Path("eval"))])
    assert chosen(found, []) == {}
    assert list(variant_films(found[0], {})) == []
