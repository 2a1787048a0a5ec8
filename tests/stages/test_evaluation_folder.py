"""An evaluation goes on where it stopped, in a folder that is its own."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.core.files import exclusive, read_json, sha256, write_json
from glam.evaluation.evaluations import read_evaluation
from glam.policies import trained as policies
from glam.sim.rollouts import Rollout
from glam.stages import evaluate as stage
from glam.stages.evaluate import EvaluateConfig, evaluate
from glam.stages.evaluation_folder import KeptRollouts

CONFIG = EvaluateConfig("lift", episodes=25, films=0)  # three groups
Rolled = list[tuple[int, ...]]


def rollout(seed: int) -> Rollout:
    """Made up: odd scenes succeed."""
    random = np.random.default_rng(seed)
    stage = "none" if seed % 2 else "grasp"
    poses, commands = random.random((9, 10)).astype(np.float32), random.random((9, 8))
    return Rollout(seed, bool(seed % 2), 9, "", stage, poses, commands)


@pytest.fixture
def rolled(monkeypatch: pytest.MonkeyPatch) -> Rolled:
    """Groups that were rolled out."""
    groups: Rolled = []

    def group(config: EvaluateConfig, policy: Path, seeds: tuple[int, ...]) -> list[Rollout]:
        groups.append(seeds)
        return [rollout(seed) for seed in seeds]

    monkeypatch.setattr(stage, "_group", group)
    return groups


@pytest.fixture
def run(evaluated, tmp_path: Path) -> Callable[..., Path]:
    """Evaluate in a folder of its own; `stop` interrupts after that many episodes."""

    def made(config: EvaluateConfig = CONFIG, name: str = "out", policy: str = "mip", stop: int = 99) -> Path:
        def progress(done: int, total: int) -> None:
            if done >= stop:
                raise KeyboardInterrupt

        with suppress(KeyboardInterrupt):
            evaluate(config, evaluated.policies[policy], tmp_path / name, workers=1, progress=progress)
        return tmp_path / name

    return made


def contents(folder: Path) -> dict[str, str]:
    return {path.name: sha256(path) for path in folder.rglob("*") if path.is_file()}


def test_an_interrupted_evaluation_goes_on_with_the_groups_that_are_missing(rolled: Rolled, run, tmp_path) -> None:
    run(stop=20)
    assert not (tmp_path / "out" / "episodes.jsonl").exists()
    done = list(rolled)
    out = run()
    assert [len(group) for group in rolled] == [10, 10, 5]
    assert rolled[:2] == done
    whole = run(name="whole")
    assert (out / "episodes.jsonl").read_bytes() == (whole / "episodes.jsonl").read_bytes()
    assert read_evaluation(out).records[0].is_success is False
    assert sorted(path.name for path in out.iterdir()) == [
        ".lock",
        "config.json",
        "episodes.jsonl",
        "eval_info.json",
        "manifest.json",
    ]


def test_time_before_an_interruption_counts(rolled: Rolled, run, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 10_000, 100))
    monkeypatch.setattr(stage.time, "monotonic", lambda: next(clock))
    run(stop=10)
    _, before = KeptRollouts(tmp_path / "out").read(rolled[0])
    assert before == 100.0
    assert read_json(run() / "eval_info.json")["overall"]["eval_s"] == before + 300.0


@pytest.mark.parametrize("damage", [lambda content: content[:-40], lambda content: b"", lambda content: b"PK" * 50])
def test_a_damaged_group_is_rolled_out_again(rolled: Rolled, run, tmp_path, damage) -> None:
    run(stop=10)
    (path,) = (tmp_path / "out" / "rollouts").glob("*.npz")
    path.write_bytes(damage(path.read_bytes()))
    run()
    assert [group[0] for group in rolled].count(rolled[0][0]) == 2


def test_a_complete_evaluation_is_not_repeated(rolled: Rolled, run) -> None:
    out = run()
    before = contents(out)
    rolled.clear()
    assert run() == out
    assert not rolled
    assert contents(out) == before


@pytest.mark.parametrize(
    ("changes", "policy", "words"),
    [
        ({}, "latent", "holds the evaluation of another policy; give another --out"),
        ({"episodes": 30}, "mip", "holds an evaluation with --episodes 25, not 30"),
        ({"split": "test"}, "mip", "holds an evaluation with --split validation, not test"),
        ({"n_action_steps": 3}, "mip", "holds an evaluation with --n-action-steps 5, not 3"),
    ],
)
def test_a_folder_of_another_evaluation_is_refused_and_left_as_it_is(rolled: Rolled, run, changes, policy, words):
    for episodes in (10, 99):  # an interrupted evaluation, then the complete one
        out = run(stop=episodes)
        before = contents(out)
        with pytest.raises(GlamError, match=words):
            run(replace(CONFIG, **changes), policy=policy)
        assert contents(out) == before
    assert len(rolled) == 3


def test_two_evaluations_in_one_folder_are_refused(rolled: Rolled, run, tmp_path) -> None:
    with exclusive(tmp_path / "out" / ".lock", "busy"), pytest.raises(GlamError, match="another evaluation is writing"):
        run()
    assert not rolled


def test_folders_of_somebody_else_are_refused_before_anything_is_rolled_out(rolled: Rolled, run, evaluated) -> None:
    before = contents(evaluated.policies["mip"])
    with pytest.raises(GlamError, match=r"its config\.json is not that of an evaluation"):
        run(name=str(evaluated.policies["mip"]))
    with pytest.raises(GlamError, match="which glam evaluate did not make"):
        run(name=str(evaluated.root))
    assert not rolled
    assert contents(evaluated.policies["mip"]) == before


def test_an_evaluation_goes_on_with_the_packages_it_started_with(rolled: Rolled, run, tmp_path) -> None:
    run(stop=10)
    path = tmp_path / "out" / "config.json"
    write_json(path, read_json(path) | {"versions": {"torch": "1.0"}})
    with pytest.raises(GlamError, match="other versions of packages"):
        run()


def test_a_policy_knows_the_task_that_it_was_trained_on(evaluated, glam, tmp_path) -> None:
    assert {policies.load(run).interface.task for run in evaluated.policies.values()} == {"lift"}
    said = glam("evaluate", "--policy", evaluated.policies["mip"], "--task", "stack-two", "--out", tmp_path / "out")
    assert said.code == 2
    assert "was trained on lift, and --task is stack-two" in said.error
    assert not (tmp_path / "out").exists()


def test_rollouts_are_kept_to_the_last_bit(tmp_path) -> None:
    kept, made = KeptRollouts(tmp_path), [rollout(seed) for seed in (5, 6)]
    kept.write(made, 7.5)
    found, seconds = kept.read([5, 6])
    assert seconds == 7.5
    for one, other in zip(made, found, strict=True):
        assert one.commands.tobytes() == other.commands.tobytes()
        assert (one.poses.dtype, one.failed_stage) == (other.poses.dtype, other.failed_stage)
    assert kept.read([5, 6, 7]) is None
    assert kept.read([8]) is None
