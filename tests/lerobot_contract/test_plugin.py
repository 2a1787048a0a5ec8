"""What `glam export` writes, LeRobot loads by name and drives as we do."""

import importlib.util
import json
import shutil
import sys
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import torch
from lerobot.configs.policies import PreTrainedConfig
from lerobot.configs.types import NormalizationMode
from lerobot.datasets.lerobot_dataset import LeRobotDataset, LeRobotDatasetMetadata
from lerobot.policies.factory import get_policy_class, make_policy, make_pre_post_processors
from lerobot.scripts import lerobot_eval, lerobot_train
from lerobot.utils.import_utils import register_third_party_plugins

try:
    from lerobot.common.control_utils import predict_action
except ModuleNotFoundError:  # before 0.6
    from lerobot.utils.control_utils import predict_action

from glam.core.errors import GlamError
from glam.policies import trained
from glam.recipes import policy as recipe
from glam.recipes import world_model
from glam.sim.embodiments import find_embodiment
from glam.sim.rollouts import roll_out
from glam.sim.tasks import find_task
from glam.sim.world import World
from glam.stages.collect import CollectConfig, collect
from glam.stages.evaluate import guard
from glam.stages.export import export
from glam.stages.train_policy import Inputs, train_policy
from glam.stages.train_world_model import train_world_model
from glam_client.action_chunking import DEFAULT_CHUNKING, ActionChunking


def loaded(path):
    """A module of our tests by its file: in this environment another package may be called `tests`."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tiny, pages = (loaded(Path(__file__).parents[1] / name) for name in ("data/tiny.py", "pages.py"))

register_third_party_plugins()  # as every command of LeRobot does
STEPS = 11
"""Of an episode: chunks end in it, and one is cut off."""
SEED = 40_000_000
"""The first validation scene, as on the page."""
SAME_PROCESS = "--eval.use_async_envs=false"
"""In which what environments are asked for can be noted; since 0.6 each has a process of its own by default."""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Policies of both kinds, trained for a moment, and their exports."""
    root = tmp_path_factory.mktemp("plugin")
    tiny.record(root / "target", 3)
    tiny.record(root / "aux", 3, tiny.AUXILIARY)
    train_world_model(world_model("glam-o", "smoke"), root / "target", [root / "aux"], root / "world-model")
    both = Inputs(root / "target", (root / "aux",), root / "world-model")
    for name, inputs in {"mip": Inputs(root / "target"), "latent": both}.items():
        export(train_policy(recipe(name, "smoke"), inputs, root / name), root / f"{name}-exported", ActionChunking(3))
    return root


@pytest.fixture(scope="module")
def lift(tmp_path_factory):
    """The same of a policy for a simulated task."""
    root = tmp_path_factory.mktemp("lift")
    collect(CollectConfig("lift", "kinova", 0, image_size=32), root / "data", 3, workers=1)
    export(train_policy(recipe("mip", "smoke"), Inputs(root / "data"), root / "run"), root / "exported")
    return root


def load(folder, **overrides):
    """Policy and processors, as LeRobot's commands load them."""
    config = PreTrainedConfig.from_pretrained(folder, cli_overrides=[f"--{k}={v}" for k, v in overrides.items()])
    policy = get_policy_class(config.type).from_pretrained(folder, config=config)
    return policy, *make_pre_post_processors(config, str(folder))


def moments(steps=STEPS, rows=2, size=24):
    """What cameras and encoders show: images, poses and states for each step."""
    numbers = np.random.default_rng(0)
    for _ in range(steps):
        images = numbers.integers(0, 256, (rows, 2, size, size + 8, 3), np.uint8)
        yield images, *(numbers.standard_normal((rows, entries)).astype(np.float32) for entries in (10, 3))


