"""Small real datasets and a world model trained on them for seconds."""

from pathlib import Path
from typing import NamedTuple

import pytest

from glam.recipes import policy, world_model
from glam.stages.collect import CollectConfig, collect
from glam.stages.evaluate import EvaluateConfig, evaluate
from glam.stages.train_policy import Inputs, train_policy
from glam.stages.train_world_model import train_world_model


class Trained(NamedTuple):
    """Two datasets of `lift` and a run on them."""

    target: Path
    auxiliary: Path
    run: Path


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    root = tmp_path_factory.mktemp("trained")
    for embodiment, seed in (("kinova", 0), ("umi", 100)):
        collect(CollectConfig("lift", embodiment, seed, image_size=32), root / embodiment, 3, workers=1)
    run = root / "run"
    train_world_model(world_model("glam-o", "smoke"), root / "kinova", [root / "umi"], run)
    return Trained(root / "kinova", root / "umi", run)


class Evaluated(NamedTuple):
    """The folder of the runs above, with two policies and their evaluations beside them."""

    root: Path
    policies: dict[str, Path]
    evaluations: dict[str, Path]


@pytest.fixture(scope="session")
def evaluated(trained: Trained) -> Evaluated:
    """Evaluations of policies that cannot do anything yet."""
    root = trained.run.parent
    inputs = {
        "latent": Inputs(trained.target, (trained.auxiliary,), trained.run),
        "mip": Inputs(trained.target),
    }
    policies = {name: train_policy(policy(name, "smoke"), given, root / name) for name, given in inputs.items()}
    config = EvaluateConfig("lift", episodes=3, films=1)
    evaluations = {name: evaluate(config, run, root / f"eval-{name}", workers=1) for name, run in policies.items()}
    return Evaluated(root, policies, evaluations)
