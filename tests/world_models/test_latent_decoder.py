from dataclasses import replace

import numpy as np
import pytest
import torch
from tests.world_models import tiny

from glam.data.normalizer import Normalizer
from glam.training.learner import FitConfig
from glam.world_models.batches import LabelledWindowSource
from glam.world_models.lapa import Lapa, LapaConfig
from glam.world_models.latent_decoder import LabelledTransitions, LatentDecoderConfig, fit_decoder
from glam.world_models.runs import TrainedWorldModel, WorldModelInterface, label_episode
from glam.world_models.states import StatesConfig

SHORT = LatentDecoderConfig(batch_size=64, fit=FitConfig(steps=300, learning_rate=1e-2, threads=1))


@pytest.fixture(scope="module")
def target() -> LabelledWindowSource:
    return tiny.sources()[0]


@pytest.fixture(scope="module")
def trained(target: LabelledWindowSource) -> TrainedWorldModel:
    torch.manual_seed(0)
    model = Lapa(LapaConfig(tiny.PARTS, StatesConfig(observation="masks")), tiny.SIZES).eval()
    normalizer = Normalizer.fit(target, [tiny.sources()[1]])
    interface = WorldModelInterface(10, ("front", "overhead"), ("red", "blue"), ("arm",), 16, "masks")
    return TrainedWorldModel(model, normalizer, interface, tiny.SIZES, "digest")


def transitions(seed: int, scale: float = 1.0, rows: int = 400) -> LabelledTransitions:
    """Latents of a few codes, as LAPA has them, that say all about the actions."""
    codes = np.random.default_rng(0).normal(size=(4, 8, 2))
    drawn = np.random.default_rng(seed).integers(0, 8, (rows, 4))
    latents = np.concatenate([codes[token, drawn[:, token]] for token in range(4)], axis=1)
    actions = latents @ np.random.default_rng(1).normal(size=(8, 8))
    return LabelledTransitions((scale * latents).astype(np.float32), actions.astype(np.float32))


@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_what_latents_say_of_actions_is_learnt_whatever_their_size(trained: TrainedWorldModel, scale: float) -> None:
    fitted = fit_decoder(trained, transitions(0, scale), SHORT)
    variance = float(np.mean(trained.normalizer.action.normalize(transitions(9).actions) ** 2))
    assert fitted.error(transitions(9, scale)) < 0.02 * variance


def test_equal_labels_give_equal_bits(trained: TrainedWorldModel) -> None:
    short = replace(SHORT, fit=replace(SHORT.fit, steps=5))
    first, second = (fit_decoder(trained, transitions(0), short).actions(transitions(9).latents) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_a_latent_goes_with_the_action_that_led_from_its_frame_to_the_next(
    trained: TrainedWorldModel, target: LabelledWindowSource
) -> None:
    labelled = LabelledTransitions.of(trained, target, target.split.held_out)
    start, length = int(target.split.held_out.starts[0]), int(target.split.held_out.lengths[0])
    rows = np.arange(start, start + length)
    np.testing.assert_array_equal(labelled.latents[: length - 1], label_episode(trained, target, rows))
    np.testing.assert_array_equal(labelled.actions[: length - 1], target.frames.action[rows[:-1]])
    assert len(labelled.actions) == len(labelled.latents) == sum(target.split.held_out.lengths - 1)