def controlled(run, n_action_steps, rows=2):
    """Actions of our own controller: `n_action_steps` of each chunk, then a new look, which the rest is mixed into."""
    act, chunking, chunk, rest = trained.load(run).act, ActionChunking(n_action_steps), [], ()
    for images, poses, states in moments(rows=rows):
        if not chunk:
            plan = chunking.mixed(act(images, poses, states).swapaxes(0, 1), rest)
            chunk, rest = list(plan[:n_action_steps]), plan[n_action_steps:]
        yield chunk.pop(0)


def batch(images, poses, states):
    """The same moments as LeRobot's environments give them."""
    images = torch.from_numpy(images).permute(0, 1, 4, 2, 3).to(torch.float32) / 255
    names = ("observation.images.front", "observation.images.overhead")
    vectors = {"observation.ee_pose": torch.from_numpy(poses), "observation.state": torch.from_numpy(states)}
    return {name: images[:, view] for view, name in enumerate(names)} | vectors


def test_the_plugin_is_found_by_its_name():
    assert "glam" in PreTrainedConfig.get_known_choices()
    assert get_policy_class("glam").__module__ == "lerobot_policy_glam.modeling_glam"


@pytest.mark.parametrize("name", ["mip", "latent"])
def test_select_action_equals_our_own_controller(place, name):
    policy, before, after = load(place / f"{name}-exported")
    policy.reset()
    for moment, expected in zip(moments(), controlled(place / name, 3), strict=True):
        action = after(policy.select_action(before(batch(*moment))))
        np.testing.assert_allclose(action.numpy(), expected, rtol=0, atol=1e-6)


def test_fewer_steps_of_a_chunk_and_a_new_episode_are_lerobots_to_choose(place):
    policy, *_ = load(place / "mip-exported", n_action_steps=2)
    for _ in range(2):  # episodes; of 11 steps the last chunk is not used up
        policy.reset()
        for moment, expected in zip(moments(), controlled(place / "mip", 2), strict=True):
            np.testing.assert_allclose(policy.select_action(batch(*moment)).numpy(), expected, rtol=0, atol=1e-6)


def test_lerobots_inference_for_robots_gives_our_actions(place):
    policy, before, after = load(place / "latent-exported")
    for (images, poses, states), expected in zip(moments(rows=1), controlled(place / "latent", 3, rows=1), strict=True):
        seen = {"observation.images.front": images[0, 0], "observation.images.overhead": images[0, 1]}
        seen["observation.state"] = np.concatenate([states[0], poses[0]])  # a robot has one vector for all it measures
        action = predict_action(seen, policy, torch.device("cpu"), before, after, use_amp=False)
        np.testing.assert_allclose(action[0].numpy(), expected[0], rtol=0, atol=1e-6)


def test_a_chunk_is_the_policys_answer_for_every_byte_a_image_may_hold(place):
    policy, *_ = load(place / "mip-exported")
    images = np.arange(256, dtype=np.uint8).repeat(6).reshape(1, 2, 16, 16, 3)
    poses, states = np.zeros((1, 10), np.float32), np.zeros((1, 3), np.float32)
    expected = trained.load(place / "mip").act(images, poses, states)
    assert policy.predict_action_chunk(batch(images, poses, states)).numpy().tobytes() == expected.tobytes()


def test_processors_are_those_that_lerobot_itself_would_write(place, tmp_path):
    policy, before, after = load(place / "mip-exported")
    fresh = make_pre_post_processors(policy.config)
    for pipelines, folder in (((before, after), "loaded"), (fresh, "fresh")):
        for pipeline, name in zip(pipelines, ("policy_preprocessor.json", "policy_postprocessor.json"), strict=True):
            pipeline.save_pretrained(tmp_path / folder)
            assert json.loads((tmp_path / folder / name).read_text()) == json.loads(
                (place / "mip-exported" / name).read_text()
            )


def test_a_policy_that_lerobot_saved_is_the_same_policy(place, tmp_path):
    policy, *pipelines = load(place / "latent-exported")
    for part in (policy, *pipelines):
        part.save_pretrained(tmp_path)
    again, *_ = load(tmp_path)
    moment = next(moments())
    assert torch.equal(again.predict_action_chunk(batch(*moment)), policy.predict_action_chunk(batch(*moment)))


