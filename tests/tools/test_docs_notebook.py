"""Cells of a notebook are run, and each is shown with its own outputs."""

import sys

import pytest

from docs_notebook import markdown, outputs

CELLS = [
    "class Card:\n    def _repr_html_(self):\n        return '<b>card</b>'\n",
    "number = 2\nprint('two')\nprint('lines')",
    "def card():\n    return Card()\n\ncard()",
    "number + 1",
    'text = """a\nb"""\nprint(text)',
]


@pytest.fixture
def root(tmp_path):
    """A project whose environment is this one."""
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/python").symlink_to(sys.executable)
    return tmp_path


def test_each_cell_has_what_it_prints_and_what_its_last_expression_shows(root):
    nothing, printed, shown, value, lines = outputs(CELLS, root)
    assert nothing == ""
    assert printed == "~~~~text\ntwo\nlines\n~~~~\n\n"
    assert shown == "~~~~{raw} html\n<b>card</b>\n~~~~\n"
    assert value == markdown("3\n", "")
    assert lines == markdown("a\nb\n", "")


def test_a_cell_that_fails_ends_the_build_with_its_error(root):
    with pytest.raises(SystemExit, match="no such thing"):
        outputs(["raise ValueError('no such thing')"], root)


def test_without_an_environment_there_are_no_outputs(tmp_path, capsys):
    assert outputs(CELLS, tmp_path) == [""] * len(CELLS)
    assert "make setup" in capsys.readouterr().err
