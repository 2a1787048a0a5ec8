import torch
from tests.world_models import tiny

from glam.nn.gaussian import Noise
from glam.training.learner import StepContext
from glam.world_models.lapa import Lapa, LapaConfig
from glam.world_models.states import StatesConfig


def trained(replace_every: int, steps: int = 200) -> Lapa:
    """A short training from a codebook that starts far away from everything the IDM says."""
    torch.manual_seed(0)
    states = StatesConfig(observation="masks", has_image=False)
    model = Lapa(LapaConfig(tiny.PARTS, states, replace_every=replace_every), tiny.SIZES)
    with torch.no_grad():
        model.quantiser.codebook += 20.0 * torch.arange(8.0).view(1, 8, 1)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(steps):
        context = StepContext(step, steps, Noise.seeded(step))
        terms = model.losses(tiny.batch(step, windows=8, frames=8), context)
        optimiser.zero_grad()
        sum(terms.values()).backward()
        optimiser.step()
        model.after_step(context)
    return model


def codes_used(model: Lapa) -> int:
    states = model.states.encode(tiny.batch(999, windows=32, frames=8).target)
    encoded = model.idm(states.current().x, states.next().x).mean
    indices = model.quantiser.indices(encoded.flatten(0, 1))
    return min(len(indices[:, token].unique()) for token in range(indices.shape[1]))


def test_dead_codes_are_revived_where_the_codebook_would_collapse() -> None:
    assert codes_used(trained(replace_every=10_000)) <= 3
    assert codes_used(trained(replace_every=20)) >= 6


def test_labels_are_codes_of_the_codebook() -> None:
    model = trained(replace_every=20, steps=5)
    label = model.label(tiny.batch().target)[0, 0].view(4, 2)
    distance = (model.quantiser.codebook - label.unsqueeze(1)).abs().sum(-1).min(1).values
    assert torch.all(distance == 0)
