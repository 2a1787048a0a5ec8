"""Every registered method keeps to the interface, and can be told from all others."""

from dataclasses import dataclass, replace
from typing import Literal

import pytest
import torch
from tests.world_models import tiny
from torch import nn

from glam.core.configs import from_json, from_tagged_json, to_json
from glam.core.errors import GlamError
from glam.nn.layers import ConvImageModel, ImageShape
from glam.recipes import METHODS, named_methods, world_model
from glam.world_models import WORLD_MODELS
from glam.world_models.batches import NO_AUGMENTATION, Windows
from glam.world_models.encoders import ENCODERS
from glam.world_models.glam import GlamConfig
from glam.world_models.lapa import LapaConfig
from glam.world_models.method import EncodedEpisode
from glam.world_models.parts import PartsConfig


@pytest.mark.parametrize("name", named_methods())
def test_a_method_says_truly_whether_it_learns_an_action_decoder(name: str) -> None:
    config = replace(named_methods()[name], parts=tiny.PARTS)
    model = config.build(tiny.SIZES)
    assert model.config == config
    assert config.learns_action_decoder == (model.action_decoder is not None)
    assert model.losses(tiny.batch(), tiny.context()).keys() == model.weights.keys()


@pytest.mark.parametrize("name", ["glam-o", "clam-o", "clam-o-both", "lapa-o"])
def test_a_method_says_truly_whether_it_learns_from_auxiliary_windows(name: str) -> None:
    model = world_model(name, "smoke").model.build(tiny.SIZES)
    batch, other = tiny.batch(0), replace(tiny.batch(0), auxiliary=tiny.batch(1).auxiliary)
    first, second = (model.losses(one, tiny.context()) for one in (batch, other))
    assert model.config.learns_from_auxiliary == any(first[term] != second[term] for term in first)


@torch.no_grad()
@pytest.mark.parametrize("name", ["glam-o", "clam-o", "lapa-o"])
def test_every_diagnostic_has_a_meaning(name: str) -> None:
    model = world_model(name, "smoke").model.build(tiny.SIZES).eval()
    windows = tiny.batch(windows=1).target
    states, latent = model.states.encode(windows), model.label(windows)
    found = model.diagnostics([EncodedEpisode(windows, states, latent, model.predict(states, latent))])
    assert {diagnostic.partition("/")[0] for diagnostic in found} == model.config.meanings.keys()


def test_the_tag_of_a_config_is_its_key_in_the_registry() -> None:
    for tag, config in WORLD_MODELS.items():
        assert config().kind == tag
        assert from_tagged_json(WORLD_MODELS, {"kind": tag}, "model") == config()


def test_only_glam_wants_noise_on_the_poses_that_its_idm_sees() -> None:
    noisy = {name for name, config in METHODS.items() if config.idm_rotation_noise > 0}
    assert noisy == {name for name in METHODS if name.startswith("glam")} - {"glam-o-exact-poses"}


def test_images_are_augmented_by_every_method_of_the_race_that_sees_them_and_masks_by_none() -> None:
    plain = {name for name, config in named_methods().items() if config.states.augmentation == NO_AUGMENTATION}
    masks = {name for name, config in named_methods().items() if config.states.observation == "masks"}
    assert plain == masks | {"glam-plain-images"}


def test_only_glam_looks_further_ahead_than_a_transition() -> None:
    far = {name for name, config in METHODS.items() if config.idm_frames > 2}
    assert far == {name for name in METHODS if name.startswith("glam")} - {"glam-o-one-frame"}
    with pytest.raises(GlamError, match=r"model\.idm_frames is 1; it must be at least 2"):
        GlamConfig(idm_frames=1)


@torch.no_grad()
@pytest.mark.parametrize("name", ["glam-o", "glam-o-one-frame"])
def test_a_label_depends_on_the_frames_that_the_idm_sees_and_on_no_other(name: str) -> None:
    """Windows of training and whole episodes agree: where the window is longer, its labels are those of the episode."""
    config = replace(named_methods()[name], parts=tiny.PARTS)
    torch.manual_seed(0)
    model, windows = config.build(tiny.SIZES).eval(), tiny.batch(frames=7).target
    whole = model.label(windows)
    part = model.label(Windows(*(value[:, :5] for value in (windows.image, windows.pose, windows.idm_pose))))
    unaffected = 5 - (config.idm_frames - 1)
    torch.testing.assert_close(part[:, :unaffected], whole[:, :unaffected])
    assert part.shape[1] == 4
    assert all(not torch.allclose(part[:, t], whole[:, t]) for t in range(unaffected, 4))


def test_tokens_must_divide_the_latent_action() -> None:
    with pytest.raises(GlamError, match=r"model\.tokens is 3, which does not divide the 8 entries"):
        LapaConfig(tokens=3).build(tiny.SIZES)


@dataclass(frozen=True)
class FlatImageModel(ConvImageModel):
    """Another encoder, with the fields of the first."""

    kind: Literal["flat"] = "flat"

    def encoder(self, image: ImageShape) -> nn.Module:
        return nn.Sequential(nn.Flatten(), nn.LazyLinear(self.feature_size))


def test_an_encoder_is_one_class_and_one_registry_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENCODERS, "flat", FlatImageModel)
    config = from_json(PartsConfig, {"encoder": {"kind": "flat", "feature_size": 5}})
    assert type(config.encoder) is FlatImageModel
    assert config.encoder.encoder(tiny.SIZES.image)(torch.zeros(2, 4, 16, 16)).shape == (2, 5)
    assert from_json(PartsConfig, to_json(PartsConfig())) == PartsConfig()
