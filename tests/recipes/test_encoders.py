import pytest

from glam.commands.encoder import EncoderFlags
from glam.core.errors import GlamError
from glam.policies.eyes import PretrainedConfig
from glam.policies.networks import DinoConfig, EfficientNetConfig
from glam.policies.vision import VisionConfig
from glam.recipes.encoders import EYES, eyes
from glam.recipes.policies import METHODS, policy


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_looks_with_the_same_eyes(method: str) -> None:
    assert policy(method, "cpu").policy.condition.vision == VisionConfig()
    paper = policy(method, "paper").policy.condition.vision
    assert paper == PretrainedConfig(DinoConfig(side=224), "joint", pixels=224)


def test_all_eyes_at_a_scale_make_a_code_of_one_size() -> None:
    for choices in EYES.values():
        assert len({config.code for config in choices.values()}) == 1
        assert choices.keys() == {"cnn", "efficientnet-lite0", "dinov2-s14"}


def test_weights_and_training_can_be_chosen() -> None:
    config = eyes("efficientnet-lite0", "cpu", "frozen", "ab" * 32)
    assert config == PretrainedConfig(EfficientNetConfig(side=96, sha256="ab" * 32), "frozen")
    assert eyes("dinov2-s14", "cpu") == PretrainedConfig(DinoConfig(side=98))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("cnn", "cpu", "frozen"), "--encoder-training frozen: the eyes cnn begin with random weights"),
        (("cnn", "cpu", "joint", "00"), "--encoder-sha256: the eyes cnn begin with random weights"),
        (("resnet", "cpu"), "no eyes 'resnet'; choose one of cnn, dinov2-s14, efficientnet-lite0"),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(arguments, sentence: str) -> None:
    with pytest.raises(GlamError, match=sentence):
        eyes(*arguments)


def test_flags_take_the_scales_eyes_unless_told_otherwise() -> None:
    condition = policy("mip", "paper").policy.condition
    assert EncoderFlags().applied(condition, "paper") == condition
    assert EncoderFlags(eyes="cnn").applied(condition, "paper").vision == EYES["paper"]["cnn"]
    frozen = EncoderFlags(eyes="dinov2-s14", encoder_training="frozen").applied(condition, "cpu").vision
    assert frozen == PretrainedConfig(DinoConfig(side=98), "frozen")
