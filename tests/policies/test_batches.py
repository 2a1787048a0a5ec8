import torch
from tests.policies import tiny

from glam.policies.batches import Chunks


def test_some_steps_of_chunks_are_taken_with_what_is_real_of_them() -> None:
    whole = tiny.chunks()
    whole = Chunks(whole.values, torch.arange(5).expand(6, 5) < 3)
    some = whole.at(torch.tensor([4, 0]))
    assert torch.equal(some.values, torch.stack([whole.values[:, 4], whole.values[:, 0]], dim=1))
    assert some.is_real.tolist() == [[False, True]] * 6
