"""Two processes that share a batch have, on average, the losses of one: for every learner there is."""

from collections.abc import Callable

import pytest
import torch
from tests.policies import tiny as policies
from tests.world_models import tiny as world_models

from glam.nn.gaussian import Noise
from glam.policies.direct import DirectPolicy, DirectPolicyConfig
from glam.policies.latent import LatentPolicy, LatentPolicyConfig
from glam.training.batches import share_of
from glam.training.learner import Learner, StepContext
from glam.world_models.clam import ClamConfig
from glam.world_models.glam import GlamConfig
from glam.world_models.lapa import LapaConfig


def world_model(config: GlamConfig | ClamConfig | LapaConfig) -> tuple[Learner, object]:
    return config.build(world_models.SIZES), world_models.batch(windows=4)


def latent() -> tuple[Learner, object]:
    config = LatentPolicyConfig(observation=policies.OBSERVATION, head=policies.HEAD)
    return LatentPolicy(config, policies.SIZES, latent=8, action=8), policies.latent_batch()


def direct() -> tuple[Learner, object]:
    config = DirectPolicyConfig(observation=policies.OBSERVATION, head=policies.HEAD)
    return DirectPolicy(config, policies.SIZES, action=8), policies.action_batch()


LEARNERS: dict[str, Callable[[], tuple[Learner, object]]] = {
    "glam": lambda: world_model(GlamConfig(parts=world_models.PARTS)),
    "clam": lambda: world_model(ClamConfig(parts=world_models.PARTS)),
    "clam on both sources": lambda: world_model(ClamConfig(parts=world_models.PARTS, learns_from_auxiliary=True)),
    "lapa": lambda: world_model(LapaConfig(parts=world_models.PARTS)),
    "latent": latent,
    "direct": direct,
}


@pytest.mark.parametrize("name", LEARNERS)
def test_losses_of_two_shares_average_to_those_of_the_whole_batch(name: str) -> None:
    learner, batch = LEARNERS[name]()

    def losses(share: int, shares: int) -> dict[str, torch.Tensor]:
        noise = Noise(torch.Generator().manual_seed(0), share, shares)
        return learner.losses(share_of(batch, share, shares), StepContext(50, 100, noise))

    with torch.no_grad():
        whole, first, second = losses(0, 1), losses(0, 2), losses(1, 2)
    for term, value in whole.items():
        assert first[term] != second[term], "the shares differ; otherwise their mean would say nothing"
        torch.testing.assert_close(
            (first[term] + second[term]) / 2, value, msg=lambda told, term=term: f"{term}: {told}"
        )
