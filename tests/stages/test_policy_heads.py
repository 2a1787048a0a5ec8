"""Every registered policy head from training to the robot: trained, loaded, exported and served."""

from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import torch
from tests.data import tiny

from glam.core.configs import from_json
from glam.core.errors import GlamError
from glam.core.files import read_json
from glam.interop.exported_policy import Description, ExportedPolicy
from glam.policies import trained
from glam.policies.heads import HEADS
from glam.recipes import policy, world_model
from glam.stages.export import export
from glam.stages.serve import load_served
from glam.stages.train_policy import Inputs, train_policy
from glam.stages.train_world_model import train_world_model


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Inputs]:
    root = tmp_path_factory.mktemp("heads")
    tiny.record(root / "target", 3)
    tiny.record(root / "aux", 3, tiny.AUXILIARY)
    model = train_world_model(world_model("glam-o", "smoke"), root / "target", [root / "aux"], root / "model")
    return {"direct": Inputs(root / "target"), "latent": Inputs(root / "target", (root / "aux",), model)}


@pytest.mark.parametrize("method", ["direct", "latent"])
@pytest.mark.parametrize("head", HEADS)
def test_a_policy_answers_alike_from_its_run_exported_and_served(
    inputs, method: str, head: str, tmp_path: Path
) -> None:
    run = train_policy(policy(method, "smoke", head), inputs[method], tmp_path / "run")
    numbers = np.random.default_rng(0)
    images = numbers.integers(0, 256, (2, 2, 24, 36, 3), np.uint8)
    poses, states = (numbers.standard_normal((2, size)).astype(np.float32) for size in (10, 3))
    expected = trained.load(run).act(images, poses, states)
    assert np.isfinite(expected).all()
    assert load_served(run).act(images, poses, states).tobytes() == expected.tobytes()
    folder = export(run, tmp_path / "out")
    module = ExportedPolicy(from_json(Description, read_json(folder / "config.json")["description"]))
    weights = safetensors.torch.load_file(folder / "model.safetensors")
    module.load_state_dict({name.removeprefix("model."): weight for name, weight in weights.items()})
    views = [torch.from_numpy(images[:, view]) for view in range(2)]
    found = module.eval().act(views, torch.from_numpy(poses), torch.from_numpy(states))
    assert found.numpy().tobytes() == expected.tobytes()


def test_the_method_mip_has_the_head_mip() -> None:
    assert policy("mip").policy == policy("direct").policy
    with pytest.raises(GlamError, match="no policy head 'better'; choose one of"):
        policy("direct", head="better")
