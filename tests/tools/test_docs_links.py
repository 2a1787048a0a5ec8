"""Links of the documents as the site needs them, and a place for every page in its navigation."""

from pathlib import Path

import pytest

import docs_links
from docs_links import NAVIGATION, PAGES, guides, linked, place, rewritten, shown, unbroken

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A small one."""
    monkeypatch.setattr(docs_links, "ROOT", tmp_path)
    for name in ("README.md", "LICENSE", "docs/index.md", "docs/method/glam.md", "docs/results/demo.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"This is [{name}](LICENSE).")
    (tmp_path / "src").mkdir()
    (tmp_path / "src/code.py").write_text('"""What a | b.\n\nMore."""\n')
    return tmp_path


def test_every_page_is_in_the_navigation_once():
    named = ["index.md", *(name for pages in NAVIGATION.values() for name in pages.values())]
    there = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} | set(PAGES.values())
    assert there - set(named) == set(), "add it to NAVIGATION in tools/docs_links.py"
    assert sorted(named) == sorted(there)


@pytest.mark.parametrize(
    ("document", "link", "expected"),
    [
        ("README.md", "docs/index.md", "index.md"),
        ("README.md", "docs/method/glam.md#part", "method/glam.md#part"),
        ("README.md", "LICENSE", "source/LICENSE.md"),
        ("docs/index.md", "../README.md", "start.md"),
        ("docs/index.md", "method/glam.md", "method/glam.md"),
        ("docs/method/glam.md", "../../src/code.py", "../source/src/code.py.md"),
        ("docs/method/glam.md", "../../src", "../source/src/index.md"),
        ("docs/index.md", "results/", "source/docs/results/index.md"),
        ("docs/index.md", "results/demo.json", "results/demo.json"),
        ("docs/index.md", "https://example.org/x", "https://example.org/x"),
        ("docs/index.md", "#part", "#part"),
        ("docs/index.md", "gone.md", "gone.md"),
        ("docs/index.md", "../../outside.md", "../../outside.md"),
    ],
)
def test_a_link_leads_to_the_page_that_shows_its_file(repository, document, link, expected):
    assert rewritten(f"See [this]({link}).", document) == f"See [this]({expected})."


def test_short_cells_and_intervals_stay_in_one_piece():
    rows = ("| a task | what it is, in many words [1.0, 2.5] |", "| --- | --- |", "| 4.2 mm, 20/20 | - |")
    table = "\n".join([*rows, "| `a b` | 93.5 % or more of it |"])
    assert unbroken(table).replace("\N{NO-BREAK SPACE}", "_").split("\n") == [
        "| a task | what it is, in many words [1.0, 2.5] |",
        "| --- | --- |",
        "| 4.2_mm,_20/20 | - |",
        "| `a b` | 93.5_% or more of it |",
    ]
    assert unbroken("Text | with a bar.\n") == "Text | with a bar.\n"


def test_only_what_has_no_page_yet_needs_one(repository):
    text = "[a](index.md) [b](../src/code.py) [c](results) [d](results/demo.json) [e](https://example.org) [f](../gone)"
    assert list(linked(text, "docs/index.md")) == ["src/code.py", "docs/results"]


def test_a_document_is_shown_with_its_links_and_code_as_it_is(repository):
    assert shown("README.md") == ("This is [README.md](source/LICENSE.md).", ["LICENSE"])
    text, others = shown("src/code.py")
    assert '# src/code.py\n\n~~~~python\n"""What a | b.' in text
    assert others == []


def test_a_folder_is_shown_as_a_table_of_its_files(repository):
    text, others = shown("src")
    assert "| [code.py](code.py.md) | What a \\| b. |" in text
    assert others == ["src/code.py"]
    text, others = shown("docs/results")
    assert "| [demo.json](../../../results/demo.json) |  |" in text
    assert others == []


def test_what_is_not_in_the_navigation_says_so(repository):
    assert shown("LICENSE")[0].startswith("---\norphan: true\n---\n")
    assert place("README.md") == "start.md"


def test_guides_are_found_by_their_names_and_called_by_their_headings(tmp_path):
    for name, title in (
        ("add_a_task.md", "# Add a task"),
        ("add_an_encoder.md", "# Add an encoder"),
        ("api.md", "# API"),
    ):
        (tmp_path / name).write_text(f"{title}\n\nText.\n")
    assert guides(tmp_path) == {"Add a task": "add_a_task.md", "Add an encoder": "add_an_encoder.md"}


def test_the_navigation_goes_from_start_to_reference():
    assert list(NAVIGATION) == ["Start", "Your data, your robot", "Method", "Results", "Extend", "Reference"]
