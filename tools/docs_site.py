"""Build the documentation site into `site`, warnings as errors; or with `notebook` only the notebook of the method.

Runs in `.docs-venv`, which `docs_environment.py` makes. The documents are copied with their links rewritten, beside
pages made of the source, and Sphinx builds the copy; it names what it warns about by the place in the copy, which is
that in `docs`.
"""

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jupytext
from sphinx.cmd.build import build_main

from docs_films import films_page
from docs_links import FILMS, NAVIGATION, NOTEBOOK, PAGES, ROOT, linked, place, rewritten, shown, unbroken
from docs_notebook import outputs
from docs_reference import with_reference

SITE = ROOT / "site"
IPYNB = Path(NOTEBOOK).with_suffix(".ipynb").name


def main(wanted: list[str]) -> None:
    if wanted == ["notebook"]:
        path = Path(NOTEBOOK).with_name(IPYNB)
        jupytext.write(notebook(), ROOT / path)
        print(path)
        return
    with TemporaryDirectory() as folder:
        pages = Path(folder) / "docs"
        stage(pages)
        shutil.rmtree(SITE, ignore_errors=True)
        strict = ["--fail-on-warning", "--keep-going", "--quiet", "--doctree-dir", f"{folder}/doctrees"]
        if build_main([*strict, "--conf-dir", str(ROOT / "docs"), str(pages), str(SITE)]):
            shutil.rmtree(SITE, ignore_errors=True)
            sys.exit("The documentation has the faults named above; please mend them, then try again.")
    shutil.copytree(ROOT / FILMS, SITE / FILMS.removeprefix("docs/"), dirs_exist_ok=True)  # Sphinx copies no films
    print("site/index.html")


def stage(pages: Path) -> None:
    """Write everything that the site is built from into `pages`."""
    shutil.copytree(ROOT / "docs", pages)
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")}
    waiting = [*PAGES, *(found for path, text in texts.items() for found in linked(text, path))]
    texts |= {
        "docs/index.md": texts["docs/index.md"] + toctrees(),
        "docs/api.md": with_reference(texts["docs/api.md"]),
    }
    made = {place(path): unbroken(rewritten(text, path)) for path, text in texts.items()}
    while waiting:
        path = waiting.pop()
        if place(path) not in made:
            made[place(path)], others = SPECIAL[path]() if path in SPECIAL else shown(path)
            waiting += others
    for name, text in made.items():
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        (pages / name).write_text(text, encoding="utf-8")
    jupytext.write(notebook(), (pages / PAGES[NOTEBOOK]).with_name(IPYNB))


def start_page() -> tuple[str, list[str]]:
    """The README under a heading that tells it from the first page; and what it links to."""
    text, others = shown("README.md")
    return text.replace("# GLAM\n", "# Start\n", 1), others


def toctrees() -> str:
    """The navigation as Sphinx reads it, at the end of the first page."""
    blocks = []
    for caption, pages in NAVIGATION.items():
        lines = "\n".join(f"{title} <{name.removesuffix('.md')}>" for title, name in pages.items())
        blocks.append(f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{lines}\n```\n")
    return "".join(blocks)


def notebook() -> Any:
    """The notebook, from the script that is its source."""
    made = jupytext.read(ROOT / NOTEBOOK, fmt="py:percent")
    made.metadata["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return made


def notebook_page() -> tuple[str, list[str]]:
    """Text and code of the notebook with the outputs of its cells; and what it links to."""
    cells = notebook().cells
    shown_below = iter(outputs([cell.source for cell in cells if cell.cell_type == "code"], ROOT))
    parts = [
        cell.source if cell.cell_type == "markdown" else f"~~~~python\n{cell.source}\n~~~~\n\n{next(shown_below)}"
        for cell in cells
    ]
    text = "\n\n".join(parts)
    ways = f"As a [notebook]({IPYNB}), or as a script that puts all images on one page: `python {NOTEBOOK}`.\n"
    first = text.index("~~~~python")
    page = rewritten(text[:first], NOTEBOOK) + ways + "\n" + rewritten(text[first:], NOTEBOOK)
    return page, list(linked("\n\n".join(cell.source for cell in cells), NOTEBOOK))


SPECIAL = {
    "README.md": start_page,
    NOTEBOOK: notebook_page,
    FILMS: lambda: (films_page(ROOT / FILMS, ROOT / "docs"), []),
}
"""Pages that are no file of the repository as it is."""


if __name__ == "__main__":
    main(sys.argv[1:])
