"""Gradients reach the parts that the method claims, term by term."""

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from tests.world_models import tiny

from glam.world_models.clam import Clam, ClamConfig
from glam.world_models.glam import Glam, GlamConfig
from glam.world_models.lapa import Lapa, LapaConfig
from glam.world_models.states import StatesConfig

MASKS = StatesConfig(observation="masks")
BASE = GlamConfig(parts=tiny.PARTS, states=MASKS)
CLAM_O, LAPA_O = ClamConfig(parts=tiny.PARTS, states=MASKS), LapaConfig(parts=tiny.PARTS, states=MASKS)


def reached(model: torch.nn.Module, term: str, seed: int = 0) -> set[str]:
    """Parts of the model that get a gradient from one term of the objective."""
    model.zero_grad()
    model.losses(tiny.batch(seed), tiny.context())[term].backward()
    parts = set()
    for name, parameter in model.named_parameters():
        if parameter.grad is not None and parameter.grad.abs().sum() > 0:
            owner = name.split(".")
            parts.add(".".join(owner[:2]) if owner[0] == "states" else owner[0])
    return parts


def glam(config: GlamConfig = BASE) -> Glam:
    torch.manual_seed(0)
    return Glam(config, tiny.SIZES)


def test_alignment_gives_the_action_encoder_no_gradient() -> None:
    assert reached(glam(), "alignment") == {"idm", "states.encoder"}


def test_symmetric_alignment_does() -> None:
    assert "action_encoder" in reached(glam(replace(BASE, alignment="symmetric")), "alignment")


def test_detached_alignment_spares_the_visual_encoder() -> None:
    assert reached(glam(replace(BASE, alignment_reaches_encoder=False)), "alignment") == {"idm"}


def test_action_reconstruction_gives_the_idm_no_gradient() -> None:
    assert reached(glam(), "action") == {"action_encoder", "action_decoder"}


def test_action_reconstruction_on_the_idm_is_the_ablation() -> None:
    parts = reached(glam(replace(BASE, reconstruct_actions_from="idm")), "action")
    assert parts == {"idm", "states.encoder", "action_decoder"}


def test_both_posteriors_drive_the_shared_forward_model() -> None:
    assert {"idm", "forward_model"} <= reached(glam(), "forward_pose")
    assert {"action_encoder", "forward_model"} <= reached(glam(), "grounded_pose")
    assert "idm" not in reached(glam(), "grounded_pose")


def test_proprioception_is_predicted_from_the_action_encoder_alone() -> None:
    assert reached(glam(), "proprio") == {"action_encoder", "proprio_forward"}


def test_reconstruction_trains_encoder_and_decoder_alone() -> None:
    assert reached(glam(), "reconstruction") == {"states.encoder", "states.decoder"}


def test_the_next_feature_is_a_fixed_target() -> None:
    """Only the last frame of a window is never an input: its feature must get no gradient from the forward term."""
    model, batch = glam(), tiny.batch()
    image = batch.target.image.clone().requires_grad_()
    windows = replace(batch, target=replace(batch.target, image=image))
    latents = torch.zeros(3, 3, 8)
    (feature_error, _), _ = model._forward_errors(model.states.encode(windows.target), latents, latents)
    feature_error.backward()
    assert image.grad[:, -1].abs().sum() == 0 < image.grad[:, 0].abs().sum()


def test_frames_ahead_reach_the_idm_alone() -> None:
    """Of four frames the last two are for an IDM of four: no other term sees them, nor the robot's state and action."""
    model, batch = glam(), tiny.batch()
    idm_terms = {"alignment", "idm_prior", "forward_feature", "forward_pose"}
    target = {name: value.clone().requires_grad_() for name, value in vars(batch.target).items()}
    terms = model.losses(replace(batch, target=replace(batch.target, **target)), tiny.context())
    for name, term in terms.items():
        found = torch.autograd.grad(term, target.values(), allow_unused=True, retain_graph=True)
        seen = {
            key for key, gradient in zip(target, found, strict=True)
            if gradient is not None and gradient[:, 2:].abs().sum() > 0
        }  # fmt: skip
        assert seen == ({"image", "idm_pose"} if name in idm_terms else set()), name


def test_unlabelled_windows_never_reach_the_target_model() -> None:
    model = glam()
    first = model.losses(tiny.batch(0), tiny.context())
    other = replace(tiny.batch(0), auxiliary=tiny.batch(1).auxiliary)
    second = model.losses(other, tiny.context())
    for term in ("proprio", "action", "action_prior", "alignment", "grounded_pose"):
        torch.testing.assert_close(first[term], second[term], msg=term)
    assert first["forward_pose"] != second["forward_pose"]


def test_the_alignment_grows_from_nothing() -> None:
    model = glam()
    assert model.losses(tiny.batch(), tiny.context(step=0))["alignment"] == 0.0
    assert model.losses(tiny.batch(), tiny.context(step=10))["alignment"] > 0.0


def test_clam_learns_its_decoder_from_the_idm() -> None:
    torch.manual_seed(0)
    parts = reached(Clam(ClamConfig(tiny.PARTS, MASKS), tiny.SIZES), "action")
    assert parts == {"idm", "states.encoder", "action_decoder"}


@pytest.mark.parametrize("both", [False, True])
def test_clam_sees_auxiliary_windows_only_when_told(*, both: bool) -> None:
    torch.manual_seed(0)
    model = Clam(ClamConfig(tiny.PARTS, MASKS, learns_from_auxiliary=both), tiny.SIZES)
    other = replace(tiny.batch(0), auxiliary=tiny.batch(1).auxiliary)
    same = model.losses(tiny.batch(0), tiny.context())["forward_pose"]
    assert (same == model.losses(other, tiny.context())["forward_pose"]) != both


def test_lapa_never_looks_at_state_or_action() -> None:
    torch.manual_seed(0)
    model = Lapa(LapaConfig(tiny.PARTS, MASKS), tiny.SIZES)
    batch = tiny.batch()
    blind = replace(batch, target=replace(batch.target, state=batch.target.state * 0, action=batch.target.action * 0))
    seen, unseen = model.losses(batch, tiny.context()), model.losses(blind, tiny.context())
    assert all(torch.equal(seen[term], unseen[term]) for term in seen)
    assert "quantiser" in reached(model, "forward_pose")


@pytest.mark.parametrize(
    ("term", "sees"),
    [("idm_prior", True), ("alignment", True), ("forward_pose", True), ("grounded_pose", False), ("proprio", False)],
)
def test_noisy_poses_reach_the_idm_alone(term: str, *, sees: bool) -> None:
    batch = tiny.batch()
    idm_pose = batch.target.idm_pose.requires_grad_()
    loss = glam().losses(batch, tiny.context())[term]
    (gradient,) = torch.autograd.grad(loss, idm_pose, allow_unused=True)
    assert (gradient is not None and bool(gradient.abs().sum() > 0)) == sees


@pytest.mark.parametrize("make", [lambda: Clam(CLAM_O, tiny.SIZES), lambda: Lapa(LAPA_O, tiny.SIZES)])
def test_the_idms_of_baselines_see_exact_poses(make: Callable[[], Clam | Lapa]) -> None:
    batch, model = tiny.batch(), make()
    idm_pose = batch.target.idm_pose.requires_grad_()
    assert not any(
        torch.autograd.grad(loss, idm_pose, allow_unused=True, retain_graph=True)[0] is not None
        for loss in model.losses(batch, tiny.context()).values()
    )
