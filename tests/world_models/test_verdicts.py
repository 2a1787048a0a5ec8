import inspect
import re
from functools import reduce
from math import exp
from pathlib import Path
from typing import Any

import pytest

from glam.core.configs import changed
from glam.recipes import world_model
from glam.world_models import clam, glam, lapa, verdicts
from glam.world_models.clam import ClamConfig
from glam.world_models.glam import GlamConfig
from glam.world_models.lapa import LapaConfig
from glam.world_models.method import MethodConfig
from glam.world_models.verdicts import MEANINGS, TrainingFacts, Verdict, idm_gradients, judge, last_probes

TWO_SOURCES = TrainingFacts(sources=2, latent=8, grad_clip=10.0)
FOUR_SOURCES = TrainingFacts(sources=4, latent=8, grad_clip=10.0)
GLAM = GlamConfig()
LAPA = LapaConfig()
FLOOR = exp(-5.0)
"""Least width of a posterior with the default range of log-variances."""


def validation(**probes: float) -> dict[str, Any]:
    return {"step": 100, "split": "validation", "seconds": 1.0, **probes}


def training(*losses: float, grad_norm: float = 1.0) -> list[dict[str, Any]]:
    return [{"step": step, "split": "train", "loss": loss, "grad_norm": grad_norm} for step, loss in enumerate(losses)]


def only(method: MethodConfig = GLAM, training: TrainingFacts = TWO_SOURCES, **probes: float) -> Verdict:
    """The one verdict on a log of one validation."""
    (verdict,) = judge([validation(**probes)], training, method)
    return verdict


def test_settings_that_remedies_name_exist() -> None:
    sources = [Path(inspect.getsourcefile(module) or "").read_text() for module in (verdicts, glam, clam, lapa)]
    named = re.findall(r"--set ([\w.]+)=", "".join(sources))
    assert len(named) == 6
    for name in named:
        recipe = world_model("lapa" if "replace" in name else "glam-o")
        value = reduce(getattr, name.split("."), recipe)
        assert changed(recipe, {name: value}) == recipe


@pytest.mark.parametrize(
    ("probe", "value", "severity"),
    [
        ("action_error", 0.0199, "ok"),
        ("action_error", 0.02, "warning"),
        ("action_error", 0.0999, "warning"),
        ("action_error", 0.1, "problem"),
        ("feature_vs_copy", 0.799, "ok"),
        ("feature_vs_copy", 0.8, "warning"),
        ("feature_vs_copy", 0.999, "warning"),
        ("feature_vs_copy", 1.0, "problem"),
        ("pose_vs_copy", 0.799, "ok"),
        ("pose_vs_copy", 0.8, "warning"),
        ("pose_vs_copy", 1.0, "problem"),
        ("feature_std", 0.1, "ok"),
        ("feature_std", 0.0999, "warning"),
        ("feature_std", 0.05, "warning"),
        ("feature_std", 0.0499, "problem"),
        ("source_accuracy", 0.3, "ok"),
        ("source_accuracy", 0.549, "ok"),
        ("source_accuracy", 0.551, "warning"),
        ("source_accuracy", 0.649, "warning"),
        ("source_accuracy", 0.651, "problem"),
        ("active_dimensions", 8.0, "ok"),
        ("active_dimensions", 7.0, "warning"),
        ("active_dimensions", 4.0, "warning"),
        ("active_dimensions", 3.0, "problem"),
    ],
)
def test_each_probe_is_graded_at_its_limits(probe: str, value: float, severity: str) -> None:
    verdict = only(**{probe: value})
    assert verdict.severity == severity
    assert bool(verdict.remedy) == (severity != "ok")


