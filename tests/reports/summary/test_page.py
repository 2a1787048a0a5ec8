from dataclasses import replace
from pathlib import Path

import pytest
from tests.reports.summary.folders import (
    LABELLED,
    UNLABELLED,
    evaluation,
    filmed,
    lineage,
    policy,
    replayed,
    world_model,
)

from glam.reports.summary.material import Material
from glam.reports.summary.page import write_report

PLAY = """
Promise.all([...document.querySelectorAll('video')].map(film => film.play().then(() => new Promise(done => {
  const callbacks = setInterval(() => { if (film.currentTime > 0.2) { clearInterval(callbacks); done(
    film.readyState >= 2 && film.videoWidth > 0 && film.error === null); } }, 20);
}))))"""
OUTCOMES = [True, True, False] * 20


def written(out: Path, material: Material) -> str:
    write_report(out, material)
    return out.read_text()


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("report")
    both = (LABELLED, UNLABELLED)
    behind = [lineage("glam-o", seed, both) for seed in (0, 1)] + [lineage("mip <i>")]
    given = [filmed(root / f"eval {one.digest}", evaluation(OUTCOMES, one), 1) for one in behind]
    material = Material(
        tuple(given), tuple(policy(one) for one in behind), (world_model(),), (replayed(root / "replay"),)
    )
    write_report(root / "page.html", material)
    return root / "page.html"


def test_the_page_answers_in_the_order_in_which_a_reader_asks(page: Path) -> None:
    text = page.read_text()
    parts = ["Results", "Films", "Replays", "World model glam-o", "Policies", "Behind the numbers"]
    order = ["<h1>stack-two by kinova</h1>", "no significant difference", *(f"<h2>{part}</h2>" for part in parts)]
    places = [text.index(words) for words in order]
    assert places == sorted(places)
    assert "3 evaluations, 3 policies, 1 world model, 1 replay; 180 rollouts." in text
    assert text.count('class="films-all"') == 1


def test_names_cannot_break_the_page(page: Path) -> None:
    assert "<i>" not in page.read_text()
    assert "mip &lt;i&gt;" in page.read_text()


def test_sections_are_called_by_task_when_there_are_several(tmp_path: Path) -> None:
    given = (evaluation(OUTCOMES), evaluation(OUTCOMES, task="lift", root=Path("b")))
    text = written(tmp_path / "page.html", Material(evaluations=given))
    assert "<h2>Results: lift by kinova</h2>" in text
    assert "<h2>Results: stack-two by kinova</h2>" in text
    assert "<h2>Policies</h2>" not in text
    assert "films-all" not in text.split("</head>")[1]


def test_other_scenes_of_one_task_have_titles_of_their_own(tmp_path: Path) -> None:
    given = (evaluation(OUTCOMES), replace(evaluation(OUTCOMES, root=Path("b")), first_seed=7))
    text = written(tmp_path / "page.html", Material(evaluations=given))
    assert "<h2>Results: stack-two by kinova, scenes from 7</h2>" in text


def test_a_page_can_be_about_trainings_alone(tmp_path: Path) -> None:
    models = (world_model(Path("a/run")), world_model(Path("b/run"), has_views=False))
    text = written(tmp_path / "page.html", Material(world_models=models))
    assert "<h1>Trainings</h1>" in text
    assert "2 world models." in text
    assert "<h2>World model glam-o (a/run)</h2>" in text


def test_equal_material_makes_equal_pages(page: Path, tmp_path: Path) -> None:
    material = Material(evaluations=(evaluation(OUTCOMES),), policies=(policy(lineage()),))
    assert written(tmp_path / "one.html", material) == written(tmp_path / "two.html", material)


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_has_nothing_to_complain_about(browser, page: Path, width: int, scheme: str) -> None:
    browser.open(page, width=width, scheme=scheme)
    assert browser.complaints() == []
    assert browser.requests() == []
    assert browser.run("document.documentElement.scrollWidth") <= width


def test_every_film_plays_in_a_browser(browser, page: Path) -> None:
    browser.open(page)
    assert browser.run(PLAY) == [True] * 7


def test_links_open_what_is_behind_the_numbers(browser, page: Path) -> None:
    browser.open(page)
    browser.run("document.querySelector('.behind a').click()")
    browser.run("new Promise(done => setTimeout(done, 100))")
    assert browser.run("[...document.querySelectorAll('.ledger > details')].filter(one => one.open).length") == 1


def test_text_of_charts_can_be_read_on_a_phone(browser, page: Path) -> None:
    browser.open(page, width=360)
    sizes = browser.run(
        "[...document.querySelectorAll('.rows .row-name')].map(one => one.getBoundingClientRect().height)"
    )
    assert min(sizes) > 10
    ends = browser.run("[...document.querySelectorAll('.rows text')].map(one => one.getBoundingClientRect().right)")
    assert max(ends) <= 360
