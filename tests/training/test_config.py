"""Settings that cannot be meant are refused by name."""

import pytest

from glam.core.configs import from_json, to_json
from glam.core.errors import GlamError
from glam.training.learner import FitConfig


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("steps", 0, "steps is 0; it must be at least 1"),
        ("save_every", 0, "save-every is 0; it must be at least 1"),
        ("log_every", -1, "log-every"),
        ("threads", 0, "threads"),
        ("validate_every", -1, "validate-every is -1; it must be at least 0"),
        ("weight_decay", -0.1, "weight-decay"),
        ("grad_clip", -1.0, "grad-clip"),
        ("learning_rate", 0.0, "learning-rate is 0.0; it must be positive"),
        ("learning_rate", float("nan"), "learning-rate"),
        ("learning_rate", float("inf"), "learning-rate"),
        ("warmup", 1.5, "warmup is 1.5; it must be between 0 and 1"),
        ("ema_decay", 1.0, "ema-decay is 1.0; it must be at least 0 and below 1"),
        ("precision", "bf16", "precision bf16 needs a GPU"),
    ],
)
def test_a_setting_out_of_range_is_refused(field, value, message):
    with pytest.raises(GlamError, match=message):
        FitConfig(**{field: value})


def test_a_config_survives_json():
    config = FitConfig(steps=7, device="cuda", precision="bf16", warmup=0.25)
    assert from_json(FitConfig, to_json(config)) == config
