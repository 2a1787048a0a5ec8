"""The objective agrees, term by term, with the equations written down plainly and without any of our arrangements."""

import copy
import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Literal

import pytest
import torch
from tests.world_models import tiny

from glam.nn.gaussian import DiagGaussian
from glam.nn.layers import Linear, ResMLP
from glam.training.learner import weighted_sum
from glam.world_models.glam import Glam, GlamConfig
from glam.world_models.states import StatesConfig

PLAIN = Path(__file__).parents[2] / "benchmarks" / "naive_loop.py"


def plain_loop() -> ModuleType:
    spec = importlib.util.spec_from_file_location("naive_loop", PLAIN)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("observation", "idm_frames"), [("images", 2), ("masks", 2), ("masks", 4)])
def test_terms_and_gradients_are_those_of_the_equations(
    observation: Literal["images", "masks"], idm_frames: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DiagGaussian, "rsample", lambda self, _: self.mean)
    monkeypatch.setattr(torch, "randn_like", torch.zeros_like)
    states = StatesConfig(observation=observation, reconstructed_fraction=1.0)
    torch.manual_seed(0)
    ours = Glam(GlamConfig(parts=tiny.PARTS, states=states, idm_frames=idm_frames), tiny.SIZES)
    plain, loop, batch = copy.deepcopy(ours), plain_loop(), tiny.batch(windows=5, frames=idm_frames)
    loop.in_plain_torch(plain)
    terms, stated = ours.losses(batch, tiny.context()), loop.naive_losses(plain, batch)
    assert terms.keys() == stated.keys()
    for name, term in terms.items():
        torch.testing.assert_close(term, stated[name], rtol=1e-4, atol=1e-5, msg=name)
    weighted_sum(terms, ours.weights).backward()
    weighted_sum(stated, plain.weights).backward()
    for (name, mine), its in zip(ours.named_parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(mine.grad, its.grad, rtol=1e-3, atol=1e-4, msg=name)


def test_the_plain_loop_has_none_of_our_layers() -> None:
    model = Glam(GlamConfig(parts=tiny.PARTS), tiny.SIZES)
    plain_loop().in_plain_torch(model)
    assert not [module for module in model.modules() if isinstance(module, Linear | ResMLP)]
