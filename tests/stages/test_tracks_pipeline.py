"""From recordings with tracks to a policy that runs with and without them, at the smallest scale."""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from glam.core.errors import GlamError
from glam.core.files import read_json
from glam.policies import trained as policies
from glam.recipes import policy, world_model
from glam.sim.sensors import PointTracker, Tracker
from glam.stages.collect import CollectConfig, collect
from glam.stages.evaluate import EvaluateConfig, evaluate
from glam.stages.replay import ReplayConfig, replay_dataset
from glam.stages.train_policy import Inputs, train_policy
from glam.stages.train_world_model import train_world_model
from glam.world_models import runs


class Made(NamedTuple):
    """Runs of one pipeline."""

    target: Path
    auxiliary: Path
    model: Path
    policy: Path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A robot with poses and tracks, and a hand-held gripper with tracks alone."""
    root = tmp_path_factory.mktemp("tracks")
    config = CollectConfig("lift", "kinova", 0, image_size=32, has_tracks=True, points=PointTracker(0.1, 0.05))
    collect(config, root / "kinova", 3, workers=1)
    collect(replace(config, embodiment="umi", seed=100, has_pose=False), root / "umi", 3, workers=1)
    model = train_world_model(world_model("glam-o", "smoke"), root / "kinova", [root / "umi"], root / "model")
    inputs = Inputs(root / "kinova", (root / "umi",), model)
    return Made(root / "kinova", root / "umi", model, train_policy(policy("latent", "smoke"), inputs, root / "policy"))


def test_the_world_model_sees_tracks_alone(made):
    trained = runs.load(made.model)
    assert trained.interface.track_cameras == ("front", "overhead")
    assert (trained.sizes.pose, trained.sizes.groups) == (12, (2, 2, 2, 2))


def test_a_set_without_poses_is_replayed_against_the_path_of_its_demonstration(made, tmp_path):
    out = replay_dataset(ReplayConfig("lift", episodes=1, films=0), made.model, made.auxiliary, tmp_path / "replay")
    (episode,) = read_json(out / "replay.json")["episodes"]
    assert 0.0 < episode["errors"]["path_mm"] < 1000.0


def test_a_replay_is_compared_with_the_true_path_whatever_the_tracker_of_poses_recorded(made, tmp_path):
    exact = CollectConfig("lift", "umi", 500, image_size=32, has_tracks=True)
    trackers = {"exact": Tracker(), "own": Tracker(has_own_frame=True), "off": Tracker(position_error_mm=20.0)}
    paths = {}
    for name, tracker in trackers.items():
        collect(replace(exact, tracker=tracker), tmp_path / name, 1, workers=1)
        config, out = ReplayConfig("lift", episodes=1, films=0), tmp_path / f"of-{name}"
        replay_dataset(config, made.model, tmp_path / name, out)
        paths[name] = read_json(out / "replay.json")["episodes"][0]["errors"]["path_mm"]
    assert paths["own"] == pytest.approx(paths["exact"], abs=0.01)
    assert paths["off"] == pytest.approx(paths["exact"], abs=0.01)


def test_one_camera_alone_is_replayed_and_filmed(made, tmp_path):
    config = CollectConfig("lift", "umi", 100, image_size=32, cameras=("front",), has_tracks=True, has_pose=False)
    collect(config, tmp_path / "front", 3, workers=1)
    model = train_world_model(world_model("glam-o", "smoke"), made.target, [tmp_path / "front"], tmp_path / "model")
    assert runs.load(model).interface.track_cameras == ("front",)
    out = replay_dataset(ReplayConfig("lift", episodes=1, films=1), model, tmp_path / "front", tmp_path / "replay")
    assert len(list(out.glob("episode-*.mp4"))) == 1


def test_the_policy_knows_tracks_pose_and_state_and_does_without_each(made, tmp_path):
    normalizer = policies.load(made.policy).normalizer
    assert normalizer.is_pose_optional
    assert len(normalizer.tracks.mean) == 8
    config = EvaluateConfig("lift", episodes=1, films=0)
    outs = [
        evaluate(config, made.policy, tmp_path / "-".join(("run", *without)), without=without, workers=1)
        for without in ((), ("tracks",), ("pose", "state", "tracks"))
    ]
    told = [read_json(out / "config.json")["evaluate"].get("without") for out in outs]
    assert told == [None, ["tracks"], ["pose", "state", "tracks"]]


def test_hiding_what_a_policy_does_not_know_or_always_needs_is_refused(made, evaluated, tmp_path):
    config = EvaluateConfig("lift", episodes=1, films=0)
    with pytest.raises(GlamError, match=r"--without tracks: .* was trained without it"):
        evaluate(config, evaluated.policies["mip"], tmp_path / "run", without=("tracks",), workers=1)
    with pytest.raises(GlamError, match=r"--without pose: .* needs it"):
        evaluate(config, evaluated.policies["mip"], tmp_path / "run", without=("pose",), workers=1)


def test_retarget_needs_a_pose_of_every_source(made, tmp_path):
    with pytest.raises(GlamError, match="retarget: not all datasets have an end-effector pose"):
        train_policy(policy("retarget", "smoke"), Inputs(made.target, (made.auxiliary,)), tmp_path / "run")


def test_a_set_without_tracks_and_pose_is_refused_by_a_model_of_tracks(made, tmp_path):
    collect(CollectConfig("lift", "umi", 100, image_size=32, has_pose=False), tmp_path / "bare", 2, workers=1)
    with pytest.raises(GlamError, match="has no tracks in front or overhead"):
        replay_dataset(ReplayConfig("lift", episodes=1, films=0), made.model, tmp_path / "bare", tmp_path / "replay")
