import json
from pathlib import Path

import pytest
from tests.evaluation.episodes import run

from glam.core.configs import to_json
from glam.core.errors import GlamError
from glam.core.files import sha256, write_json
from glam.evaluation.evaluations import eval_info, film_name, is_evaluation, read_evaluation, write_records
from glam.evaluation.lineage import Lineage
from glam_client.action_chunking import ActionChunking

LINEAGE = Lineage("latent", 0, "69ea", "16d2", {"0": "b0"}, (), "glam-o")
SETTINGS = {
    "task": "stack-two",
    "episodes": 3,
    "split": "validation",
    "first": 0,
    "n_action_steps": 10,
    "temporal_ensemble_weight": 0.0,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    records = run([True, False, True])
    films = [f"films/{film_name(record)}" for record in records[:2]]
    write_records(tmp_path, records)
    write_json(tmp_path / "eval_info.json", eval_info(records, 21.0, films))
    config = {"evaluate": SETTINGS, "policy": "69ea", "lineage": to_json(LINEAGE), "command": ["glam", "evaluate"]}
    write_json(tmp_path / "config.json", config)
    for name in films:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"film")
    return tmp_path


def changed(path: Path, **fields: object) -> None:
    write_json(path, json.loads(path.read_text()) | fields)


def test_a_film_is_called_by_seed_and_outcome() -> None:
    success, failure = run([True, False])
    assert film_name(success) == "100000-success.mp4"
    assert film_name(failure) == "100001-failed-place.mp4"


def test_everything_written_is_read_back(folder: Path) -> None:
    evaluation = read_evaluation(folder)
    assert evaluation.records == tuple(run([True, False, True]))
    assert (evaluation.first_seed, evaluation.chunking, evaluation.seconds) == (
        100_000,
        ActionChunking(10, temporal_ensemble_weight=0.0),
        21.0,
    )
    assert evaluation.lineage == LINEAGE
    assert evaluation.command == ("glam", "evaluate")
    assert evaluation.sha256 == sha256(folder / "episodes.jsonl")
    assert [film.path.name for film in evaluation.films] == ["100000-success.mp4", "100001-failed-place.mp4"]
    assert [film.record.is_success for film in evaluation.films] == [True, False]


def test_a_film_that_was_deleted_is_not_missed(folder: Path) -> None:
    (folder / "films/100000-success.mp4").unlink()
    assert [film.path.name for film in read_evaluation(folder).films] == ["100001-failed-place.mp4"]


def test_a_film_outside_the_folder_is_never_read(folder: Path) -> None:
    info = json.loads((folder / "eval_info.json").read_text())
    info["overall"]["video_paths"] = ["../secret.mp4", "/etc/passwd"]
    write_json(folder / "eval_info.json", info)
    assert read_evaluation(folder).films == ()


def test_an_evaluation_from_before_lineages_is_still_read(folder: Path) -> None:
    write_json(folder / "config.json", {"evaluate": SETTINGS, "policy": "69ea"})
    evaluation = read_evaluation(folder)
    assert (evaluation.lineage.name, evaluation.lineage.seed, evaluation.lineage.recipe) == ("glam-o", 0, "69ea")
    assert evaluation.command == ()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config.json", "{"),
        ("config.json", "[]"),
        ("config.json", "{}"),
        ("config.json", json.dumps({"evaluate": [], "policy": "69ea"})),
        ("config.json", json.dumps({"evaluate": SETTINGS | {"n_action_steps": "many"}, "policy": "69ea"})),
        ("config.json", json.dumps({"evaluate": SETTINGS, "policy": "69ea", "lineage": {"method": "mip"}})),
        ("eval_info.json", "{}"),
        ("episodes.jsonl", "{}\n"),
    ],
)
def test_a_damaged_file_is_named(folder: Path, name: str, content: str) -> None:
    (folder / name).write_text(content)
    with pytest.raises(GlamError, match=name.replace(".", r"\.")):
        read_evaluation(folder)


def test_an_evaluation_that_was_interrupted_is_an_error(folder: Path) -> None:
    (folder / "config.json").unlink()
    assert is_evaluation(folder)
    with pytest.raises(GlamError, match=r"config\.json: no such file"):
        read_evaluation(folder)


def test_other_folders_are_no_evaluations(tmp_path: Path) -> None:
    assert not is_evaluation(tmp_path)
