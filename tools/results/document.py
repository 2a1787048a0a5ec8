"""A page as a list of sections, written once and shown twice: as HTML with charts, and as Markdown without."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from glam.reports import page
from glam.reports.markup import Html, element

NOT_RUN = "not run"
_SHORT = 28
"""Letters of a cell that is not to be broken, such as a rate with its interval."""


@dataclass(frozen=True)
class Words:
    """A paragraph."""

    text: str
    is_headline: bool = False


@dataclass(frozen=True)
class Table:
    """A table of texts."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""


@dataclass(frozen=True)
class Figures:
    """Charts or films side by side; Markdown has none."""

    drawn: tuple[Html, ...]
    title: str = ""
    note: str = ""


Block = Words | Table | Figures


@dataclass(frozen=True)
class Section:
    """A titled part."""

    title: str
    blocks: tuple[Block, ...]


def html(title: str, lead: str, sections: Sequence[Section]) -> str:
    """The whole page."""
    parts = [page.named_section(one.title, *map(_block, one.blocks)) for one in sections]
    return page.page(title, lead, page.contents([one.title for one in sections]), *parts)


def markdown(title: str, lead: str, sections: Sequence[Section]) -> str:
    """The same without images."""
    lines = [f"# {title}", "", lead, ""]
    for one in sections:
        lines += [f"## {one.title}", "", *_lines(one.blocks)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _block(block: Block) -> Html:
    if isinstance(block, Words):
        return element("p", block.text, class_="headline" if block.is_headline else "")
    if isinstance(block, Table):
        return page.card(page.table(block.columns, [[*map(_unbroken, row)] for row in block.rows]), title=block.title)
    notes = [page.note(block.note)] if block.note else []
    return page.card(page.trio(*block.drawn), *notes, title=block.title)


def _unbroken(text: str) -> str:
    """A short cell stays in one line; a table that is then too wide scrolls."""
    return text.replace(" ", "\N{NO-BREAK SPACE}") if len(text) <= _SHORT else text


def _lines(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Words):
            yield from (_escaped(block.text), "")
        if isinstance(block, Table):
            yield from ([f"**{_escaped(block.title)}**", ""] if block.title else [])
            yield from _table(block)
            yield ""


def _table(block: Table) -> Iterator[str]:
    yield _row(block.columns)
    yield _row(["---"] * len(block.columns))
    yield from map(_row, block.rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_escaped, cells))} |"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
