from pathlib import Path

from tests.reports.summary.folders import replayed

from glam.reports.films import read_film
from glam.reports.markup import joined
from glam.reports.summary.trainings import replay_parts


def test_a_replay_is_a_row_of_medians_with_an_interval(tmp_path: Path) -> None:
    text = joined(replay_parts([replayed(tmp_path)], {}))
    cells = ["umi on kinova", "stack-two", "19 of 20", "76.4 to 99.1 %", "5.1", "9.1", "1.4", "97 %"]
    for cell in cells:
        assert f">{cell}</td>" in text
    assert "<video" not in text


def test_films_are_shown_by_episode(tmp_path: Path) -> None:
    run = replayed(tmp_path, films=2)
    text = joined(replay_parts([run], {path: read_film(path) for path in run.films}))
    assert text.count("<video") == 2
    assert "Episode 1: recording above, robot below." in text
    assert "<h3>umi on kinova</h3>" in text
