"""The program behind `make speed`: every section has a goal, and one that fails leaves the others alone."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from results.speed import GOALS

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def speed(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    spec = importlib.util.spec_from_file_location("speed_under_test", BENCHMARKS / "speed.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "speed_under_test", module)
    spec.loader.exec_module(module)
    return module


def run(module, monkeypatch, tmp_path, *flags):
    out = tmp_path / "speed.json"
    monkeypatch.setattr(sys, "argv", ["speed.py", "--quick", "--json", str(out), *flags])
    module.main()
    return json.loads(out.read_text())


def test_every_entry_has_a_goal(speed):
    names = {name for _, names in speed.SECTIONS.values() for name in names}
    assert names == {name for name in GOALS if "preset paper" not in name}


def test_low_sizes_show_that_it_works(speed, monkeypatch, tmp_path):
    record = run(speed, monkeypatch, tmp_path, "--only", "rendering", "cost", "demo")
    rendering, cost, demo = record["ratios"]
    assert record["is_quick"]
    assert rendering["value"] > 1
    assert rendering["other"].startswith("mujoco.Renderer: ")
    assert 0.2 < cost["value"] < 2
    assert demo == {"name": "demo", "value": None, "why": "left out at low size"}
    assert record["conditions"]["machine"]["cores"] >= 1


def test_a_section_that_fails_says_why_and_leaves_the_others_alone(speed, monkeypatch, tmp_path):
    def broken(size):
        raise ValueError("no such camera")

    monkeypatch.setitem(speed.SECTIONS, "reading", (broken, ("reading",)))
    reading, demo = run(speed, monkeypatch, tmp_path, "--only", "reading", "demo")["ratios"]
    assert reading["value"] is None
    assert "no such camera" in reading["why"]
    assert demo["name"] == "demo"
