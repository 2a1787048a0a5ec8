"""A trained policy through `glam export` and back: nothing is lost, and what cannot be exported is refused."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import torch
from tests.data import tiny
from tests.policies.encoders import pretrained_files as files

from glam.core import seals
from glam.core.configs import from_json
from glam.core.errors import GlamError
from glam.core.files import read_json
from glam.interop.export_lerobot import require_intact
from glam.interop.exported_policy import Description, ExportedPolicy
from glam.policies import trained
from glam.recipes import policy, world_model
from glam.stages.export import export
from glam.stages.train_policy import Inputs, train_policy
from glam.stages.train_world_model import train_world_model


class Runs:
    """Trainings of a moment on sets made of formulas."""

    def __init__(self, root: Path) -> None:
        self.target, self.auxiliary, self.root = root / "target", root / "aux", root
        tiny.record(self.target, 3)
        tiny.record(self.auxiliary, 3, tiny.AUXILIARY)
        self.world_model = train_world_model(
            world_model("glam-o", "smoke"), self.target, [self.auxiliary], root / "world-model"
        )
        self.mip = train_policy(policy("mip", "smoke"), Inputs(self.target), root / "mip")
        inputs = Inputs(self.target, (self.auxiliary,), self.world_model)
        self.latent = train_policy(policy("latent", "smoke"), inputs, root / "latent")
        self.frozen = self._frozen()

    def _frozen(self) -> Path:
        weights = self.root / "weights.pth"
        recipe = policy("mip", "smoke")
        observation = replace(recipe.policy.observation, encoder=files.config(files.write_weights(weights)))
        recipe = replace(recipe, policy=replace(recipe.policy, observation=observation))
        return train_policy(recipe, Inputs(self.target, encoder_weights=weights), self.root / "frozen")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return Runs(tmp_path_factory.mktemp("runs"))


def loaded(folder: Path) -> ExportedPolicy:
    """What a plugin makes of the folder."""
    module = ExportedPolicy(from_json(Description, read_json(folder / "config.json")["description"]))
    weights = safetensors.torch.load_file(folder / "model.safetensors")
    module.load_state_dict({name.removeprefix("model."): weight for name, weight in weights.items()})
    return module.eval()


@pytest.mark.parametrize("name", ["mip", "latent", "frozen"])
def test_an_exported_policy_answers_to_the_last_bit_as_the_run_does(runs: Runs, name: str, tmp_path: Path) -> None:
    run = getattr(runs, name)
    folder = export(run, tmp_path / "out")
    numbers, rows = np.random.default_rng(0), 4
    images = numbers.integers(0, 256, (rows, 2, 24, 36, 3), np.uint8)  # not of the policy's size
    poses, states = (numbers.standard_normal((rows, size)).astype(np.float32) for size in (10, 3))
    expected = trained.load(run).act(images, poses, states)
    views = [torch.from_numpy(images[:, view]) for view in range(2)]
    found = loaded(folder).act(views, torch.from_numpy(poses), torch.from_numpy(states))
    assert found.numpy().tobytes() == expected.tobytes()


def test_the_folder_says_what_it_was_made_of(runs: Runs, tmp_path: Path) -> None:
    notes = read_json(export(runs.latent, tmp_path / "out") / "glam.json")
    assert notes["lineage"]["digest"] == trained.load(runs.latent).digest
    assert notes["lineage"]["world_model"] == "glam-o"
    assert "torch" in notes["versions"]


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "policy_postprocessor.json", "glam.json"])
def test_a_flipped_bit_in_an_export_is_found(runs: Runs, tmp_path: Path, name: str) -> None:
    folder = export(runs.mip, tmp_path / "out")
    require_intact(folder)
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(GlamError, match=f"{name}: damaged"):
        require_intact(folder)
    seals.unseal(folder)  # what LeRobot saves has no seal
    require_intact(folder)


def test_an_empty_folder_is_filled_and_a_full_one_is_refused(runs: Runs, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    export(runs.mip, out)
    before = {path: path.read_bytes() for path in out.iterdir()}
    with pytest.raises(GlamError, match=r"--out .*out: is not an empty folder"):
        export(runs.latent, out)
    assert {path: path.read_bytes() for path in out.iterdir()} == before
    with pytest.raises(GlamError, match="not an empty folder"):
        export(runs.latent, out / "config.json")


def test_what_is_no_finished_policy_is_refused_and_nothing_is_written(runs: Runs, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(GlamError, match="holds a world-model, not a policy"):
        export(runs.world_model, out)
    with pytest.raises(GlamError, match="not the folder of a training"):
        export(runs.target, out)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_nothing_behind(runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("glam.core.files.write_bytes", full)
    with pytest.raises(GlamError, match=r"cannot be written \(No space left on device\)"):
        export(runs.mip, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
