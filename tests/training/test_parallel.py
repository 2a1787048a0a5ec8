"""Two processes that share a batch train what one would."""

import pytest
import torch
from torch import nn

from glam.training import checkpoint
from glam.training.batches import ALONE, Processes, joined
from glam.training.recorder import CHECKPOINTS


def test_two_processes_have_the_losses_and_weights_of_one_on_the_same_batch(trials, tmp_path):
    logs = trials("parallel")
    assert len(logs["one"]) == len(logs["two"]) == 8
    for line, shared in zip(logs["one"], logs["two"], strict=True):
        assert line.keys() == shared.keys()
        for name in line.keys() - {"seconds", "split"}:
            assert shared[name] == pytest.approx(line[name], rel=1e-5, abs=1e-5), (line["step"], name)
    one, two = (checkpoint.load(tmp_path / name / CHECKPOINTS, 12).tensors for name in ("one", "two"))
    for part in checkpoint.PARTS:
        assert one[part].keys() == two[part].keys()
        for name, tensor in one[part].items():
            torch.testing.assert_close(two[part][name], tensor, rtol=1e-5, atol=1e-5)
    losses = [line["loss.image"] for line in logs["one"] if line["split"] == "train"]
    assert max(losses) - min(losses) > 1e-2, "losses move; otherwise their equality would say nothing"


def test_without_torchrun_there_is_one_process(monkeypatch):
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with joined("cpu") as processes:
        assert processes is ALONE


def test_a_process_alone_changes_nothing():
    module = nn.Linear(2, 1)
    module(torch.ones(1, 2)).sum().backward()
    before = module.weight.grad.clone()
    ALONE.broadcast(module)
    ALONE.average_gradients(module)
    ALONE.add_up_buffers(module, ALONE.buffers(module))
    ALONE.wait()
    assert torch.equal(module.weight.grad, before)
    assert ALONE.mean({"a": torch.tensor(1.5), "b": torch.tensor(2.0)}) == {"a": 1.5, "b": 2.0}


def test_each_process_on_a_machine_has_a_gpu_of_its_own():
    assert str(Processes(5, 8, local_rank=1).device("cuda")) == "cuda:1"
    assert str(Processes(5, 8, local_rank=1).device("cuda:0")) == "cuda:0"
    assert str(Processes(5, 8, local_rank=1).device("cpu")) == "cpu"


def test_the_first_process_alone_writes():
    assert ALONE.is_first
    assert not Processes(1, 2).is_first
