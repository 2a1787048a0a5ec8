"""One command measures docs/results/worlds.json anew, and goes on where it was interrupted."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def worlds(monkeypatch, tmp_path):
    """The program, with two quick sections, in a folder with a record of an earlier run."""
    pytest.importorskip("mink")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    spec = importlib.util.spec_from_file_location("worlds_under_test", BENCHMARKS / "worlds.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "SECTIONS", {"quick": lambda: {"value": 1}, "fragile": lambda: 1 / 0})
    monkeypatch.chdir(tmp_path)
    conditions = {"seconds": 90.0, "load_average_before_and_after": [0.5, 2.0], "cores": 2}
    old = {name: {"result": {"value": 0}, "conditions": conditions} for name in ("quick", "fragile")}
    (tmp_path / "record.json").write_text(json.dumps(old))
    return module


def run(module, monkeypatch, *flags: str) -> dict[str, int]:
    monkeypatch.setattr(sys, "argv", ["worlds.py", "--out", "record.json", *flags])
    module.main()
    return values()


def values() -> dict[str, int]:
    return {name: section["result"]["value"] for name, section in json.loads(Path("record.json").read_text()).items()}


def test_a_record_is_replaced_once_all_sections_are_measured_and_none_is_measured_twice(worlds, monkeypatch, capsys):
    with pytest.raises(SystemExit, match="fragile: failed"):
        run(worlds, monkeypatch, "--anew")
    assert values() == {"quick": 0, "fragile": 0}
    assert "ZeroDivisionError" in capsys.readouterr().err
    monkeypatch.setattr(worlds, "SECTIONS", {"quick": lambda: pytest.fail("twice"), "fragile": lambda: {"value": 2}})
    assert run(worlds, monkeypatch, "--anew") == {"quick": 1, "fragile": 2}
    assert not worlds.GATHERED.exists()


def test_sections_of_the_record_are_kept_unless_named_and_their_last_time_is_told(worlds, monkeypatch, capsys):
    assert run(worlds, monkeypatch) == {"quick": 0, "fragile": 0}
    assert run(worlds, monkeypatch, "--only", "quick", "--again", "quick") == {"quick": 1, "fragile": 0}
    told = capsys.readouterr().out
    assert "quick: about 1.5 min, as the last time, with a load of 0.5 to 2.0 on 2 cores" in told
    run(worlds, monkeypatch, "--list")
    assert "fragile: about 1.5 min" in capsys.readouterr().out
