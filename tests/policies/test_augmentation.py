import pytest
import torch

from glam.nn.gaussian import Noise
from glam.policies.batches import color_jitter, random_shift


def spots(rows: int = 200) -> torch.Tensor:
    """Black images with one white pixel at line 4, column 6."""
    images = torch.zeros(rows, 2, 3, 9, 11)
    images[..., 4, 6] = 1.0
    return images


def test_jitter_changes_each_view_by_itself_and_stays_within_bounds() -> None:
    grey = torch.full((50, 2, 3, 2, 2), 0.5)
    varied = color_jitter(grey, 0.1, Noise.seeded(0))
    assert 0.5 * 0.9**2 <= float(varied.min()) < 0.47
    assert 0.53 < float(varied.max()) <= 0.5 * 1.1**2
    assert not torch.equal(varied[:, 0], varied[:, 1])
    assert float(color_jitter(torch.ones(50, 1, 3, 1, 1), 0.1, Noise.seeded(0)).max()) == 1.0


def test_moves_say_where_the_content_went() -> None:
    moved = random_shift(spots(), 2, Noise.seeded(0))
    for row in range(200):
        for view in range(2):
            ((line, column),) = moved.images[row, view, 0].nonzero().tolist()
            x, y = moved.moves[row, view].tolist()
            assert (column - 6) * 2 / 10 == pytest.approx(x)
            assert (line - 4) * 2 / 8 == pytest.approx(y)
    assert {round(value * 5) for value in moved.moves[..., 0].flatten().tolist()} == {-2, -1, 0, 1, 2}


def test_what_comes_into_view_repeats_the_edge() -> None:
    ramp = torch.arange(8.0).expand(1, 1, 3, 8, 8)
    for seed in range(20):
        moved = random_shift(ramp, 3, Noise.seeded(seed))
        move = round(moved.moves[0, 0, 0].item() * 7 / 2)
        expected = (torch.arange(8.0) - move).clamp(0, 7)
        assert torch.equal(moved.images[0, 0, 0], expected.expand(8, 8))
