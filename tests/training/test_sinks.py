"""Other logs get the same values; what is not installed is said with the extra that has it."""

import sys
from types import ModuleType

import pytest

from glam.core.errors import GlamError
from glam.training.metrics import opener


@pytest.mark.parametrize("name", ["tensorboard", "wandb", "trackio"])
def test_a_package_that_is_not_installed_is_named_with_its_extra(name, tmp_path, monkeypatch):
    for module in ("torch.utils.tensorboard", "wandb", "trackio"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(GlamError, match=rf"logging to {name} needs the extra \[log\]"):
        opener(name, tmp_path, {})


def test_an_unknown_log_is_refused_with_the_known(tmp_path):
    with pytest.raises(GlamError, match="no log 'mlflow'; choose one of tensorboard, trackio, wandb"):
        opener("mlflow", tmp_path, {})


def test_tensorboard_gets_scalars_and_forgets_what_comes_after_the_checkpoint(tmp_path, monkeypatch):
    calls = []

    class SummaryWriter:
        def __init__(self, folder, purge_step):
            calls.append((folder, purge_step))

        def add_scalar(self, *arguments):
            calls.append(arguments)

        def close(self):
            calls.append("closed")

    module = ModuleType("torch.utils.tensorboard")
    module.SummaryWriter = SummaryWriter
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", module)
    sink = opener("tensorboard", tmp_path, {})(40)
    sink.write(50, {"train/loss": 0.5})
    sink.close()
    assert calls == [(str(tmp_path / "tensorboard"), 41), ("train/loss", 0.5, 50), "closed"]


@pytest.mark.parametrize("name", ["wandb", "trackio"])
def test_a_hosted_log_gets_config_and_values_and_goes_on_with_its_run(name, tmp_path, monkeypatch):
    settings, logged = [], []
    module = ModuleType(name)
    module.init = lambda **given: settings.append(given)
    module.log = lambda values, step: logged.append((values, step))
    module.finish = lambda: logged.append("finished")
    monkeypatch.setitem(sys.modules, name, module)
    for _ in range(2):
        sink = opener(name, tmp_path / "run", {"steps": 3})(0)
    sink.write(50, {"train/loss": 0.5})
    sink.close()
    assert logged == [({"train/loss": 0.5}, 50), "finished"]
    assert settings[0] == settings[1]
    assert settings[0]["config"] == {"steps": 3}
    assert settings[0]["name"] == "run"
    assert settings[0]["resume"] == "allow"
    assert ("id" in settings[0]) == (name == "wandb")