def test_a_file_that_lacks_weights_is_refused(place, tmp_path):
    shutil.copytree(place / "mip-exported", tmp_path, dirs_exist_ok=True)
    (tmp_path / "manifest.json").unlink()
    weights = safetensors.torch.load_file(tmp_path / "model.safetensors")
    weights.pop(next(iter(weights)))
    safetensors.torch.save_file(weights, tmp_path / "model.safetensors")
    with pytest.raises(RuntimeError, match="Missing key"):
        load(tmp_path)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "policy_preprocessor.json"])
def test_a_changed_file_of_an_export_is_refused(place, tmp_path, name):
    shutil.copytree(place / "mip-exported", tmp_path, dirs_exist_ok=True)
    content = bytearray((tmp_path / name).read_bytes())
    content[-1] ^= 42  # the last weight, or white space of JSON, which becomes another
    (tmp_path / name).write_bytes(content)
    with pytest.raises(GlamError, match=f"{name}: damaged"):
        load(tmp_path)


def test_what_is_saved_over_an_export_can_be_loaded(place, tmp_path):
    shutil.copytree(place / "mip-exported", tmp_path, dirs_exist_ok=True)
    policy, *_ = load(tmp_path)
    with torch.no_grad():
        next(policy.parameters()).add_(1.0)
    policy.save_pretrained(tmp_path)
    again, *_ = load(tmp_path)
    assert torch.equal(next(again.parameters()), next(policy.parameters()))


def swap(seen):
    names = "observation.ee_pose", "observation.state"
    seen.update(zip(names, [seen[name] for name in reversed(names)], strict=True))


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda seen: seen.pop("observation.images.front"), "observation.images.front is missing"),
        (lambda seen: seen["observation.images.front"].mul_(255), "must lie in 0..1"),
        (lambda seen: seen["observation.images.front"].fill_(torch.nan), "must lie in 0..1"),
        (lambda seen: seen["observation.state"].fill_(torch.nan), "observation.state has entries that are not finite"),
        (lambda seen: seen.pop("observation.state"), "observation.state is missing"),
        (lambda seen: seen.pop("observation.ee_pose"), "observation.ee_pose 10, .* there are 3 and 0"),
        (swap, "observation.state must hold 3 numbers .* there are 10 and 3"),
    ],
)
def test_what_cannot_be_acted_on_is_refused(place, spoil, sentence):
    policy, *_ = load(place / "mip-exported")
    seen = batch(*next(moments()))
    spoil(seen)
    with pytest.raises(ValueError, match=sentence):
        policy.select_action(seen)


