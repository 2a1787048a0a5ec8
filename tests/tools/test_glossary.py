"""The glossary names files that exist, and names that occur in them."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
ROW = re.compile(r"^\| (?P<term>.+?) \| `(?P<name>\w+)` \| (?P<meaning>.+) \| \[[\w/.]+\]\((?P<path>[\w/.]+)\) \|$")
LINES = [line for line in (DOCS / "glossary.md").read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
ENTRIES = [line for line in LINES if not line.endswith("| meaning | file |")]


def test_every_entry_has_its_four_parts():
    assert len(ENTRIES) >= 40
    assert [line for line in ENTRIES if not ROW.match(line)] == []


@pytest.mark.parametrize("line", ENTRIES)
def test_the_name_occurs_in_the_file(line):
    found = ROW.match(line)
    assert found
    text = (DOCS / found["path"]).read_text(encoding="utf-8")
    assert re.search(rf"\b{found['name']}\b", text), f"{found['path']} knows no {found['name']}"


def test_terms_are_explained_once():
    terms = [found["term"] for line in ENTRIES if (found := ROW.match(line))]
    assert len(terms) == len(set(terms))
