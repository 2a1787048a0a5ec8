"""The machine is set for equal bits while training, and as it was afterwards."""

import subprocess
import sys

import pytest
import torch

from glam.core.errors import GlamError
from glam.training.learner import FitConfig
from glam.training.reproducibility import description, prepared, require_device, versions

START_WORKERS_THEN_FLUSH = """
import torch
from glam.training.reproducibility import flush_denormals
torch.set_num_threads(2)
torch.ones(1 << 20).mul(2)
answer = flush_denormals()
product = torch.full((1 << 20,), 1e-30) * 1e-10
print(answer, product.view(torch.int32).unique().tolist())
"""


def product() -> torch.Tensor:
    return (torch.full((4,), 1e-30) * 1e-10).view(torch.int32)


def test_settings_hold_inside_and_come_back():
    before = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    with prepared(FitConfig(threads=3)):
        assert torch.get_num_threads() == 3
        assert torch.are_deterministic_algorithms_enabled()
        assert torch.utils.deterministic.fill_uninitialized_memory is False
    assert (torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()) == before
    assert torch.utils.deterministic.fill_uninitialized_memory is True


def test_settings_come_back_after_an_error():
    before = torch.get_num_threads()
    with pytest.raises(ZeroDivisionError), prepared(FitConfig(threads=before + 1)):
        raise ZeroDivisionError
    assert torch.get_num_threads() == before


def test_denormals_are_flushed_in_no_thread_when_workers_run_without():
    command = [sys.executable, "-c", START_WORKERS_THEN_FLUSH]
    child = subprocess.run(command, capture_output=True, text=True, check=True)
    answer, *values = child.stdout.split()
    assert answer == "False"
    assert len(values) == 1, "all threads agree"


def test_denormals_are_flushed_while_training_and_not_afterwards():
    assert product().any()
    with prepared(FitConfig(threads=1)):
        assert not product().any()
    assert product().any()


@pytest.mark.parametrize("name", ["cuda:77", "gpu", "cpu:x"])
def test_a_device_that_is_not_there_is_refused_with_those_that_are(name):
    with pytest.raises(GlamError, match=rf"device {name}: not available here; choose one of cpu"):
        require_device(name)


def test_versions_name_what_the_bits_depend_on():
    assert versions()["torch"] == torch.__version__
    assert {"glam-robot", "numpy", "safetensors", "torch"} == versions().keys()


def test_the_machine_is_described():
    assert description().keys() == {"python", "processor", "instructions"}
