"""Every world model can learn, and what it learns can be read back."""

import pytest
import torch
from tests.world_models import tiny

from glam.recipes import METHODS, world_model


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gets_better_at_predicting_actions_or_poses(method: str) -> None:
    torch.manual_seed(0)
    model = world_model(method, "smoke").model.build(tiny.SIZES)
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    batch = tiny.batch()
    goals = []
    for step in range(120):
        terms = model.losses(batch, tiny.context(step=99, seed=step))
        total = sum(model.weights[name] * term for name, term in terms.items())
        optimiser.zero_grad()
        total.backward()
        optimiser.step()
        goals.append(terms["action" if "action" in terms else "forward_pose"].item())
    assert sum(goals[-5:]) < 0.8 * sum(goals[:5])


@pytest.mark.parametrize("method", METHODS)
def test_labels_are_one_vector_per_transition_and_the_same_every_time(method: str) -> None:
    model = world_model(method, "smoke").model.build(tiny.SIZES).eval()
    windows = tiny.batch().target
    labels = model.label(windows)
    assert labels.shape == (3, 3, 8)
    assert torch.equal(labels, model.label(windows))
