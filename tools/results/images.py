"""Charts of a page as one SVG image that stands for itself: what documents on other sites can show.

The charts are laid out in columns, each under its caption and above its legend. Colours follow the reader's light or
dark setting, as on our pages; the background is drawn, so that the image can be read on any page.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from glam.reports.markup import Html
from glam.reports.page import styles

FOLDER = "images/results"
"""Below `docs`."""
CHART, GAP, CAPTION, LINE = 320, 24, 24, 18
"""Width of a chart, space between charts, height of a caption and of a line of the legend."""
_LETTER = 6.6
"""Width of a letter of the legend."""
_NEEDED = (".chart", ".whisker", ".each", ".printed", ".range", ".interval", ".zero", ".part", ".stage", ".line",
           ".marks", ".dot", ".fill", ".stroke")  # fmt: skip
_LAYOUT = re.compile(r"\.chart( > svg)? \{")


@dataclass(frozen=True)
class DocumentImage:
    """A file below `docs`."""

    name: str
    words: str
    """For those who do not see it."""
    content: bytes

    @property
    def link(self) -> str:
        """As a document in `docs` names it."""
        return f"{FOLDER}/{self.name}"


@dataclass(frozen=True)
class _Part:
    """A chart with its caption and its legend."""

    caption: str
    svg: ET.Element
    legend: tuple[tuple[ET.Element, str], ...]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the drawing."""
        _, _, width, height = map(float, str(self.svg.get("viewBox")).split())
        return CHART, height * CHART / width

    @property
    def height(self) -> float:
        """With caption and legend."""
        return CAPTION + self.size[1] + LINE * len(self.lines) + GAP

    @property
    def lines(self) -> list[list[tuple[ET.Element, str]]]:
        """Entries of the legend, line by line."""
        lines: list[list[tuple[ET.Element, str]]] = []
        room = 0.0
        for entry in self.legend:
            width = _width(entry[1])
            if width > room or not lines:
                lines.append([])
                room = CHART
            lines[-1].append(entry)
            room -= width
        return lines


def svg_image(name: str, words: str, charts: Sequence[Html], columns: int = 2) -> DocumentImage:
    """Some charts as one image."""
    parts = [_part(chart) for chart in charts]
    rows = [parts[first : first + columns] for first in range(0, len(parts), columns)]
    height = GAP + sum(max(part.height for part in row) for row in rows)
    width = GAP + (CHART + GAP) * min(columns, len(parts))
    drawn, top = list[str](), float(GAP)
    for row in rows:
        for column, part in enumerate(row):
            drawn += _drawn(part, GAP + column * (CHART + GAP), top)
        top += max(part.height for part in row)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:.0f}" width="{width}" '
        f'height="{height:.0f}" role="img">',
        f"<title>{escape(words)}</title>",
        f"<style>{_styles()}</style>",
        f'<rect width="{width}" height="{height:.0f}" rx="8" class="ground"/>',
        '<g class="chart">',
        *drawn,
        "</g>",
        "</svg>",
    ]
    return DocumentImage(f"{name}.svg", words, ("\n".join(lines) + "\n").encode())


def _part(chart: Html) -> _Part:
    figure = ET.fromstring(chart)
    svg, caption = figure.find("svg"), figure.findtext("figcaption") or ""
    assert svg is not None, chart
    title = svg.find("title")
    if title is not None:
        svg.remove(title)  # the caption says the same
    entries = figure.findall("ul/li")
    legend = [(mark, entry.findtext("span") or "") for entry in entries for mark in entry.findall("svg")]
    return _Part(caption, svg, tuple(legend))


def _drawn(part: _Part, left: float, top: float) -> Iterator[str]:
    width, height = part.size
    yield f'<text x="{left:g}" y="{top + 14:g}" class="caption">{escape(part.caption)}</text>'
    yield _placed(part.svg, left, top + CAPTION, width, height)
    line_top = top + CAPTION + height
    for number, line in enumerate(part.lines):
        yield from _legend_line(line, left, line_top + LINE * number)


def _legend_line(line: Sequence[tuple[ET.Element, str]], left: float, top: float) -> Iterator[str]:
    for mark, name in line:
        width = float(mark.get("width", 24))
        yield _placed(mark, left, top + 3, width, 10)
        yield f'<text x="{left + width + 6:g}" y="{top + 12:g}" class="entry">{escape(name)}</text>'
        left += _width(name)


def _width(name: str) -> float:
    """Of an entry of the legend."""
    return 44 + _LETTER * len(name)


def _placed(svg: ET.Element, left: float, top: float, width: float, height: float) -> str:
    for key, value in {"x": left, "y": top, "width": width, "height": height}.items():
        svg.set(key, f"{value:g}")
    for key in ("role", "aria-label", "aria-hidden"):
        svg.attrib.pop(key, None)
    return ET.tostring(svg, encoding="unicode")


def _styles() -> str:
    """The rules of our pages that charts need."""
    head, _, rest = styles().partition("* {")
    rules = [line for line in rest.replace("}.", "}\n.").splitlines() if line.startswith(_NEEDED)]
    kept = "".join(line for line in rules if not _LAYOUT.match(line))
    return (
        f"{' '.join(head.split())}"
        "svg{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}"
        f".ground{{fill:var(--card)}}{kept}.chart .caption{{font-size:14px;font-weight:600;fill:var(--ink)}}"
        ".chart .entry{font-size:12px;fill:var(--ink)}"
    )
