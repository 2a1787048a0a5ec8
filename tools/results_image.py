"""Draw success by task and method from the records of `glam bench main`: `make images`.

    python tools/results_image.py docs/results/main.json docs/images/results.svg

Bars with 95 % Wilson intervals over all trials of all trainings, and the paper's numbers of glam-o where it has them.
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
WIDTH, HEIGHT = 860, 390
TOP, BOTTOM, LEFT, RIGHT = 92, 336, 48, 850
BAR, SPACE = 21, 2
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
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'role="img" font-family="-apple-system, Segoe UI, Helvetica, Arial, sans-serif">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#f6f8fa"/>',
        text(16, 26, title, font_size=16, font_weight=600),
        *legend(),
        *axis(),
        *(part for place, task in enumerate(TASKS) for part in group(table, task, place)),
        text(16, HEIGHT - 12, note(table), font_size=11, fill=PALE),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def legend() -> Iterator[str]:
    left = 16.0
    for words, colour in METHODS.values():
        yield f'<rect x="{left:g}" y="41" width="11" height="11" fill="{colour}"/>'
        yield text(left + 16, 51, words)
        left += 30 + 6.3 * len(words)
    yield diamond(left + 4, 46.5)
    yield text(left + 14, 51, "glam-o in the paper")


def axis() -> Iterator[str]:
    for percent in range(0, 101, 25):
        y = height(percent / 100)
        yield f'<line x1="{LEFT}" x2="{RIGHT}" y1="{y:g}" y2="{y:g}" stroke="{GRID}"/>'
        yield text(LEFT - 6, y + 4, f"{percent} %", font_size=11, fill=PALE, text_anchor="end")


def group(table: Table, task: str, place: int) -> Iterator[str]:
    """The bars of one task."""
    step = (RIGHT - LEFT) / len(TASKS)
    left = LEFT + step * place + (step - len(METHODS) * (BAR + SPACE)) / 2
    yield text(LEFT + step * (place + 0.5), BOTTOM + 19, task, font_size=13, text_anchor="middle", font_weight=600)
    for number, (method, (_, colour)) in enumerate(METHODS.items()):
        if (task, method) in table:
            x = left + number * (BAR + SPACE)
            yield from bar(x, table[task, method].rate, colour)
            if method == "glam-o" and task in GLAM_O_PERCENT:
                yield diamond(x + BAR / 2, height(GLAM_O_PERCENT[task] / 100))


def bar(x: float, rate: Interval, colour: str) -> Iterator[str]:
    top, middle = height(rate.estimate), x + BAR / 2
    yield f'<rect x="{x:g}" y="{top:.1f}" width="{BAR}" height="{BOTTOM - top:.1f}" fill="{colour}"/>'
    low, high = height(rate.low), height(rate.high)
    yield f'<path d="M{middle:g} {high:.1f}V{low:.1f}" stroke="{INK}" stroke-width="1.3"/>'
    yield text(middle, high - 4, f"{math.floor(100 * rate.estimate + 0.5)}", font_size=11, text_anchor="middle")


def diamond(x: float, y: float) -> str:
    return f'<path d="M{x:g} {y - 6:.1f}l6 6l-6 6l-6 -6z" fill="#ffffff" stroke="#cf222e" stroke-width="2"/>'


def note(table: Table) -> str:
    """Where the numbers come from."""
    counts = sorted({one.trainings for one in table.values()})
    trainings = "1 training" if counts == [1] else f"{counts[0]} to {counts[-1]} trainings"
    episodes = min(one.episodes // one.trainings for one in table.values())
    return f"Simulation. {trainings} for each bar, {episodes} trials for each training; lines: 95 % Wilson intervals."


def height(rate: float) -> float:
    return BOTTOM - rate * (BOTTOM - TOP)


def text(x: float, y: float, words: str, **style: str | int) -> str:
    """Words at a place; `style` has the attributes that differ from the usual ones, with `_` for `-`."""
    values = {"font_size": 12, "fill": INK, "text_anchor": "start", "font_weight": 400} | style
    attributes = " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in values.items())
    return f'<text x="{x:g}" y="{y:g}" {attributes}>{escape(words)}</text>'


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
