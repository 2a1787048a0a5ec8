import torch
from tests.policies import tiny

from glam.policies.vision import Eyes


def test_every_view_has_eyes_of_its_own() -> None:
    torch.manual_seed(0)
    eyes = Eyes(2, tiny.CONDITION.vision)
    pictures = tiny.normal(3, 2, 3, 16, 16).sigmoid()
    assert eyes(pictures).shape == (3, 8)
    assert not torch.allclose(eyes(pictures), eyes(pictures.flip(1)))
