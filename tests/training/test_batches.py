"""Batches of any nesting are moved, shared and looked through."""

from dataclasses import dataclass
from typing import NamedTuple

import pytest
import torch

from glam.core.errors import GlamError
from glam.training.batches import concatenated, non_finite_tensors, on_device, share_of


class Named(NamedTuple):
    x: torch.Tensor
    name: str


@dataclass(frozen=True)
class Nested:
    plain: torch.Tensor
    inner: dict
    named: Named
    fps: int = 10


def nested(rows: int = 4) -> Nested:
    x = torch.arange(2.0 * rows).reshape(rows, 2)
    return Nested(x, {"y": x + 100, "both": (x, [x + 1])}, Named(torch.arange(rows), "z"))


def test_a_share_has_its_rows_of_every_tensor_and_all_else_as_it_was():
    share = share_of(nested(), 1, 2)
    assert torch.equal(share.plain, nested().plain[2:])
    assert torch.equal(share.inner["y"], nested().inner["y"][2:])
    assert torch.equal(share.inner["both"][1][0], nested().plain[2:] + 1)
    assert share.named == (share.named.x, "z")
    assert share.named.x.tolist() == [2, 3]
    assert share.fps == 10


def test_the_only_share_is_the_batch_itself():
    batch = nested(3)
    assert share_of(batch, 0, 1) is batch


def test_rows_that_cannot_be_shared_equally_are_refused_by_name():
    with pytest.raises(GlamError, match=r"batch\.plain has 3 samples, which 2 processes cannot share equally"):
        share_of(nested(3), 0, 2)


def test_every_tensor_is_moved():
    moved = on_device(nested(), torch.device("meta"))
    tensors = [moved.plain, moved.inner["y"], moved.inner["both"][0], moved.inner["both"][1][0], moved.named.x]
    assert {tensor.device.type for tensor in tensors} == {"meta"}


def test_tensors_that_are_not_finite_are_named():
    batch = nested()
    assert non_finite_tensors(batch) == []
    batch.inner["both"][1][0][0, 0] = float("inf")
    batch.inner["y"][1, 1] = float("nan")
    assert non_finite_tensors(batch) == ["batch.inner.y", "batch.inner.both.1.0"]


def test_batches_of_one_type_are_concatenated_field_by_field():
    @dataclass(frozen=True)
    class Inner:
        values: torch.Tensor

    @dataclass(frozen=True)
    class Outer:
        inner: Inner
        ends: torch.Tensor

    parts = [Outer(Inner(torch.full((n, 2), float(n))), torch.arange(n)) for n in (1, 3)]
    whole = concatenated(parts)
    assert whole.inner.values[:, 0].tolist() == [1.0, 3.0, 3.0, 3.0]
    assert whole.ends.tolist() == [0, 0, 1, 2]
