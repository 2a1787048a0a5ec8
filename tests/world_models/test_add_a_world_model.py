"""docs/add_a_world_model.md is run as it is."""

import importlib.util
import re
import runpy
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch
from tests.data import tiny as datasets
from tests.world_models import tiny

from glam.core.registry import RegistryEntry
from glam.data.reader import Dataset
from glam.recipes import named_methods
from glam.training import artefact
from glam.world_models import WORLD_MODELS

PAGE = Path(__file__).parents[2] / "docs/add_a_world_model.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture
def method(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The page's method, written to a module of its own and registered by the page's own line."""
    file, line, _ = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    (tmp_path / "delta.py").write_text(file, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("delta", tmp_path / "delta.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "delta", module)
    spec.loader.exec_module(module)
    assert line.startswith('"delta": RegistryEntry(f"{_HERE}.delta:DeltaConfig", ')
    monkeypatch.setitem(sys.modules, "glam.world_models.delta", module)
    monkeypatch.setitem(WORLD_MODELS.entries, "delta", RegistryEntry("glam.world_models.delta:DeltaConfig", ""))
    return module


def test_the_method_of_the_page_is_trained_inspected_and_decoded(
    method: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    datasets.record(tmp_path / "data/kinova", 3)
    datasets.record(tmp_path / "data/umi", 3, datasets.AUXILIARY)
    program = tmp_path / "program.py"
    program.write_text(BLOCK.findall(PAGE.read_text(encoding="utf-8"))[-1], encoding="utf-8")
    names = runpy.run_path(str(program))
    assert artefact.load(names["run"]).config["model"]["kind"] == "delta"
    assert isinstance(names["trained"].model, method.Delta)
    assert names["column"].is_file()
    assert names["actions"].shape == (3, len(Dataset.open(names["target"]).schema.action_names))
    assert np.isfinite(names["actions"]).all()
    assert "the standard deviation of the latents is" in capsys.readouterr().out
    assert "near zero means that they carry nothing" in (names["run"] / "inspect.html").read_text()


def test_the_method_of_the_page_learns_and_its_labels_depend_on_poses_alone(method: ModuleType) -> None:
    assert {"delta", "delta-o"} <= named_methods().keys()
    torch.manual_seed(0)
    model = method.DeltaConfig(parts=tiny.PARTS).build(tiny.SIZES)
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    batch, goals = tiny.batch(), []
    for step in range(60):
        terms = model.losses(batch, tiny.context(seed=step))
        optimiser.zero_grad()
        sum(model.weights[name] * term for name, term in terms.items()).backward()
        optimiser.step()
        goals.append(terms["action"].item())
    assert goals[-1] < 0.8 * goals[0]
    model.label(batch.target).sum().backward()
    before = model.label(batch.target)
    batch.target.image.zero_()
    assert torch.equal(before, model.label(batch.target))
