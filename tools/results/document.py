"""Pages as lists of sections, written once and shown in several ways.

As HTML with charts, tables folded below them; as Markdown with all words and tables; and as short Markdown, with the
headlines and a image of each section.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from glam.reports import page
from glam.reports.markup import Html, element
from results.images import DocumentImage

NOT_RUN = "not run"
_SHORT = 28
"""Letters of a cell that is not to be broken, such as a rate with its interval."""


@dataclass(frozen=True)
class Words:
    """A paragraph."""

    text: str
    is_headline: bool = False
    """True for what the paper says and what we found: these paragraphs are on the short page too."""


@dataclass(frozen=True)
class Table:
    """A table of texts."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    is_open: bool = False
    """Whether a page shows it at once, instead of a line that opens it."""


@dataclass(frozen=True)
class Figures:
    """Charts or films side by side; Markdown has their image, if there is one."""

    drawn: tuple[Html, ...]
    title: str = ""
    note: str = ""
    images: tuple[DocumentImage, ...] = ()
    is_folded: bool = False


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
    """All words and tables."""
    return _markdown(title, lead, [replace(one, blocks=tuple(_without_images(one.blocks))) for one in sections])


def short_markdown(title: str, lead: str, sections: Sequence[Section]) -> str:
    """Headlines and images."""
    return _markdown(title, lead, [replace(one, blocks=tuple(_chosen(one.blocks))) for one in sections])


def images(sections: Sequence[Section]) -> Iterator[DocumentImage]:
    """The images that short Markdown refers to."""
    for one in sections:
        for block in one.blocks:
            yield from block.images if isinstance(block, Figures) else ()


def _markdown(title: str, lead: str, sections: Sequence[Section]) -> str:
    lines = [f"# {title}", "", lead, ""]
    for one in sections:
        lines += [f"## {one.title}", "", *_lines(one.blocks)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _without_images(blocks: Sequence[Block]) -> Iterator[Block]:
    yield from (block for block in blocks if not isinstance(block, Figures))


def _chosen(blocks: Sequence[Block]) -> Iterator[Block]:
    """Headlines and images; of a section without headlines all its words."""
    has_headlines = any(isinstance(block, Words) and block.is_headline for block in blocks)
    for block in blocks:
        if isinstance(block, Figures) or (isinstance(block, Words) and (block.is_headline or not has_headlines)):
            yield block


def _block(block: Block) -> Html:
    if isinstance(block, Words):
        return element("p", block.text, class_="headline" if block.is_headline else "")
    if isinstance(block, Table):
        table = page.table(block.columns, [[*map(_unbroken, row)] for row in block.rows])
        return page.card(table, title=block.title) if block.is_open else _folded(block.title or "Table", table)
    notes = [page.note(block.note)] if block.note else []
    body = (page.trio(*block.drawn), *notes)
    return _folded(block.title, *body) if block.is_folded else page.card(*body, title=block.title)


def _folded(title: str, *body: Html) -> Html:
    return page.card(page.folded(title, *body))


def _unbroken(text: str) -> str:
    """A short cell stays in one line; a table that is then too wide scrolls."""
    return text.replace(" ", "\N{NO-BREAK SPACE}") if len(text) <= _SHORT else text


def _lines(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Words):
            yield from (_escaped(block.text), "")
        elif isinstance(block, Table):
            yield from ([f"**{_escaped(block.title)}**", ""] if block.title else [])
            yield from _table(block)
            yield ""
        else:
            for image in block.images:
                yield from (f"![{_escaped(image.words)}]({image.link})", "")


def _table(block: Table) -> Iterator[str]:
    yield _row(block.columns)
    yield _row(["---"] * len(block.columns))
    yield from map(_row, block.rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_escaped, cells))} |"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
