import pytest
import torch
from tests.world_models import tiny

from glam.recipes.world_models import world_model
from glam.world_models.probes import probe, source_accuracy
from glam.world_models.registry import build
from glam.world_models.sources import Scales


@pytest.mark.parametrize("method", ["glam-o", "glam-o-no-pose", "glam-o-pose-only", "clam-o", "lapa-o"])
def test_every_method_can_be_probed(method: str) -> None:
    target, auxiliary = tiny.sources()
    model = build(world_model(method, "smoke").model, tiny.SIZES).eval()
    values = probe(model, target, [auxiliary], Scales.fit(target, [auxiliary]))
    assert ("action_error" in values) == (method != "lapa-o")
    assert ("next_iou" in values) == (method != "glam-o-pose-only")
    assert all(isinstance(value, float) and value == value for value in values.values())


def test_a_forward_model_that_predicts_no_change_scores_one() -> None:
    target, auxiliary = tiny.sources()
    model = build(world_model("glam-o", "smoke").model, tiny.SIZES).eval()
    torch.nn.init.zeros_(model.forward_model.network.leave.weight)
    torch.nn.init.zeros_(model.forward_model.network.leave.bias)
    values = probe(model, target, [auxiliary], Scales.fit(target, [auxiliary]))
    assert values["feature_vs_copy"] == pytest.approx(1.0)
    assert values["pose_vs_copy"] == pytest.approx(1.0)


def test_sources_that_look_alike_cannot_be_told_apart() -> None:
    torch.manual_seed(0)
    assert source_accuracy([torch.randn(4000, 8), torch.randn(3000, 8)]) == pytest.approx(0.5, abs=0.03)


def test_sources_that_differ_in_mean_or_in_spread_are_told_apart() -> None:
    torch.manual_seed(0)
    assert source_accuracy([torch.randn(2000, 8), torch.randn(2000, 8) + 1.0]) > 0.9
    assert source_accuracy([torch.randn(2000, 8), 3.0 * torch.randn(2000, 8)]) > 0.9
