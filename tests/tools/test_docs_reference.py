"""The reference is read from the source."""

import re
from pathlib import Path

import pytest

import docs_reference
from docs_reference import reference, with_reference

API = (Path(__file__).parents[2] / "docs/api.md").read_text(encoding="utf-8")

SOURCE = '''
from dataclasses import dataclass


def stack(cubes: int, *, height: float = 0.1) -> list[str]:
    """Stack cubes.

    Args:
        cubes: How many.
        height: Of each,
            in metres.
    """
    return ["cube"] * cubes


@dataclass(frozen=True)
class Tower:
    """A tower."""

    cubes: int
    """How many
    there are."""
    name: str = "tower"
    _hidden: int = 0

    @property
    def height(self) -> float:
        """In metres."""
        return 0.1

    def _fall(self) -> None:
        """Nobody's business."""
'''


@pytest.fixture
def module(tmp_path, monkeypatch):
    monkeypatch.setattr(docs_reference, "SOURCES", {"glam": tmp_path})
    (tmp_path / "glam").mkdir()
    (tmp_path / "glam/toys.py").write_text(SOURCE)


def test_a_function_is_told_by_its_signature_and_docstring(module):
    text = reference("glam.toys.stack")
    assert text.startswith("### stack\n\nIn `glam.toys`.\n\n```python\ndef stack(cubes: int, *, height: float = 0.1)")
    assert "-> list[str]\n```\n\nStack cubes.\n" in text
    assert "- `cubes`: How many.\n- `height`: Of each,\n" in text


def test_a_class_is_told_with_its_fields_and_public_methods(module):
    text = reference("glam.toys.Tower")
    assert "- `cubes: int`: How many there are.\n- `name: str = 'tower'`\n" in text
    assert "@property\ndef height(self) -> float\n```\n\nIn metres." in text
    assert "hidden" not in text
    assert "fall" not in text


def test_items_of_a_list_become_references_and_other_text_stays(module):
    page = "# Page\n\nSee [`glam.toys.stack`](x.py) too.\n\n- [`glam.toys.stack`](x.py)\n"
    made = with_reference(page)
    assert made.startswith("# Page\n\nSee [`glam.toys.stack`](x.py) too.\n\n### stack\n")


def test_a_name_that_is_gone_is_named(module):
    with pytest.raises(SystemExit, match="has no function or class gone"):
        reference("glam.toys.gone")


def test_every_name_of_the_real_page_exists_and_has_a_docstring():
    names = re.findall(r"^- \[`(glam(?:_client)?\.[\w.]+)`\]", API, flags=re.MULTILINE)
    assert len(names) >= 20
    assert "- [`glam" not in with_reference(API)
    for name in names:
        assert len(reference(name).splitlines()) > 5
