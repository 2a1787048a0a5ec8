from dataclasses import replace

import pytest
import torch
from tests.world_models import tiny

from glam.data.demonstrations import Split
from glam.data.normalizer import Normalizer
from glam.recipes import world_model
from glam.world_models.probes import probe, source_accuracy
from glam.world_models.verdicts import MEANINGS


@pytest.mark.parametrize("method", ["glam-o", "glam-o-no-pose", "glam-o-pose-only", "clam-o", "lapa-o"])
def test_every_method_can_be_probed(method: str) -> None:
    target, auxiliary = tiny.sources()
    model = world_model(method, "smoke").model.build(tiny.SIZES).eval()
    values = probe(model, target, [auxiliary], Normalizer.fit(target, [auxiliary]))
    assert ("action_error" in values) == (method != "lapa-o")
    assert ("train_action_error" in values) == (method != "lapa-o")
    for name in ("next_iou", "feature_vs_copy", "feature_std"):
        assert (name in values) == (method != "glam-o-pose-only")
    assert ("pose_vs_copy" in values) == (method != "glam-o-no-pose")
    assert ("width/7" in values) == ("kl/0" in values) == method.startswith("glam")
    assert ("codes_used" in values) == (method == "lapa-o")
    assert all(isinstance(value, float) and value == value for value in values.values())
    assert {name.partition("/")[0] for name in values} <= {*MEANINGS, *model.config.meanings}


def test_a_forward_model_that_predicts_no_change_scores_one() -> None:
    target, auxiliary = tiny.sources()
    model = world_model("glam-o", "smoke").model.build(tiny.SIZES).eval()
    torch.nn.init.zeros_(model.forward_model.network.leave.weight)
    torch.nn.init.zeros_(model.forward_model.network.leave.bias)
    values = probe(model, target, [auxiliary], Normalizer.fit(target, [auxiliary]))
    assert values["feature_vs_copy"] == pytest.approx(1.0)
    assert values["pose_vs_copy"] == pytest.approx(1.0)


def test_the_token_with_fewest_codes_is_told() -> None:
    target, auxiliary = tiny.sources()
    model = world_model("lapa-o", "smoke").model.build(tiny.SIZES).eval()
    with torch.no_grad():
        model.quantiser.codebook[2, 1:] = 1e6  # too far away to be the nearest
    assert probe(model, target, [auxiliary], Normalizer.fit(target, [auxiliary]))["codes_used"] == 1.0


def test_the_action_error_of_training_episodes_is_that_of_held_out_ones_where_both_are_the_same() -> None:
    target, auxiliary = tiny.sources()
    twin = replace(target, split=Split(target.split.held_out, target.split.held_out))
    model = world_model("glam-o", "smoke").model.build(tiny.SIZES).eval()
    values = probe(model, twin, [auxiliary], Normalizer.fit(target, [auxiliary]))
    assert values["train_action_error"] == pytest.approx(values["action_error"])
    other = probe(model, target, [auxiliary], Normalizer.fit(target, [auxiliary]))
    assert other["train_action_error"] != pytest.approx(other["action_error"])


def test_a_single_held_out_episode_is_enough() -> None:
    target, auxiliary = tiny.sources()
    sources = [
        replace(one, split=Split(one.split.train, one.split.held_out.select([0]))) for one in (target, auxiliary)
    ]
    model = world_model("glam-o", "smoke").model.build(tiny.SIZES).eval()
    values = probe(model, sources[0], sources[1:], Normalizer.fit(target, [auxiliary]))
    assert 0.0 <= values["source_accuracy"] <= 1.0


def test_sources_that_look_alike_cannot_be_told_apart() -> None:
    torch.manual_seed(0)
    assert source_accuracy([torch.randn(4000, 8), torch.randn(3000, 8)]) == pytest.approx(0.5, abs=0.03)


def test_sources_that_differ_in_mean_or_in_spread_are_told_apart() -> None:
    torch.manual_seed(0)
    assert source_accuracy([torch.randn(2000, 8), torch.randn(2000, 8) + 1.0]) > 0.9
    assert source_accuracy([torch.randn(2000, 8), 3.0 * torch.randn(2000, 8)]) > 0.9


def test_chance_is_one_part_in_as_many_as_there_are_sources() -> None:
    torch.manual_seed(0)
    assert source_accuracy([torch.randn(3000, 8) for _ in range(4)]) == pytest.approx(0.25, abs=0.03)