@pytest.mark.parametrize(
    ("overrides", "sentence"),
    [
        ({"n_action_steps": 9}, "n_action_steps 9 must be from 1 to the chunk_size 8"),
        ({"chunk_size": 4}, "chunk_size 4 must be 8, as trained"),
        ({"normalization_mapping": {"STATE": NormalizationMode.MEAN_STD}}, "normalizes by itself"),
        ({"description": {}}, "needs a folder made by `glam export`"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(place, overrides, sentence):
    config = PreTrainedConfig.from_pretrained(place / "mip-exported")
    with pytest.raises(ValueError, match=sentence):
        get_policy_class("glam").from_pretrained(place / "mip-exported", config=replace(config, **overrides))


def test_a_dataset_with_other_actions_is_refused(place, lift):
    config = PreTrainedConfig.from_pretrained(place / "mip-exported")
    config.pretrained_path = place / "mip-exported"
    with pytest.raises(ValueError, match="the policy commands 3 numbers, the environment or dataset has"):
        make_policy(config, ds_meta=LeRobotDatasetMetadata("glam/lift", root=lift / "data"))


def command(monkeypatch, main, *words):
    monkeypatch.setattr(sys, "argv", ["lerobot", *words])
    main()


def test_lerobot_train_fine_tunes_an_exported_policy(place, tmp_path, monkeypatch):
    words = [f"--policy.path={place / 'latent-exported'}", "--dataset.repo_id=glam/target", "--wandb.enable=false"]
    words += [f"--dataset.root={place / 'target'}", "--steps=12", "--batch_size=8", "--num_workers=0", "--log_freq=0"]
    words += [f"--output_dir={tmp_path / 'out'}", "--policy.device=cpu", "--policy.optimizer_lr=0.003"]
    command(monkeypatch, lerobot_train.main, *words)
    tuned, *_ = load(tmp_path / "out/checkpoints/last/pretrained_model")
    policy, *_ = load(place / "latent-exported")
    times = [step / 10 for step in policy.config.action_delta_indices]
    dataset = LeRobotDataset("glam/target", root=place / "target", delta_timestamps={"action": times})
    rows = torch.utils.data.default_collate([dataset[row] for row in range(len(dataset))])
    with torch.no_grad():
        assert tuned(rows)[0] < policy(rows)[0]


def test_lerobot_eval_asks_the_simulated_robot_for_what_glam_evaluate_asks(lift, tmp_path, monkeypatch):
    theirs, ours, seeds = [], [], (SEED, SEED + 1)
    monkeypatch.setattr("lerobot_policy_glam.guarded_env.guard", lambda world: noting(theirs, guard(world)))
    brief = {"--policy.path": lift / "exported", "--env.task": "lift", "--eval.n_episodes": 2, "--eval.batch_size": 2}
    (line,) = (words for words in pages.commands(pages.page("deploy.md")) if words[0] == "lerobot-eval")
    words = [f"{flag}={brief.pop(flag, value)}" for flag, _, value in (word.partition("=") for word in line[1:])]
    assert (brief, words[-1]) == ({}, f"--seed={SEED}")
    command(monkeypatch, lerobot_eval.main, *words, f"--output_dir={tmp_path}", "--policy.device=cpu", SAME_PROCESS)
    worlds = [World(find_task("lift"), find_embodiment("kinova")) for _ in seeds]
    act = trained.load(lift / "run").act
    expected = roll_out(worlds, seeds, act, DEFAULT_CHUNKING, lambda world: noting(ours, guard(world)))
    assert len(ours) == 2 * find_task("lift").max_episode_steps
    np.testing.assert_allclose(theirs[: len(ours)], ours, rtol=0, atol=1e-6)
    info = json.loads((tmp_path / "eval_info.json").read_text())
    assert info["per_task"][0]["metrics"]["successes"] == [rollout.is_success for rollout in expected]
    assert len(list(tmp_path.glob("videos/*/*.mp4"))) == 2


@pytest.mark.skipif(version("lerobot") == "0.4.4", reason="its lerobot-eval reaches into environments of one process")
def test_lerobot_eval_runs_environments_in_processes_of_their_own(lift, tmp_path, monkeypatch):
    words = [f"--policy.path={lift / 'exported'}", "--env.type=glam", "--env.task=lift", "--policy.device=cpu"]
    words += ["--eval.n_episodes=2", "--eval.batch_size=2", f"--seed={SEED}"]
    for name, processes in (("here", "false"), ("there", "true")):
        command(
            monkeypatch,
            lerobot_eval.main,
            *words,
            f"--eval.use_async_envs={processes}",
            f"--output_dir={tmp_path / name}",
        )
    here, there = (json.loads((tmp_path / name / "eval_info.json").read_text()) for name in ("here", "there"))
    assert there["per_task"][0]["metrics"]["sum_rewards"] == here["per_task"][0]["metrics"]["sum_rewards"]
    assert there["per_task"][0]["metrics"]["successes"] == here["per_task"][0]["metrics"]["successes"]


def noting(actions, allowed):
    def note(action):
        actions.append(action.tolist())
        return allowed(action)

    return note
