"""examples/method.py becomes a notebook, whose cells are run from top to bottom."""

import ast
import json
import re
import runpy
from pathlib import Path

import jupytext
import pytest

from docs_links import linked

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "examples/method.py"
TEXT = NOTEBOOK.read_text(encoding="utf-8")
CELLS = re.split(r"^# %%", TEXT, flags=re.MULTILINE)[1:]


def converted(kind):
    """The sources of the notebook's cells of a kind, as an .ipynb holds them."""
    made = json.loads(jupytext.writes(jupytext.read(NOTEBOOK, fmt="py:percent"), fmt="ipynb"))
    return ["".join(cell["source"]) for cell in made["cells"] if cell["cell_type"] == kind]


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The names that the notebook's cells leave behind, among them the folder they wrote to."""
    folder = tmp_path_factory.mktemp("notebook")
    (folder / "cells.py").write_text("\n".join(converted("code")), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        found = runpy.run_path("cells.py", run_name="__main__")
        return found | {"OUT": found["OUT"].resolve()}


def test_the_cells_of_the_notebook_are_the_code_of_the_script():
    title, *statements = ast.parse(TEXT).body
    cells = ast.parse("\n".join(converted("code"))).body
    assert [ast.dump(statement) for statement in cells] == [ast.dump(statement) for statement in statements]
    assert converted("markdown")[0] == ast.literal_eval(title.value).strip()
    assert len(converted("markdown")) + len(converted("code")) == len(CELLS)


def test_it_runs_from_top_to_bottom_and_shows_what_it_promises(ran):
    page = (ran["OUT"] / "index.html").read_text(encoding="utf-8")
    promised = re.findall(r'^show\("([^"]+)"', TEXT, flags=re.MULTILINE)
    assert len(promised) >= 8
    assert [title for title in promised if f"<h2>{title}</h2>" not in page] == []
    assert {"<img", "<svg", "<video"} <= set(re.findall(r"<img|<svg|<video", page))


def test_the_alignment_trains_the_idm_and_never_the_action_encoder(ran):
    trained_by = {name: dict(zip(ran["networks"], dots, strict=True)) for name, *dots in ran["dots"]}
    assert {network for network, dot in trained_by["alignment"].items() if dot} == {"visual encoder", "IDM"}
    assert {network for network, dot in trained_by["action"].items() if dot} == {"action encoder", "action decoder"}


def test_every_transition_of_both_sources_has_a_label(ran):
    assert len(list((ran["OUT"] / "world-model" / "latents").glob("*.parquet"))) == 2


def test_a_notebook_shows_each_part_in_a_frame_that_loads_nothing(ran):
    frame = ran["Shown"](ran["element"]("p", 'a "quoted" <word>'))._repr_html_()
    assert frame.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    assert "default-src &#x27;none&#x27;" in frame.replace("&amp;#x27;", "&#x27;")
    assert "<word>" not in frame


def test_every_cell_is_text_or_code_that_parses_alone():
    code = [cell for cell in CELLS if not cell.startswith(" [markdown]")]
    assert len(code) >= 15
    for cell in code:
        compile("#" + cell, str(NOTEBOOK), "exec")
    for cell in set(CELLS[1:]) - set(code):
        assert all(line.startswith("#") for line in cell.splitlines()[1:] if line)


def test_its_links_lead_somewhere():
    links = re.findall(r"\]\(([^)]+)\)", "\n".join(line for line in TEXT.splitlines() if line.startswith("# ")))
    assert links
    assert [link for link in links if not (NOTEBOOK.parent / link).exists()] == []
    assert list(linked(TEXT, "examples/method.py")) == []  # all of them into docs
