"""Weights out of ONNX files, and files that are none."""

from pathlib import Path

import pytest
import torch
from tests.policies.encoders import derived_file

from glam.core.errors import GlamError
from glam.policies.encoders import onnx_weights

PATH = Path("model.onnx")
WEIGHTS = {"first": torch.arange(6.0).reshape(2, 3), "onnx::MatMul_7": torch.tensor([[1.5]])}


@pytest.fixture
def content() -> bytes:
    return derived_file.file([derived_file.node("/layer/MatMul", "MatMul", "onnx::MatMul_7")], WEIGHTS)


def test_weights_and_the_nodes_that_use_them_are_read(content: bytes) -> None:
    found = onnx_weights.read(content, PATH)
    assert found.tensors.keys() == WEIGHTS.keys()
    for name, tensor in WEIGHTS.items():
        assert torch.equal(found.tensors[name], tensor)
    assert found.used_by == {"onnx::MatMul_7": "/layer/MatMul"}


def test_a_file_cut_anywhere_is_refused_in_one_sentence(content: bytes) -> None:
    for length in range(len(content)):
        with pytest.raises(GlamError, match=r"^model\.onnx: not a sound ONNX file"):
            onnx_weights.read(content[:length], PATH)


@pytest.mark.parametrize("content", [b"", b"\xff" * 40, b"\x0b\x00", b"no protobuf at all"])
def test_what_is_no_onnx_file_is_refused_in_one_sentence(content: bytes) -> None:
    with pytest.raises(GlamError, match=r"^model\.onnx: not a sound ONNX file \([^\n]*\); give another$"):
        onnx_weights.read(content, PATH)


def test_a_weight_of_another_size_than_its_shape_is_refused() -> None:
    wrong = derived_file.initializer("first", WEIGHTS["first"]).replace(b"\x08\x03", b"\x08\x04", 1)
    graph = derived_file.tiny_onnx._bytes(5, wrong)
    with pytest.raises(GlamError, match=r"first has 24 bytes, but the shape \[2, 4\]"):
        onnx_weights.read(derived_file.tiny_onnx._bytes(7, graph), PATH)
