import numpy as np
import pytest

from glam.reports.films import encode_film, png
from glam.reports.markup import Html, element
from glam.reports.page import (
    beside,
    card,
    contents,
    facts,
    film,
    folded,
    grid,
    image,
    named_section,
    note,
    page,
    play_all,
    section,
    table,
    trio,
    write_page,
)

FRAMES = np.zeros((4, 16, 16, 3), np.uint8)


def test_a_page_is_one_file_that_may_load_nothing():
    text = page("Title", "Lead.", section("Part", note("Body.")))
    assert text.startswith("<!DOCTYPE html>")
    assert "default-src 'none'" in text.replace("&#x27;", "'")
    assert "http" not in text.replace("http-equiv", "")


def test_a_page_follows_light_and_dark_and_fits_a_phone():
    text = page("Title", "Lead.")
    assert "prefers-color-scheme: dark" in text
    assert 'name="viewport"' in text


def test_titles_and_cells_are_escaped():
    text = page("<script>", "a & b", table(["<th>"], [["<td>"]]), facts({"<name>": "<value>"}))
    assert "<title>&lt;script&gt;</title>" in text
    assert "&lt;td&gt;" in text
    assert "&lt;value&gt;" in text


def test_numbers_in_a_table_are_aligned_on_the_right():
    text = table(["name", "count"], [["a", 1], ["b", 2.5]])
    assert '<td class="text">a</td><td class="number">1</td>' in text
    assert '<th scope="col" class="number">count</th>' in text


def test_a_film_waits_to_be_played():
    text = film(encode_film(FRAMES, 10), "a film")
    for attribute in ("controls", "muted", "loop", "playsinline", 'preload="metadata"', 'aria-label="a film"'):
        assert f" {attribute}" in text
    assert "autoplay" not in text
    assert 'src="data:video/mp4;base64,' in text


def test_a_image_says_what_it_shows():
    assert image(png(FRAMES[0]), "a <cube>").endswith(' alt="a &lt;cube&gt;">')


def test_long_things_can_be_folded():
    assert folded("two", "a, b") == "<details><summary>two</summary>a, b</details>"


def test_boxes_hold_what_they_are_given():
    inner = element("b", "x")
    assert card(inner) == '<div class="card"><b>x</b></div>'
    assert card(inner, title="t") == '<div class="card"><h3>t</h3><b>x</b></div>'
    assert trio(inner) == '<div class="grid trio"><b>x</b></div>'
    assert grid(inner, inner) == '<div class="grid"><b>x</b><b>x</b></div>'
    assert beside(inner, inner, wider="first").startswith('<div class="beside wider-first">')


def test_contents_link_to_the_named_sections():
    assert contents(["Where it fails"]).count('href="#where-it-fails"') == 1
    assert named_section("Where it fails", element("b", "x")) == (
        '<section id="where-it-fails"><h2>Where it fails</h2><b>x</b></section>'
    )


def test_characters_that_cannot_be_written_do_not_stop_the_page(tmp_path):
    write_page(tmp_path / "page.html", "broken \udc80 name", "Lead.")
    assert "broken ? name" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    "intruder",
    ['<img src="https://example.org/x.png">', '<link rel="stylesheet" href="https://example.org/x.css">'],
)
def test_the_browser_refuses_to_load_anything_else(browser, tmp_path, intruder):
    write_page(tmp_path / "page.html", "Title", "Lead.", Html(intruder))
    browser.open(tmp_path / "page.html")
    assert any("Content Security Policy" in str(complaint) for complaint in browser.complaints())


def test_films_are_not_even_decoded_before_someone_asks(browser, tmp_path):
    shown = film(encode_film(np.random.default_rng(0).integers(0, 255, (60, 64, 64, 3), np.uint8), 10), "noise")
    write_page(tmp_path / "page.html", "Title", "Lead.", play_all(), grid(*[shown] * 48))
    browser.open(tmp_path / "page.html", height=800)
    assert browser.run("[...document.querySelectorAll('video')].filter(film => !film.paused).length") == 0
    assert browser.run("[...document.querySelectorAll('video')].filter(film => film.preload === 'auto').length") == 0


def test_a_link_into_something_folded_opens_it(browser, tmp_path):
    inside = folded("more", element("p", "hidden", id="deep"))
    write_page(tmp_path / "page.html", "Title", "Lead.", element("a", "there", href="#deep"), folded("all", inside))
    browser.open(tmp_path / "page.html")
    is_seen = "document.getElementById('deep').checkVisibility()"
    assert browser.run(is_seen) is False
    browser.run("document.querySelector('a').click()")
    browser.run("new Promise(done => setTimeout(done, 100))")
    assert browser.run(is_seen) is True


def test_controls_show_where_someone_points(browser, tmp_path):
    write_page(tmp_path / "page.html", "Title", "Lead.", film(encode_film(FRAMES, 10), "a film"))
    browser.open(tmp_path / "page.html")
    state = "[document.querySelector('video').controls, document.querySelector('.film').className]"
    assert browser.run(state) == [False, "film resting"]
    browser.run("document.querySelector('video').dispatchEvent(new PointerEvent('pointerenter'))")
    browser.run("document.querySelector('video').play()")
    assert browser.run(state) == [True, "film"]