@pytest.mark.parametrize(
    ("current", "following", "severity", "state"),
    [
        (0.9, 0.8, "ok", "sharp"),
        (0.9, 0.79, "warning", "blurred"),
        (0.6, 0.5, "warning", "blurred"),
        (0.6, 0.49, "problem", "wrong"),
        (0.04, 0.04, "problem", "blank"),
    ],
)
def test_masks_are_as_good_as_the_worse_of_both_overlaps(
    current: float, following: float, severity: str, state: str
) -> None:
    verdict = only(iou=current, next_iou=following)
    assert verdict.severity == severity
    assert f"masks are {state}: " in verdict.finding


@pytest.mark.parametrize(("used", "severity"), [(8, "ok"), (6, "ok"), (5, "warning"), (4, "warning"), (3, "problem")])
def test_codes_are_counted_against_those_there_are(used: int, severity: str) -> None:
    verdict = only(LAPA, codes_used=float(used))
    assert verdict.severity == severity
    assert f"{used} of its 8 codes" in verdict.finding


def test_chance_depends_on_the_number_of_sources() -> None:
    assert only(LAPA, FOUR_SOURCES, source_accuracy=0.29).severity == "ok"
    assert only(LAPA, FOUR_SOURCES, source_accuracy=0.5).severity == "problem"
    assert "by chance in 25%" in only(LAPA, FOUR_SOURCES, source_accuracy=0.5).finding


def test_a_finding_holds_its_number() -> None:
    assert only(feature_vs_copy=1.4).finding == (
        "the image is not used: the error of the next y is 1.40 times that of no change"
    )
    assert "0.35 of their variance" in only(action_error=0.35).finding


def test_a_remedy_fits_the_method() -> None:
    assert "glam-o-detached" in only(feature_vs_copy=1.4).remedy
    assert "glam-o-detached" not in only(LAPA, feature_vs_copy=1.4).remedy
    assert "alignment" in only(ClamConfig(), action_error=0.5).remedy
    assert "alignment" in only(GlamConfig(alignment_weight=0.0), action_error=0.5).remedy
    assert "alignment" not in only(action_error=0.5).remedy


def test_a_held_out_episode_that_is_much_harder_means_overfitting() -> None:
    gap = judge([validation(action_error=0.06, train_action_error=0.02)], TWO_SOURCES, GLAM)
    assert any("3.0 x that on training episodes" in verdict.finding for verdict in gap)
    assert len(judge([validation(action_error=0.06, train_action_error=0.021)], TWO_SOURCES, GLAM)) == 1
    assert len(judge([validation(action_error=0.0199, train_action_error=0.001)], TWO_SOURCES, GLAM)) == 1


def test_the_last_validation_counts() -> None:
    lines = [validation(action_error=0.5), *training(1.0), validation(action_error=0.01)]
    assert [verdict.severity for verdict in judge(lines, TWO_SOURCES, GLAM)] == ["ok"]
    assert last_probes(lines) == {"action_error": 0.01}
    assert last_probes(training(1.0)) == {}


def test_the_worst_comes_first() -> None:
    found = judge([validation(action_error=0.01, feature_vs_copy=1.2, pose_vs_copy=0.9)], TWO_SOURCES, GLAM)
    assert [verdict.severity for verdict in found] == ["problem", "warning", "ok"]


def losses(last: float, noise: float = 0.0) -> list[float]:
    """Forty of them: a hundred up to the last tenth."""
    return [100.0 + noise * (-1) ** n for n in range(36)] + [last + noise * (-1) ** n for n in range(4)]


@pytest.mark.parametrize(
    ("values", "severity", "words"),
    [
        (losses(94.0), "warning", "still falling: by 6%"),
        (losses(96.0), "ok", "settled: it changed by 4%"),
        (losses(106.0), "warning", "rising: by 6%"),
        (losses(94.0, noise=8.0), "ok", "settled"),
        (losses(70.0, noise=8.0), "warning", "still falling: by 30%"),
    ],
)
def test_a_loss_that_still_moves_by_more_than_its_noise_is_reported(
    values: list[float], severity: str, words: str
) -> None:
    (verdict,) = judge(training(*values), TWO_SOURCES, GLAM)
    assert verdict.severity == severity
    assert words in verdict.finding


