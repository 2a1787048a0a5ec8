import torch
from tests.policies import tiny

from glam.nn.gaussian import Noise
from glam.policies.heads.flow import Flow, FlowConfig


def head(steps: int = 5) -> Flow:
    torch.manual_seed(0)
    return Flow(12, 8, FlowConfig(chunk_size=5, layers=2, hidden=32, steps=steps, draws=1))


def drawn() -> tuple[torch.Tensor, torch.Tensor]:
    """The noise and the times that a head draws from the seed 3."""
    noise = Noise.seeded(3)
    return noise.normal(4, 5, 8), noise.uniform(4, 1)[..., None]


def test_a_field_that_is_right_has_no_loss_and_ends_at_the_chunk() -> None:
    flow, chunks = head(), tiny.chunks(4)
    start, time = drawn()
    flow.network.forward = lambda condition, between, at: (chunks.values - between) / (1.0 - at[..., None])
    output = flow.training_forward(tiny.normal(4, 12), chunks, Noise.seeded(3))
    torch.testing.assert_close(output.loss, torch.tensor(0.0), atol=1e-8, rtol=0.0)
    torch.testing.assert_close(output.predictions[0].chunk, chunks.values)
    assert not torch.allclose(start + time * (chunks.values - start), chunks.values)


def test_the_loss_of_a_field_that_stands_still_is_the_squared_velocity() -> None:
    flow, chunks = head(), tiny.chunks(4)
    start, time = drawn()
    flow.network.forward = lambda condition, between, at: torch.zeros_like(between)
    output = flow.training_forward(tiny.normal(4, 12), chunks, Noise.seeded(3))
    torch.testing.assert_close(output.loss, (chunks.values - start).square().mean())
    torch.testing.assert_close(output.predictions[0].chunk, (1 - time) * start + time * chunks.values)


def test_a_sample_of_a_constant_field_is_that_field_with_any_number_of_steps() -> None:
    for steps in (1, 4):
        flow = head(steps)
        flow.network.forward = lambda condition, chunk, at: torch.full_like(chunk, 0.5)
        torch.testing.assert_close(flow.sample(tiny.normal(4, 12)), torch.full((4, 5, 8), 0.5))


def test_euler_steps_are_taken_at_the_times_from_zero_on() -> None:
    flow, times = head(4), []
    flow.network.forward = lambda condition, chunk, at: (times.append(at[0, 0].item()), torch.zeros_like(chunk))[1]
    flow.sample(tiny.normal(4, 12))
    assert times == [0.0, 0.25, 0.5, 0.75]
