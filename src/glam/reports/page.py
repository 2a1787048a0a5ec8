"""The one template of our pages, and its building blocks.

A page is a single file: style, script, images and films are inside it, and its content security policy forbids the
browser to fetch anything else. Colours follow the reader's light or dark setting; the layout fits a phone.
"""

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from glam.core.files import write_bytes
from glam.reports.charts import chart_styles
from glam.reports.films import EncodedFilm
from glam.reports.markup import Html, element

_ASSETS = Path(__file__).parent / "assets"
_POLICY = (
    "default-src 'none'; img-src data:; media-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline';"
    " base-uri 'none'; form-action 'none'"
)


def write_page(out: Path, title: str, lead: str, *body: Html) -> None:
    """Write a whole page to `out`."""
    # A name on disk may hold characters that UTF-8 cannot carry: they are shown as question marks.
    write_bytes(out, page(title, lead, *body).encode("utf-8", errors="replace"))


def page(title: str, lead: str, *body: Html) -> str:
    """The text of a whole page: a heading, one sentence under it, and the body."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("link", rel="icon", href="data:,"),
        element("style", Html(styles())),
        element("script", Html((_ASSETS / "page.js").read_text(encoding="utf-8"))),
    )
    heading = element("header", element("h1", title), element("p", lead, class_="lead"))
    footer = element("footer", "Made with GLAM. This page is one file and loads nothing from the network.")
    content = element("body", heading, element("main", *body), footer)
    return "<!DOCTYPE html>\n" + element("html", head, content, lang="en") + "\n"


def styles() -> str:
    """The style of every page, charts included."""
    return (_ASSETS / "page.css").read_text(encoding="utf-8") + chart_styles()


def section(title: str, *body: Html) -> Html:
    """A titled part of a page."""
    return element("section", element("h2", title), *body)


def named_section(title: str, *body: Html) -> Html:
    """A titled part of a page that `contents` links to."""
    return element("section", element("h2", title), *body, id=_anchor(title))


def contents(titles: Sequence[str]) -> Html:
    """Links to the named sections of a page."""
    return element("nav", *(element("a", title, href=f"#{_anchor(title)}") for title in titles), aria_label="contents")


def card(*body: Html, title: str = "") -> Html:
    """A framed box."""
    return element("div", *([element("h3", title)] if title else []), *body, class_="card")


def grid(*parts: Html) -> Html:
    """Parts side by side, as many as fit."""
    return element("div", *parts, class_="grid")


def trio(*parts: Html) -> Html:
    """Up to three parts side by side, larger than in a grid."""
    return element("div", *parts, class_="grid trio")


def beside(first: Html, second: Html, wider: Literal["first", "second"]) -> Html:
    """Two parts side by side on a wide screen, one above the other on a narrow one."""
    return element("div", first, second, class_=f"beside wider-{wider}")


def note(text: str) -> Html:
    """A remark in small print."""
    return element("p", text, class_="note")


def folded(summary: str, *body: object) -> Html:
    """Something long behind a short line that opens it."""
    return element("details", element("summary", summary), *body)


def facts(rows: Mapping[str, object]) -> Html:
    """Name and value pairs."""
    cells = [element("tr", element("th", name, scope="row"), element("td", value)) for name, value in rows.items()]
    return element("table", element("tbody", *cells), class_="facts")


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Html:
    """A table with a heading row; numbers are aligned on the right, and a wide table scrolls inside its box."""
    numeric = [bool(rows) and all(isinstance(row[index], int | float) for row in rows) for index in range(len(columns))]
    kinds = ["number" if is_number else "text" for is_number in numeric]
    heads = [element("th", name, scope="col", class_=kind) for name, kind in zip(columns, kinds, strict=True)]
    lines = [
        element("tr", *(element("td", cell, class_=kind) for cell, kind in zip(row, kinds, strict=True)))
        for row in rows
    ]
    whole = element("table", element("thead", element("tr", *heads)), element("tbody", *lines))
    return element("div", whole, class_="scroll", tabindex=0, role="region", aria_label="table")


def film(shown: EncodedFilm, caption: str) -> Html:
    """A film with controls. It does not play by itself: many on one page must not make it slow."""
    screen = element(
        "video",
        src=_data_uri("video/mp4", shown.mp4), poster=_data_uri("image/png", shown.poster),
        width=shown.width, height=shown.height, aria_label=caption,
        controls=True, muted=True, loop=True, playsinline=True, preload="metadata",
    )  # fmt: skip
    return element("figure", screen, element("figcaption", caption, class_="note"), class_="film")


def play_all() -> Html:
    """A button that starts every visible film; hidden where scripts do not run."""
    return element("button", "Play all films", type_="button", class_="films-all", hidden=True)


def image(png: bytes, description: str) -> Html:
    """An image."""
    return element("img", src=_data_uri("image/png", png), alt=description)


def _anchor(title: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in title.lower())


def _data_uri(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