def test_a_short_log_has_no_verdict_on_its_end() -> None:
    assert judge(training(*([100.0] * 10 + [1.0] * 9)), TWO_SOURCES, GLAM) == []


def test_a_gradient_that_is_always_clipped_is_suspect_only_beside_a_problem() -> None:
    lines = training(*[1.0] * 4, grad_norm=500.0)
    (alone,) = judge(lines, TWO_SOURCES, GLAM)
    assert (alone.severity, alone.remedy) == ("ok", "")
    assert "clipped to 10 in 4 of 4 logged steps: its median norm was 500" in alone.finding
    beside = judge([*lines, validation(feature_vs_copy=1.4)], TWO_SOURCES, GLAM)
    assert [verdict.severity for verdict in beside] == ["problem", "warning"]
    assert "grad_clip" in beside[1].remedy


@pytest.mark.parametrize(("clipped", "count"), [(94, 0), (95, 1)])
def test_a_gradient_that_is_clipped_at_times_is_no_finding(clipped: int, count: int) -> None:
    norms = [11.0] * clipped + [10.0] * (100 - clipped)
    lines = [{"step": 0, "split": "train", "loss": 1.0, "grad_norm": norm} for norm in norms]
    found = [verdict for verdict in judge(lines, TWO_SOURCES, GLAM) if "clipped" in verdict.finding]
    assert len(found) == count


def test_widths_at_their_floor_are_suspect_only_beside_a_problem() -> None:
    held = {f"width/{entry}": 1.099 * FLOOR for entry in range(5)} | {
        f"width/{entry}": 1.101 * FLOOR for entry in range(5, 8)
    }
    alone = only(**held)
    assert alone.severity == "ok"
    assert "5 of 8 latent entries are at their floor 0.0067" in alone.finding
    beside = judge([validation(feature_vs_copy=1.4, **held)], TWO_SOURCES, GLAM)
    assert [verdict.severity for verdict in beside] == ["problem", "warning"]
    assert "log_variance" in beside[1].remedy


def test_widths_of_half_the_entries_at_their_floor_are_no_finding() -> None:
    half = {f"width/{entry}": FLOOR if entry < 4 else 0.2 for entry in range(8)}
    assert judge([validation(**half)], TWO_SOURCES, GLAM) == []
    unaligned = GlamConfig(alignment_weight=0.0)
    assert judge([validation(**dict.fromkeys(half, FLOOR))], TWO_SOURCES, unaligned) == []


def test_every_meaning_is_one_line() -> None:
    meanings = [*MEANINGS.values(), *GLAM.meanings.values(), *LAPA.meanings.values()]
    assert all("\n" not in meaning and not meaning.endswith(".") for meaning in meanings)


def pulled(step: int, **norms: float) -> dict[str, Any]:
    found = {f"gradient.{term}.idm": norm for term, norm in norms.items()}
    return {"step": step, "split": "train", "loss": 1.0, "gradient.alignment": 9.0, **found}


def test_the_share_of_prediction_in_the_gradient_on_the_idm_is_told() -> None:
    early = pulled(1, alignment=1.0, forward_pose=900.0, forward_feature=0.0)
    late = [pulled(step, alignment=96.0, forward_pose=3.0, forward_feature=1.0) for step in (2, 3, 4)]
    lines = [early, *late, validation()]
    assert idm_gradients(lines) == {"alignment": 0.96, "forward_pose": 0.03, "forward_feature": 0.01}
    (told,) = judge(lines, TWO_SOURCES, GLAM)
    assert told.severity == "ok"
    assert told.finding == (
        "prediction of the next state accounts for 4.0% of the gradient on the IDM, alignment for 96.0%"
    )


def test_nothing_is_told_of_gradients_that_were_not_logged_or_vanish() -> None:
    assert idm_gradients([{"step": 1, "split": "train", "loss": 1.0}]) == {}
    assert judge([pulled(1, alignment=0.0, forward_pose=0.0), validation()], TWO_SOURCES, GLAM) == []
