"""Draw success by task and method from the records of `glam bench main`: `make images`.

    python tools/results_image.py docs/results/main.json docs/images/results.svg

Bars with 95 % Wilson intervals over all trials of all trainings, and the paper's numbers of glam-o where it has them.
A panel for each task, three in a row: on a phone the numbers can be read too. The legend comes after the last one.
The image has a light background of its own, so that it reads the same on light and dark pages.
"""

import json
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from glam.evaluation.statistics import Interval, wilson
from results.paper import GLAM_O_PERCENT, TASKS

METHODS = {
    "mip": ("labelled only (mip)", "#8c959f"),
    "clam-o": ("clam-o", "#d4a72c"),
    "lapa-o": ("lapa-o", "#bc8cff"),
    "glam": ("glam", "#80b3ff"),
    "glam-o": ("glam-o (object masks)", "#0550ae"),
    "retarget": ("inverse kinematics (retarget)", "#2da44e"),
}
"""Words and colour of each method, in the order of the bars."""
COLUMNS, PANEL = 3, (188, 214)
"""Panels in a row; width and height of a panel."""
LEFT, HEAD, FOOT = 44, 56, 30
"""Room beside the panels for the axis, above them for the title, below them for the note."""
TOP, BOTTOM = 24, 176
"""Vertical position of 100 % and of 0 % in a panel."""
BAR, SPACE = 24, 3
INK, PALE, GRID = "#1f2328", "#59636e", "#d1d9e0"


@dataclass(frozen=True)
class Trials:
    """Test episodes of one method on one task, all trainings together."""

    successes: int
    episodes: int
    trainings: int

    @property
    def rate(self) -> Interval:
        """Success rate with its Wilson interval."""
        return wilson(self.successes, self.episodes)


Table = Mapping[tuple[str, str], Trials]


def main(source: Path, target: Path) -> None:
    record = json.loads(source.read_text(encoding="utf-8"))
    target.write_text(svg(trials(record), amounts(record)), encoding="utf-8")
    print(target)


def trials(record: Mapping[str, Any]) -> Table:
    """What was run, by task and method."""
    runs = {run["name"]: run["result"] for run in record["runs"] if run["kind"] == "evaluation"}
    table: dict[tuple[str, str], Trials] = {}
    for cell in record["cells"]:
        if cell["run"] in runs and cell["method"] in METHODS:
            key, result = (cell["task"], cell["method"]), runs[cell["run"]]
            known = table.get(key, Trials(0, 0, 0))
            table[key] = Trials(
                known.successes + result["successes"], known.episodes + result["episodes"], known.trainings + 1
            )
    return table


def amounts(record: Mapping[str, Any]) -> tuple[int, int]:
    """Labelled and other demonstrations that glam-o is trained on."""
    sources = next(cell["learnt_from"] for cell in record["cells"] if cell["method"] == "glam-o")
    return sources[0]["episodes"], sum(source["episodes"] for source in sources[1:])


def svg(table: Table, demonstrations: tuple[int, int]) -> str:
    """The whole image."""
    title = f"Success in unseen scenes: {demonstrations[0]} labelled + {demonstrations[1]} hand-held demonstrations"
    rows = -(-(len(TASKS) + 1) // COLUMNS)
    width, height = LEFT + COLUMNS * PANEL[0] + 12, HEAD + rows * PANEL[1] + FOOT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" font-family="-apple-system, Segoe UI, Helvetica, Arial, sans-serif">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="#f6f8fa"/>',
        text(16, 30, title, font_size=16, font_weight=600),
        *(part for place, task in enumerate(TASKS) for part in panel(table, task, place)),
        *legend(*corner(len(TASKS))),
        text(16, height - 12, note(table), fill=PALE),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def corner(place: int) -> tuple[int, int]:
    """Left and upper end of a panel."""
    row, column = divmod(place, COLUMNS)
    return LEFT + column * PANEL[0], HEAD + row * PANEL[1]


def legend(left: float, top: float) -> Iterator[str]:
    for number, (words, colour) in enumerate(METHODS.values()):
        y = top + 26 + 22 * number
        yield f'<rect x="{left + 8:g}" y="{y:g}" width="12" height="12" fill="{colour}"/>'
        yield text(left + 27, y + 11, words)
    y = top + 26 + 22 * len(METHODS)
    yield diamond(left + 14, y + 6)
    yield text(left + 27, y + 11, "glam-o in the paper")


def panel(table: Table, task: str, place: int) -> Iterator[str]:
    """The bars of one task."""
    left, top = corner(place)
    yield from axis(left, top, is_first=place % COLUMNS == 0)
    yield text(left + PANEL[0] / 2, top + BOTTOM + 18, task, font_size=14, text_anchor="middle", font_weight=600)
    first = left + (PANEL[0] - len(METHODS) * (BAR + SPACE) + SPACE) / 2
    for number, (method, (_, colour)) in enumerate(METHODS.items()):
        if (task, method) in table:
            x = first + number * (BAR + SPACE)
            yield from bar(x, top, table[task, method].rate, colour)
            if method == "glam-o" and task in GLAM_O_PERCENT:
                yield diamond(x + BAR / 2, top + height_of(GLAM_O_PERCENT[task] / 100))


def axis(left: float, top: float, *, is_first: bool) -> Iterator[str]:
    for percent in range(0, 101, 25):
        y = top + height_of(percent / 100)
        yield f'<line x1="{left + 4:g}" x2="{left + PANEL[0] - 4:g}" y1="{y:g}" y2="{y:g}" stroke="{GRID}"/>'
        if is_first:
            yield text(left - 2, y + 4, f"{percent} %", fill=PALE, text_anchor="end")


def bar(x: float, top: float, rate: Interval, colour: str) -> Iterator[str]:
    y, middle = top + height_of(rate.estimate), x + BAR / 2
    yield f'<rect x="{x:g}" y="{y:.1f}" width="{BAR}" height="{top + BOTTOM - y:.1f}" fill="{colour}"/>'
    low, high = top + height_of(rate.low), top + height_of(rate.high)
    yield f'<path d="M{middle:g} {high:.1f}V{low:.1f}" stroke="{INK}" stroke-width="1.3"/>'
    yield text(middle, high - 4, f"{math.floor(100 * rate.estimate + 0.5)}", text_anchor="middle")


def diamond(x: float, y: float) -> str:
    return f'<path d="M{x:g} {y - 6:.1f}l6 6l-6 6l-6 -6z" fill="#ffffff" stroke="#cf222e" stroke-width="2"/>'


def note(table: Table) -> str:
    """Where the numbers come from."""
    counts = sorted({one.trainings for one in table.values()})
    trainings = "1 training" if counts == [1] else f"{counts[0]} to {counts[-1]} trainings"
    episodes = min(one.episodes // one.trainings for one in table.values())
    return f"Simulation. {trainings} for each bar, {episodes} trials for each; lines: 95 % Wilson intervals."


def height_of(rate: float) -> float:
    """Vertical position of a rate in its panel."""
    return BOTTOM - rate * (BOTTOM - TOP)


def text(x: float, y: float, words: str, **style: str | int) -> str:
    """Words at a place; `style` has the attributes that differ from the usual ones, with `_` for `-`."""
    values = {"font_size": 13, "fill": INK, "text_anchor": "start", "font_weight": 400} | style
    attributes = " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in values.items())
    return f'<text x="{x:g}" y="{y:g}" {attributes}>{escape(words)}</text>'


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
