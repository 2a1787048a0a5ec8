import re
from dataclasses import replace

import pytest
from tests.data import tiny

from glam.core.errors import GlamError
from glam.data.reader import Dataset
from glam.reports.data_view import object_styles, spread, write_data_view, write_sources_page

PLAYS = """
Promise.all([...document.querySelectorAll('video')].map(film => film.play().then(() => new Promise(done => {
  const callbacks = setInterval(() => { if (film.currentTime > 0.2) { clearInterval(callbacks); done([
    film.readyState >= 2, film.videoWidth, film.videoHeight, film.error === null]); } }, 20);
}))))
"""


@pytest.fixture(scope="module")
def page(target, tmp_path_factory):
    out = tmp_path_factory.mktemp("pages") / "view.html"
    write_data_view(Dataset.open(target), out, (0, 2))
    return out


def test_the_page_tells_what_the_set_is(page):
    text = page.read_text()
    for expected in (
        "lift",
        "kinova",
        "target (with robot state and actions)",
        "39 (12 to 14 per episode)",
        "glam 0.1.0",
    ):
        assert expected in text


def test_the_page_shows_the_chosen_episodes_with_film_and_curves(page):
    text = page.read_text()
    assert re.findall(r"<h3>Episode (\d+)", text) == ["0", "2"]
    assert text.count("<video") == 2
    assert text.count('class="chart"') == 1 + 2 * 6


def test_what_the_set_says_is_escaped(page):
    text = page.read_text()
    assert "Put the &lt;red&gt; cube &amp; the bowl together." in text
    assert "<red>" not in text
    assert "<title>a &lt;set&gt;</title>" in text


def test_a_set_without_masks_and_actions_is_shown_too(bare, tmp_path):
    write_data_view(Dataset.open(bare), tmp_path / "view.html", (1,))
    text = (tmp_path / "view.html").read_text()
    assert "auxiliary (images and poses only" in text
    assert text.count('class="chart"') == 1 + 4


@pytest.mark.parametrize("schema", [tiny.TARGET, tiny.AUXILIARY])
def test_a_set_without_poses_is_shown_without_their_curves(schema, tmp_path):
    tiny.record(tmp_path / "set", 2, replace(schema, has_pose=False, objects=()))
    write_data_view(Dataset.open(tmp_path / "set"), tmp_path / "view.html", (1,))
    text = (tmp_path / "view.html").read_text()
    assert "no end-effector pose" in text
    assert text.count('class="chart"') == 1 + (schema.role == "target")


def test_the_same_set_gives_the_same_page(target, page, tmp_path):
    write_data_view(Dataset.open(target), tmp_path / "again.html", (0, 2))
    assert (tmp_path / "again.html").read_bytes() == page.read_bytes()


def test_an_episode_that_is_not_there_is_a_clear_error(target, tmp_path):
    with pytest.raises(GlamError, match="no episode 3; it has 0 to 2"):
        write_data_view(Dataset.open(target), tmp_path / "view.html", (3,))


@pytest.mark.parametrize(("count", "expected"), [(1, (0,)), (2, (0, 2)), (3, (0, 1, 2)), (8, (0, 1, 2))])
def test_chosen_episodes_are_spread_over_the_set(target, count, expected):
    assert spread(Dataset.open(target), count) == expected


@pytest.mark.parametrize(
    ("objects", "expected"),
    [(("red", "green", "blue"), (0, 2, 1)), (("cube", "bowl"), (0, 1)), (("bottle", "red"), (1, 0)), ((), ())],
)
def test_an_object_called_by_a_colour_is_drawn_in_it(objects, expected):
    assert object_styles(objects) == expected


def test_every_film_plays_in_a_browser(browser, page):
    browser.open(page)
    assert browser.run(PLAYS) == [[True, 130, 130, True]] * 2


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_has_nothing_to_complain_about(browser, page, width, scheme):
    browser.open(page, width=width, scheme=scheme)
    assert browser.complaints() == []
    assert browser.requests() == []


def test_the_page_fits_a_phone(browser, page):
    browser.open(page, width=360)
    assert browser.run("document.documentElement.scrollWidth") <= 360


def test_the_button_starts_and_stops_the_visible_films(browser, page):
    browser.open(page, height=6000)
    playing = "[...document.querySelectorAll('video')].filter(film => !film.paused).length"
    click = "document.querySelector('.films-all').click()"
    wait = "new Promise(done => setTimeout(done, 200))"
    browser.run(f"{wait}.then(() => {click})")
    assert browser.run(f"{wait}.then(() => {playing})") == 2
    browser.run(click)
    assert browser.run(playing) == 0


def test_the_page_of_several_sets_names_every_set_and_shows_its_films(target, tmp_path):
    dataset = Dataset.open(target)
    write_sources_page([dataset, dataset], tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert text.count("<h2>") == 2
    assert text.count("<video") == 2 * min(3, len(dataset.episodes))
