import pytest

from glam.commands.flags import EncoderFlags
from glam.core.errors import GlamError
from glam.policies.encoders import ENCODERS
from glam.policies.encoders.cnn import CnnConfig
from glam.policies.encoders.dinov2_s14 import DinoV2S14Config
from glam.policies.encoders.efficientnet_lite0 import EfficientNetLite0Config
from glam.recipes import POLICIES, SIZES, encoder, policy


@pytest.mark.parametrize("method", sorted(POLICIES))
def test_every_method_uses_the_same_encoder(method: str) -> None:
    assert policy(method, "cpu").policy.observation.encoder == CnnConfig()
    paper = policy(method, "paper").policy.observation.encoder
    assert paper == DinoV2S14Config(side=224, training="joint", pixels=224)


@pytest.mark.parametrize("preset", SIZES)
def test_all_encoders_at_a_preset_make_a_code_of_one_size(preset) -> None:
    assert len({encoder(name, preset).code for name in ENCODERS}) == 1


def test_weights_and_training_can_be_chosen() -> None:
    config = encoder("efficientnet-lite0", "cpu", "frozen", "ab" * 32)
    assert config == EfficientNetLite0Config(side=96, sha256="ab" * 32, training="frozen")
    assert encoder("dinov2-s14", "cpu") == DinoV2S14Config(side=98)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("cnn", "cpu", "frozen"), "--encoder-training frozen: the encoder cnn starts from random weights"),
        (("cnn", "cpu", "joint", "00"), "--encoder-sha256: the encoder cnn starts from random weights"),
        (
            ("resnet", "cpu"),
            "no encoder 'resnet'; choose one of cnn, dinov2-s14, dinov2-s14-derived, efficientnet-lite0",
        ),
    ],
)
def test_choices_that_do_not_fit_are_refused_in_one_sentence(arguments, sentence: str) -> None:
    with pytest.raises(GlamError, match=sentence):
        encoder(*arguments)


def test_without_a_flag_the_encoder_is_the_presets() -> None:
    observation = policy("mip", "paper").policy.observation
    assert EncoderFlags().applied(observation, "paper") == observation
    assert EncoderFlags(encoder="cnn").applied(observation, "paper").encoder == encoder("cnn", "paper")
    flags = EncoderFlags(encoder="dinov2-s14", encoder_training="frozen")
    assert flags.applied(observation, "cpu").encoder == DinoV2S14Config(side=98, training="frozen")
