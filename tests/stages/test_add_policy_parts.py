"""docs/add_a_policy_head.md and docs/add_an_encoder.md are run as they are printed."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from glam.core.configs import changed
from glam.core.files import read_json
from glam.core.registry import Registry, RegistryEntry
from glam.policies.encoders import ENCODERS
from glam.policies.heads import HEADS
from glam.recipes import encoder, policy
from glam.stages.evaluate import EvaluateConfig, evaluate
from glam.stages.train_policy import Inputs, train_policy

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINE = re.compile(r'"(\w+)": RegistryEntry\(f"{_HERE}\.(\w+):(\w+)", "([^"]+)"\),\n')


def register(page: str, registry: Registry, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write the page's file as the module that its registry line names, and register it; returns the name."""
    file, line = BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))
    name, stem, attribute, summary = LINE.fullmatch(line).groups()
    module = f"{package}.{stem}"
    (tmp_path / f"{name}.py").write_text(file, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(module, tmp_path / f"{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, module, loaded)
    spec.loader.exec_module(loaded)
    monkeypatch.setitem(registry.entries, name, RegistryEntry(f"{module}:{attribute}", summary))
    return name


@pytest.mark.parametrize("method", ["direct", "latent"])
def test_the_head_of_the_page_is_trained_and_evaluated(trained, method: str, tmp_path: Path, monkeypatch) -> None:
    name = register("add_a_policy_head.md", HEADS, "glam.policies.heads", tmp_path, monkeypatch)
    inputs = Inputs(trained.target, (trained.auxiliary,), trained.run)
    run = train_policy(
        policy(method, "smoke", name), inputs if method == "latent" else Inputs(trained.target), tmp_path / "run"
    )
    assert read_json(run / "config.json")["config"]["policy"]["head"]["kind"] == name
    out = evaluate(EvaluateConfig("lift", episodes=1, films=0), run, tmp_path / "out", workers=1)
    assert read_json(out / "eval_info.json")["overall"]["n_episodes"] == 1


def test_the_encoder_of_the_page_is_trained_and_evaluated(trained, tmp_path: Path, monkeypatch) -> None:
    name = register("add_an_encoder.md", ENCODERS, "glam.policies.encoders", tmp_path, monkeypatch)
    assert encoder(name, "cpu").pixels == 64
    config = policy("mip", "smoke")
    observation = {"policy.observation.encoder": encoder(name, "smoke")}
    run = train_policy(changed(config, observation), Inputs(trained.target), tmp_path / "run")
    assert read_json(run / "config.json")["config"]["policy"]["observation"]["encoder"]["kind"] == name
    out = evaluate(EvaluateConfig("lift", episodes=1, films=0), run, tmp_path / "out", workers=1)
    assert read_json(out / "eval_info.json")["overall"]["n_episodes"] == 1
