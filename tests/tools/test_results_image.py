"""The image of the results is drawn from the records."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from glam.evaluation.statistics import wilson
from results_image import BOTTOM, METHODS, TOP, amounts, main, svg, trials

RECORDS = Path(__file__).parents[2] / "docs/results/main.json"


def cell(method, seed, run):
    sources = [{"embodiment": "kinova", "episodes": 100}, {"embodiment": "umi", "episodes": 400}]
    return {"task": "lift", "method": method, "seed": seed, "run": run, "learnt_from": sources}


def run(name, successes):
    return {"kind": "evaluation", "name": name, "result": {"successes": successes, "episodes": 200}}


@pytest.fixture
def record():
    """Two trainings of glam-o, one of mip, one that is not done, and a method that is not drawn."""
    cells = [cell("glam-o", 0, "a"), cell("glam-o", 1, "b"), cell("mip", 0, "c"), cell("mip", 1, "d")]
    return {"cells": [*cells, cell("clam", 0, "c")], "runs": [run("a", 190), run("b", 170), run("c", 100)]}


def test_trainings_of_one_method_are_added_up_and_missing_ones_left_out(record):
    table = trials(record)
    assert table.keys() == {("lift", "glam-o"), ("lift", "mip")}
    assert (table["lift", "glam-o"].successes, table["lift", "glam-o"].trainings) == (360, 2)
    assert table["lift", "glam-o"].rate == wilson(360, 400)
    assert table["lift", "mip"].episodes == 200
    assert amounts(record) == (100, 400)


def test_the_height_of_a_bar_is_its_rate(record):
    drawing = svg(trials(record), (100, 400))
    (height,) = re.findall(rf'height="([\d.]+)" fill="{METHODS["mip"][1]}"/>', drawing)[:-1]  # the last: legend
    assert float(height) == pytest.approx(0.5 * (BOTTOM - TOP), abs=0.1)
    assert ">90<" in drawing
    assert "1 to 2 trainings" in drawing


def test_the_image_in_the_docs_is_that_of_the_records(tmp_path):
    main(RECORDS, tmp_path / "results.svg")
    made = (tmp_path / "results.svg").read_text(encoding="utf-8")
    assert made == (RECORDS.parents[1] / "images/results.svg").read_text(encoding="utf-8"), "run `make images`"
    ElementTree.fromstring(made)
    assert json.loads(RECORDS.read_text(encoding="utf-8"))["benchmark"] == "main"
