"""Tensors come back as they were; what is not finite, not safetensors or not for this model is refused by name."""

import json
from pathlib import Path

import pytest
import torch

from glam.core.errors import GlamError
from glam.training.tensors import MOST_HEADER, built, fill, from_bytes, to_bytes

PATH = Path("run/model.safetensors")


def samples():
    return {
        "matrix": torch.randn(3, 4),
        "kernel": torch.randn(2, 3, 4, 4).contiguous(memory_format=torch.channels_last),
        "counts": torch.tensor([1, 2**40]),
        "step": torch.tensor(7.0),
        "empty": torch.zeros(0, 3),
        "part": torch.randn(4, 4)[:, 1:3],
    }


def test_tensors_come_back_bit_by_bit():
    tensors = samples()
    found = from_bytes(to_bytes(tensors, PATH), PATH)
    assert found.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert torch.equal(found[name], tensor)
        assert found[name].dtype == tensor.dtype


def test_equal_tensors_are_equal_bytes():
    tensors = samples()
    assert to_bytes(tensors, PATH) == to_bytes(dict(reversed(tensors.items())), PATH)


def test_tensors_that_share_memory_are_written_each_for_itself():
    weight = torch.ones(2, 2)
    assert from_bytes(to_bytes({"one": weight, "other": weight}, PATH), PATH).keys() == {"one", "other"}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_not_finite_is_neither_written_nor_read(value):
    tensors = {"good": torch.ones(2), "bad": torch.tensor([1.0, value])}
    with pytest.raises(GlamError, match=r"tensor 'bad' holds a NaN or an infinity; nothing was written"):
        to_bytes(tensors, PATH)
    one = to_bytes({"bad": torch.tensor([1.0, 123456.0])}, PATH)
    forged = one.replace(torch.tensor(123456.0).numpy().tobytes(), torch.tensor(value).numpy().tobytes())
    assert forged != one
    with pytest.raises(GlamError, match=r"model\.safetensors: tensor 'bad' holds"):
        from_bytes(forged, PATH)


def header(text: str, data: bytes = b"") -> bytes:
    return len(text).to_bytes(8, "little") + text.encode() + data


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x80\x04\x95\x0e\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix",  # a pickle
        b"PK\x03\x04" + bytes(100),  # a zip, as torch.save writes
        header("{"),
        header(json.dumps({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})),
        header(json.dumps({"a": {"dtype": "F32", "shape": [2**62, 4], "data_offsets": [0, 8]}}), bytes(8)),
        header(json.dumps({"a": {"dtype": "object", "shape": [1], "data_offsets": [0, 8]}}), bytes(8)),
        (2**40).to_bytes(8, "little") + b"{}",
        header(json.dumps({f"t{n}": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]} for n in range(150_000)})),
    ],
)
def test_what_is_no_safetensors_file_is_refused(content):
    with pytest.raises(GlamError, match=r"model\.safetensors: not a safetensors file"):
        from_bytes(content, PATH)


def test_tensors_are_filled_in_place_and_keep_their_memory_format():
    kernel = torch.zeros(2, 3, 4, 4).contiguous(memory_format=torch.channels_last)
    new = torch.randn(2, 3, 4, 4)
    fill({"kernel": kernel}, {"kernel": new}, PATH)
    assert torch.equal(kernel, new)
    assert kernel.is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ({}, "tensor 'a' is missing"),
        ({"a": torch.zeros(2, 3), "b": torch.zeros(1)}, "tensor 'b' has no place in this model"),
        ({"a": torch.zeros(3, 2)}, "tensor 'a' is 3 x 2 float32, not 2 x 3 float32"),
        ({"a": torch.zeros(2, 3, dtype=torch.float64)}, "tensor 'a' is 2 x 3 float64, not 2 x 3 float32"),
        ({"a": torch.tensor(0.0)}, "tensor 'a' is scalar float32, not 2 x 3 float32"),
    ],
)
def test_another_architecture_is_refused_and_nothing_is_changed(found, message):
    target = torch.ones(2, 3)
    with pytest.raises(GlamError, match=f"model.safetensors: made for another architecture: {message}"):
        fill({"a": target}, found, PATH)
    assert torch.equal(target, torch.ones(2, 3))


def test_a_header_of_very_many_tensors_is_not_parsed(monkeypatch):
    monkeypatch.setattr("safetensors.torch.load", lambda content: pytest.fail("parsed"))
    with pytest.raises(GlamError, match="its header has more than"):
        from_bytes(header(" " * (MOST_HEADER + 1)), PATH)


def weights_of(module):
    return {name: torch.full_like(tensor, 0.5) for name, tensor in module.state_dict().items()}


def test_a_module_is_built_with_the_weights_found():
    state = torch.get_rng_state()
    module = built(lambda: torch.nn.Linear(3, 2), weights_of(torch.nn.Linear(3, 2)), PATH)
    assert module.weight.device.type == "cpu"
    assert (module.weight == 0.5).all()
    torch.set_rng_state(state)
    again = torch.nn.Linear(3, 2)
    torch.set_rng_state(state)
    built(lambda: torch.nn.Linear(3, 2), weights_of(again), PATH)
    after = torch.rand(1)
    torch.set_rng_state(state)
    torch.nn.Linear(3, 2)
    assert torch.equal(after, torch.rand(1))  # the outline draws no random numbers


def deep():
    while True:
        yield torch.nn.Linear(1, 1)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: torch.nn.Linear(10**7, 10**7), "describes a much larger one"),
        (lambda: torch.nn.Sequential(*deep()), "describes a much larger one"),
        (lambda: torch.nn.Linear(4, 2), "tensor 'weight' is 2 x 3 float32, not 2 x 4 float32"),
        (lambda: torch.nn.Linear(-4, 2), "describes none"),
        (lambda: torch.nn.Conv2d(3, 4, 3, groups=2), "describes none"),
        (lambda: {}["missing"], "describes none"),
    ],
)
def test_a_config_of_another_network_is_refused_before_memory_is_taken(make, sentence):
    with pytest.raises(GlamError, match=f"model.safetensors: made for another architecture: .*{sentence}"):
        built(make, weights_of(torch.nn.Linear(3, 2)), PATH)
    assert torch.nn.Linear(10, 10**5)  # nothing is counted any more
