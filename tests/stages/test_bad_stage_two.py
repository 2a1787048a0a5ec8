"""Bad input of stage 2 as a user types it: exit code 2, one sentence that names file or flag, and nothing written."""

import pickle
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.typed import Glam, refused

from glam.training.artefact import MODEL


@pytest.fixture
def place(evaluated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh copy of datasets, world model, policies and evaluations, to spoil."""
    monkeypatch.chdir(tmp_path)
    return shutil.copytree(evaluated.root, tmp_path / "place")


def policy(place: Path, method: str = "latent", **other: str) -> tuple[object, ...]:
    named = {"target": "kinova", "aux": "umi", "world-model": "run", "out": "new", "preset": "smoke"} | other
    folders = {"target", "aux", "world-model", "out"}
    words = [(f"--{name}", place / value if name in folders else value) for name, value in named.items() if value]
    return ("train-policy", method, *(word for pair in words for word in pair))


@pytest.mark.parametrize(
    ("method", "other", "sentence"),
    [
        ("latent", {"world-model": ""}, "--world-model"),
        ("latent", {"world-model": "nowhere"}, "nowhere"),
        ("latent", {"world-model": "mip"}, "not a world model"),
        ("latent", {"target": "umi"}, "umi"),
        ("latent", {"target": "nowhere"}, "nowhere"),
        ("mip", {}, "--world-model"),
        ("mip", {"world-model": ""}, "--aux"),
        ("retarget", {}, "--world-model"),
        ("mip", {"world-model": "", "aux": "", "out": "run"}, "run"),
        ("mip", {"world-model": "", "aux": "", "encoder": "dinov2-s14"}, "encoder dinov2-s14"),
        ("retarget", {"world-model": "", "aux": ""}, "--aux"),
        ("better", {"world-model": ""}, "better"),
        ("latent", {"set": "fit.steps"}, "--set: 'fit.steps' is not NAME=VALUE"),
        ("latent", {"set": "fit.speed=3"}, "--set: TrainPolicyConfig: there is no field 'fit.speed'"),
        ("latent", {"set": "fit.learning_rate=fast"}, "--set: TrainPolicyConfig.fit.learning_rate"),
    ],
)
def test_a_policy_is_not_trained_on_what_cannot_be_meant(
    glam: Glam, place: Path, method: str, other: dict[str, str], sentence: str
) -> None:
    assert sentence in refused(glam, place, *policy(place, method, **other))


def trial(place: Path, *words: object, of: str = "mip", task: str = "lift") -> tuple[object, ...]:
    episodes = () if "--episodes" in words else ("--episodes", "1")
    return ("evaluate", "--policy", place / of, "--task", task, "--out", place / "new", *episodes, *words)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--embodiment", "umi"), "but lift by umi has none"),
        (("--embodiment", "panda"), "panda"),
        (("--n-action-steps", "9"), "--n-action-steps 9: a chunk of"),
        (("--n-action-steps", "0"), "--n-action-steps 0"),
        (("--temporal-ensemble-weight", "1"), "--temporal-ensemble-weight 1"),
        (("--episodes", "0"), "--episodes 0"),
        (("--films", "-1"), "--films -1"),
        (("--workers", "0"), "--workers 0"),
    ],
)
def test_a_trial_that_cannot_be_meant_is_not_begun(
    glam: Glam, place: Path, words: tuple[str, ...], sentence: str
) -> None:
    assert sentence in refused(glam, place, *trial(place, *words))


@pytest.mark.parametrize(
    ("of", "task", "sentence"),
    [
        ("mip", "juggle", "juggle"),
        ("mip", "stack-three", "was trained on lift, and --task is stack-three"),
        ("run", "lift", "not a policy"),
        ("kinova", "lift", "kinova"),
        ("nowhere", "lift", "nowhere"),
    ],
)
def test_what_is_no_policy_of_this_task_is_not_tried(
    glam: Glam, place: Path, of: str, task: str, sentence: str
) -> None:
    assert sentence in refused(glam, place, *trial(place, of=of, task=task))


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def pickled(path: Path) -> None:
    path.write_bytes(pickle.dumps({"weights": [1.0]}))


def emptied(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("spoil", [flipped, pickled, emptied])
def test_a_damaged_policy_is_not_tried(glam: Glam, place: Path, spoil: Callable[[Path], None]) -> None:
    spoil(place / "mip" / MODEL)
    assert MODEL in refused(glam, place, *trial(place))


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [("eval-mip", "nowhere", "nowhere"), ("kinova", "eval-mip", "kinova"), ("eval-mip", "mip", "mip")],
)
def test_what_is_no_evaluation_is_not_compared(glam: Glam, place: Path, first: str, second: str, sentence: str) -> None:
    assert sentence in refused(glam, place, "compare", place / first, place / second)


def test_damaged_records_are_not_compared(glam: Glam, place: Path) -> None:
    records = place / "eval-mip" / "episodes.jsonl"
    records.write_text(records.read_text()[:-20])
    assert "episodes.jsonl" in refused(glam, place, "compare", place / "eval-latent", place / "eval-mip")
