from itertools import islice
from pathlib import Path

import av
import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.core.files import read_json, sha256
from glam.core.simulated import FIRST_TEST_SEED, FIRST_VALIDATION_SEED
from glam.evaluation.evaluations import read_evaluation
from glam.policies.trained import TrainedPolicy
from glam.sim.demonstrator import expert_actions
from glam.sim.embodiments import find_embodiment
from glam.sim.expert import Disturbance
from glam.sim.tasks import TASKS, find_task
from glam.sim.world import World
from glam.stages.evaluate import EvaluateConfig, evaluate, guard
from glam_client.action_chunking import ActionChunking


def test_the_folder_tells_all_that_is_behind_the_records(evaluated) -> None:
    found = read_evaluation(evaluated.evaluations["latent"])
    assert [record.test_seed for record in found.records] == [FIRST_VALIDATION_SEED + number for number in range(3)]
    assert {record.method for record in found.records} == {"latent"}
    assert (found.lineage.name, found.lineage.seed, found.chunking) == ("glam-o", 0, ActionChunking())
    assert {"glam-robot", "torch", "mujoco"} <= found.versions.keys()
    assert found.command
    assert found.machine["python"]


def test_records_hold_the_doubt_about_every_chunk(evaluated) -> None:
    for record in read_evaluation(evaluated.evaluations["latent"]).records:
        assert len(record.doubts) == -(-record.steps // ActionChunking().n_action_steps)
        assert min(record.doubts) > 0.0


def test_the_first_failures_are_filmed_with_both_cameras(evaluated) -> None:
    root = evaluated.evaluations["mip"]
    found = read_evaluation(root)
    (filmed,) = found.films  # such a policy has no success to film
    assert filmed.record == found.records[0]
    assert filmed.path == root / f"films/{FIRST_VALIDATION_SEED}-failed-{filmed.record.failed_stage}.mp4"
    with av.open(filmed.path) as container:
        stream = container.streams.video[0]
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(stream)]
        assert (stream.codec_context.name, stream.average_rate) == ("h264", 10)
    assert len(frames) == filmed.record.steps + 1
    assert frames[0].shape == (256, 514, 3)


def test_films_and_records_are_the_same_with_any_number_of_workers(evaluated, tmp_path: Path) -> None:
    config = EvaluateConfig("lift", episodes=11, films=2)  # two groups
    one = evaluate(config, evaluated.policies["mip"], tmp_path / "one", workers=1)
    two = evaluate(config, evaluated.policies["mip"], tmp_path / "two", workers=2)
    names = sorted(path.relative_to(one).as_posix() for path in one.rglob("*") if path.is_file())
    assert len([name for name in names if name.endswith(".mp4")]) == 2
    for name in names:
        if not name.endswith(".json"):  # these hold the time that it took
            assert sha256(one / name) == sha256(two / name), name


def test_a_policy_that_asks_for_no_numbers_fails_and_is_filmed(
    evaluated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = lambda self, images, *_: (np.full((len(images), 4, 8), np.nan), np.full(len(images), np.nan))  # noqa: E731
    monkeypatch.setattr(TrainedPolicy, "act_and_doubt", nothing)
    out = evaluate(EvaluateConfig("lift", episodes=1), evaluated.policies["mip"], tmp_path / "out", workers=1)
    (record,) = read_evaluation(out).records
    assert (record.steps, record.failed_stage, record.smoothness) == (0, "reach", ())
    assert "nan" in record.failure


@pytest.mark.parametrize(
    "wrong", [{"episodes": 0}, {"n_action_steps": 0}, {"temporal_ensemble_weight": 1.0}, {"films": -1}]
)
def test_numbers_that_cannot_be_meant_are_refused(evaluated, tmp_path: Path, wrong: dict[str, int]) -> None:
    with pytest.raises(GlamError, match=f"--{next(iter(wrong)).replace('_', '-')}"):
        evaluate(EvaluateConfig("lift", **wrong), evaluated.policies["mip"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_world_model_cannot_be_evaluated(trained, tmp_path: Path) -> None:
    with pytest.raises(GlamError, match="not a policy"):
        evaluate(EvaluateConfig("lift"), trained.run, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("task", TASKS)
def test_the_guard_lets_experts_demonstrations_pass_unchanged(task: str) -> None:
    world = World(find_task(task), find_embodiment("kinova"), (32, 32))
    for seed in range(2):
        world.reset(seed)
        guarded = guard(world)
        for action in islice(expert_actions(world, Disturbance()), world.task.max_episode_steps):
            command = guarded(action)
            np.testing.assert_allclose(command, action, atol=5e-4)  # an expert may be a hair too fast
            world.step(command)
        assert world.is_success
    world.close()


def test_the_command_chooses_scenes_and_every_file_says_which(evaluated, glam, tmp_path: Path) -> None:
    out = tmp_path / "out"
    named = ("--policy", evaluated.policies["mip"], "--task", "lift", "--out", out, "--films", 0)
    said = glam("evaluate", *named, "--episodes", 2, "--split", "test", "--first", 3)
    assert said.code == 0
    assert "success 0 of 2 test scenes, from number 3 on" in said.output
    records = read_evaluation(out).records
    assert [(record.split, record.test_seed) for record in records] == [("test", FIRST_TEST_SEED + n) for n in (3, 4)]
    overall = read_json(out / "eval_info.json")["overall"]
    assert (overall["split"], overall["first_seed"]) == ("test", FIRST_TEST_SEED + 3)
    settings = read_json(out / "config.json")["evaluate"]
    assert (settings["split"], settings["first"], settings["episodes"]) == ("test", 3, 2)
