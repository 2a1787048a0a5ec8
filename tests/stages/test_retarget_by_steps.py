"""Actions that say by how much to move: recorded, retargeted, learnt as latent actions, evaluated and replayed."""

from pathlib import Path

import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.core.files import read_json
from glam.core.workers import no_progress
from glam.data.cache import decoded
from glam.data.demonstrations import Split
from glam.data.reader import Dataset
from glam.data.windows import labelled
from glam.policies.sources import LabelledPolicySource, PolicySource
from glam.recipes import policy, world_model
from glam.stages.collect import CollectConfig, collect, describe
from glam.stages.evaluate import EvaluateConfig, evaluate
from glam.stages.policy_inputs import Inputs
from glam.stages.replay import ReplayConfig, replay_dataset
from glam.stages.retarget import retarget
from glam.stages.train_policy import train_policy
from glam.stages.train_world_model import train_world_model


def recorded(root: Path, embodiment: str, space: str, episodes: int = 6) -> Path:
    config = CollectConfig("lift", embodiment, image_size=16, action_space=space)
    return collect(config, root / f"{embodiment}-{space}", episodes, workers=1).root


@pytest.fixture(scope="module")
def sets(tmp_path_factory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("spaces")
    spaces = ("joint-velocities", "tool-deltas", "joint-torques")
    return {space: recorded(root, "kinova", space) for space in spaces} | {
        "umi": recorded(root, "umi", "joint-positions", 2)
    }


def sources(sets: dict[str, Path], space: str) -> tuple[LabelledPolicySource, PolicySource]:
    frames = labelled(decoded(Dataset.open(sets[space]), 16), space)
    split = Split(frames.episodes.select([0, 1, 2, 3, 4]), frames.episodes.select([5]))
    umi = decoded(Dataset.open(sets["umi"]), 16)
    return LabelledPolicySource(space, frames, split), PolicySource("umi", umi, Split(umi.episodes, umi.episodes))


def test_a_recording_says_which_entries_are_deltas(sets):
    schema = Dataset.open(sets["joint-torques"]).schema
    assert schema.delta_actions == tuple(f"arm_joint_{number}.torque" for number in range(1, 8))
    assert describe(CollectConfig("lift", "kinova", action_space="joint-torques")).config["action_space"]
    assert "action_space" not in describe(CollectConfig("lift", "kinova")).config


@pytest.mark.parametrize(("space", "convention"), [("joint-velocities", "joints"), ("tool-deltas", "world")])
def test_retarget_finds_what_the_entries_mean(sets, space, convention):
    target, umi = sources(sets, space)
    found = retarget(sets[space], target, [umi], no_progress)
    assert found.report["convention"] == convention
    assert found.report["held_out_target"]["normalized"] < 0.1
    assert np.isfinite(found.sources[0].actions).all()


def test_no_path_tells_torques(sets):
    target, umi = sources(sets, "joint-torques")
    with pytest.raises(GlamError, match=r"its actions are torques \(arm_joint_1.torque\).*retarget cannot run"):
        retarget(sets["joint-torques"], target, [umi], no_progress)


def test_latent_actions_evaluate_and_replay_act_in_the_targets_own_space(sets, tmp_path):
    target = sets["joint-velocities"]
    model = train_world_model(world_model("glam-o", "smoke"), target, [sets["umi"]], tmp_path / "model")
    replayed = replay_dataset(ReplayConfig("lift", episodes=1, films=0), model, sets["umi"], tmp_path / "replay")
    assert read_json(replayed / "replay.json")["summary"]["episodes"] == 1
    made = train_policy(policy("latent", "smoke"), Inputs(target, (sets["umi"],), model), tmp_path / "policy")
    done = evaluate(EvaluateConfig("lift", episodes=1, films=1), made, tmp_path / "trials", workers=1)
    assert read_json(done / "eval_info.json")["overall"]["n_episodes"] == 1
