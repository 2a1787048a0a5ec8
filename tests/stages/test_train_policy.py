from dataclasses import replace
from hashlib import sha256 as sha256_of
from pathlib import Path

import numpy as np
import pytest
from tests.data import tiny

from glam.core import seals
from glam.core.configs import from_json
from glam.core.errors import GlamError
from glam.core.files import read_json, sha256
from glam.policies import trained as policies
from glam.recipes import policy, world_model
from glam.stages.evaluate import EvaluateConfig, evaluate
from glam.stages.train_policy import Inputs, TrainPolicyConfig, train_policy
from glam.stages.train_world_model import Callbacks, train_world_model
from glam.training import artefact, metrics
from glam.training.recorder import METRICS, TrainingProgress


def with_keypoints(method: str, weight: float = 20.0) -> TrainPolicyConfig:
    recipe = policy(method, "smoke")
    return replace(recipe, policy=replace(recipe.policy, keypoint_weight=weight))


@pytest.fixture(scope="session")
def runs(trained, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("policies")
    inputs = Inputs(trained.target, (trained.auxiliary,), trained.run)
    return {
        "latent": train_policy(policy("latent", "smoke"), inputs, root / "latent"),
        "mip": train_policy(policy("mip", "smoke"), Inputs(trained.target), root / "mip"),
        "retarget": train_policy(
            policy("retarget", "smoke"), Inputs(trained.target, (trained.auxiliary,)), root / "retarget"
        ),
    }


@pytest.mark.parametrize("method", ["latent", "mip", "retarget"])
def test_a_trained_policy_acts_in_the_robots_own_units(runs, method: str) -> None:
    loaded = policies.load(runs[method])
    images = np.zeros((2, 2, 32, 32, 3), np.uint8)
    chunk = loaded.act(images, np.zeros((2, 10), np.float32), np.zeros((2, 8), np.float32))
    assert chunk.shape == (2, 8, 8)
    assert np.isfinite(chunk).all()
    with pytest.raises(GlamError, match="poses of 0 numbers; the policy was trained with 10"):
        loaded.act(images, np.zeros((2, 0), np.float32), np.zeros((2, 8), np.float32))


@pytest.mark.parametrize("method", ["latent", "mip", "retarget"])
def test_a_policy_knows_its_doubt_and_acts_no_differently(runs, method: str) -> None:
    loaded = policies.load(runs[method])
    images = np.random.default_rng(0).integers(0, 256, (2, 2, 32, 32, 3), dtype=np.uint8)
    seen = images, np.zeros((2, 10), np.float32), np.zeros((2, 8), np.float32)
    actions, doubts = loaded.act_and_doubt(*seen)
    assert actions.tobytes() == loaded.act(*seen).tobytes()
    assert doubts.shape == (2,)
    assert (doubts > 1.0).all()
    older = replace(loaded, doubt=None)
    assert np.isnan(older.act_and_doubt(*seen)[1]).all()


def test_doubt_is_no_part_of_the_digest_of_a_policy(runs) -> None:
    assert (runs["mip"] / "doubt.json").exists()
    found = artefact.load(runs["mip"])
    files = {name: digest for name, digest in seals.digests(runs["mip"]).items() if name not in NOT_LEARNT}
    assert found.digest == sha256_of(seals.json_bytes({"config": found.config, "files": files})).hexdigest()


NOT_LEARNT = {"config.json", "metrics.jsonl", "doubt.json"}


def test_a_run_that_tells_nothing_of_delta_actions_and_poses_has_none() -> None:
    told = {"fps": 10, "cameras": ["front"], "pixels": 32, "state_names": ["j"], "action_names": ["j"]}
    interface = from_json(policies.PolicyInterface, told)
    assert (interface.delta_actions, interface.poses.arms) == ((), ())


def test_the_same_command_gives_the_same_weights(runs, trained, tmp_path: Path) -> None:
    again = train_policy(policy("mip", "smoke"), Inputs(trained.target), tmp_path / "again")
    assert sha256(again / "model.safetensors") == sha256(runs["mip"] / "model.safetensors")


def test_a_policy_learns_from_the_episodes_that_its_world_model_learnt_from(trained, tmp_path: Path) -> None:
    recipe = world_model("glam-o", "smoke")
    other = replace(recipe, held_out=0.4, fit=replace(recipe.fit, seed=5))
    model = train_world_model(other, trained.target, [trained.auxiliary], tmp_path / "model")
    latent, mip = policy("latent", "smoke"), policy("mip", "smoke")
    inputs = Inputs(trained.target, (trained.auxiliary,), model)
    runs = (
        train_policy(latent, inputs, tmp_path / "latent"),
        train_policy(replace(mip, fit=replace(mip.fit, seed=2)), Inputs(trained.target), tmp_path / "mip"),
    )
    splits = [read_json(run / "config.json")["config"] for run in runs]
    assert [(split["held_out"], split["split_seed"]) for split in splits] == [(0.4, 5), (0.1, 2)]


def test_a_target_without_actions_is_refused_before_anything_is_decoded(trained, tmp_path: Path) -> None:
    def decodes(done: int, total: int) -> None:
        raise AssertionError("an image was decoded")

    for method in ("mip", "retarget"):
        others = () if method == "mip" else (trained.auxiliary,)
        with pytest.raises(GlamError, match=r"--target .*umi: has no action feature"):
            train_policy(
                policy(method, "smoke"), Inputs(trained.auxiliary, others), tmp_path / "run", Callbacks(decodes)
            )


def test_settings_without_a_flag_of_their_own_are_set_by_name(glam, trained, tmp_path: Path) -> None:
    named = ("--target", trained.target, "--out", tmp_path / "run", "--preset", "smoke", "--seed", 3)
    said = glam(
        "train-policy", "mip", *named, "--set", "policy.observation.random_shift=0.2", "--set", "fit.schedule=cosine"
    )
    assert said.code == 0
    config = read_json(tmp_path / "run" / "config.json")["config"]
    assert config["policy"]["observation"]["random_shift"] == 0.2
    assert config["fit"]["schedule"] == "cosine"
    assert config["split_seed"] == config["fit"]["seed"] == 3
    held_out = read_json(tmp_path / "run" / "held_out.json")
    assert held_out["action_error"] > 0
    assert f"held-out action error: {held_out['action_error']:.2f} x the actions' variance" in said.output


def test_a_latent_policy_without_world_model_is_refused(trained, tmp_path: Path) -> None:
    with pytest.raises(GlamError, match="--world-model"):
        train_policy(policy("latent", "smoke"), Inputs(trained.target, (trained.auxiliary,)), tmp_path / "run")


def test_retargeting_without_anything_to_retarget_is_refused(trained, tmp_path: Path) -> None:
    with pytest.raises(GlamError, match="--aux: retarget needs"):
        train_policy(policy("retarget", "smoke"), Inputs(trained.target), tmp_path / "run")


def test_the_run_says_how_far_retargeted_labels_can_be_trusted(runs) -> None:
    report = read_json(runs["retarget"] / "retarget.json")
    assert report["robot"] == "kinova"
    assert report["held_out_target"]["degrees"] < 0.5
    assert report["auxiliary"][0]["unreached"] == 0


def test_a_retargeted_policy_goes_on_exactly_where_it_stopped(runs, trained, tmp_path: Path) -> None:
    def stop(progress: TrainingProgress) -> None:
        if progress.step == 7:
            raise KeyboardInterrupt

    arguments = policy("retarget", "smoke"), Inputs(trained.target, (trained.auxiliary,)), tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        train_policy(*arguments, Callbacks(training=stop))
    again = train_policy(*arguments)
    assert sha256(again / "model.safetensors") == sha256(runs["retarget"] / "model.safetensors")


def test_a_retargeted_policy_is_evaluated_like_any_other(runs, tmp_path: Path) -> None:
    out = evaluate(EvaluateConfig("lift", episodes=1), runs["retarget"], tmp_path / "out", workers=1)
    assert "retarget" in (out / "episodes.jsonl").read_text()


def test_outcomes_do_not_depend_on_the_number_of_workers(runs, tmp_path: Path) -> None:
    config = EvaluateConfig("lift", episodes=12)
    one = evaluate(config, runs["latent"], tmp_path / "one", workers=1)
    two = evaluate(config, runs["latent"], tmp_path / "two", workers=2)
    assert (one / "episodes.jsonl").read_bytes() == (two / "episodes.jsonl").read_bytes()
    assert read_json(one / "eval_info.json")["overall"]["n_episodes"] == 12


def test_a_world_model_is_not_a_policy(trained) -> None:
    with pytest.raises(GlamError, match="not a policy"):
        policies.load(trained.run)


def test_sets_without_masks_share_a_camera_and_the_pose_of_the_target_stays_usable(tmp_path: Path) -> None:
    tiny.record(tmp_path / "target", 3, replace(tiny.TARGET, objects=()))
    tiny.record(tmp_path / "aux", 3, replace(tiny.AUXILIARY, objects=(), cameras=("front",), has_pose=False))
    auxiliary = (tmp_path / "aux",)
    recipe = world_model("glam-no-pose", "smoke")
    model = train_world_model(recipe, tmp_path / "target", auxiliary, tmp_path / "model")
    inputs = Inputs(tmp_path / "target", auxiliary, model)
    loaded = policies.load(train_policy(policy("latent", "smoke"), inputs, tmp_path / "latent"))
    assert loaded.interface.cameras == ("front",)
    images, states = np.zeros((2, 1, 16, 16, 3), np.uint8), np.zeros((2, 3), np.float32)
    assert loaded.normalizer.is_pose_optional
    chunks = [loaded.act(images, np.ones((2, size), np.float32), states) for size in (0, 10)]
    assert all(np.isfinite(chunk).all() for chunk in chunks)
    assert (chunks[0] != chunks[1]).any()
    with pytest.raises(GlamError, match="retarget: not all datasets have an end-effector pose"):
        train_policy(policy("retarget", "smoke"), Inputs(tmp_path / "target", auxiliary), tmp_path / "retarget")


def test_masks_of_the_target_give_keypoints_also_where_other_sets_have_none(tmp_path: Path) -> None:
    tiny.record(tmp_path / "target", 3, tiny.TARGET)
    tiny.record(tmp_path / "aux", 3, replace(tiny.AUXILIARY, objects=("blue",)))
    auxiliary = (tmp_path / "aux",)
    model = train_world_model(world_model("glam", "smoke"), tmp_path / "target", auxiliary, tmp_path / "model")
    inputs = Inputs(tmp_path / "target", auxiliary, model)
    latent = train_policy(with_keypoints("latent"), inputs, tmp_path / "latent")
    mip = train_policy(with_keypoints("mip"), Inputs(tmp_path / "target"), tmp_path / "mip")
    for run in (latent, mip):
        assert read_json(run / "sizes.json")["observation"]["keypoints"] == 2 * 2 * 2
        assert all(line["loss.keypoints"] > 0 for line in metrics.read(run / METRICS))


def test_masks_are_not_looked_at_unless_a_keypoint_weight_is_given(runs, glam, trained, tmp_path: Path) -> None:
    for method in ("latent", "mip", "retarget"):
        assert read_json(runs[method] / "sizes.json")["observation"]["keypoints"] == 0
        assert not any("loss.keypoints" in line for line in metrics.read(runs[method] / METRICS))
        assert read_json(runs[method] / "held_out.json")["keypoint_error"] == 0
    target, run = tmp_path / "target", tmp_path / "run"
    tiny.record(target, 3)
    said = glam("train-policy", "mip", "--target", target, "--out", run, "--preset", "smoke", "--keypoint-weight", 20)
    assert "held-out keypoint error of the encoder" in said.output
    assert metrics.read(run / METRICS)[-1]["loss.keypoints"] > 0


@pytest.mark.parametrize(
    ("weight", "words"), [(20.0, r"--keypoint-weight 20: .*target has no masks"), (-1.0, "must be 0")]
)
def test_a_keypoint_weight_that_cannot_be_used_is_refused(tmp_path: Path, weight: float, words: str) -> None:
    tiny.record(tmp_path / "target", 2, replace(tiny.TARGET, objects=()))
    with pytest.raises(GlamError, match=words):
        train_policy(with_keypoints("mip", weight), Inputs(tmp_path / "target"), tmp_path / "run")
