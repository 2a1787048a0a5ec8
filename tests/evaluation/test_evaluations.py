import json
from pathlib import Path

import pytest
from tests.evaluation.episodes import run

from glam.core import seals
from glam.core.configs import to_json
from glam.core.errors import GlamError
from glam.core.files import sha256
from glam.evaluation.evaluations import (
    CONFIG,
    EVAL_INFO,
    RECORDS,
    eval_info,
    film_name,
    is_evaluation,
    read_evaluation,
    write_evaluation,
)
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
    for name in films:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"film")
    config = {"evaluate": SETTINGS, "policy": "69ea", "lineage": to_json(LINEAGE), "command": ["glam", "evaluate"]}
    documents = {EVAL_INFO: eval_info(records, 21.0, films), CONFIG: config}
    write_evaluation(tmp_path, records, documents, films)
    return tmp_path


def resealed(folder: Path, name: str, content: str) -> None:
    """A file of a faulty program, or of somebody who knows how to seal."""
    seals.write(folder, {name: content.encode()}, also=seals.digests(folder).keys() - {name})


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
    resealed(folder, EVAL_INFO, json.dumps(info))
    assert read_evaluation(folder).films == ()


def test_an_evaluation_from_before_lineages_is_still_read(folder: Path) -> None:
    resealed(folder, CONFIG, json.dumps({"evaluate": SETTINGS, "policy": "69ea"}))
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
    resealed(folder, name, content)
    with pytest.raises(GlamError, match=name.replace(".", r"\.")):
        read_evaluation(folder)


def test_an_evaluation_that_was_interrupted_is_an_error(folder: Path) -> None:
    seals.unseal(folder)
    assert is_evaluation(folder)
    with pytest.raises(GlamError, match="the evaluation has not finished"):
        read_evaluation(folder)


@pytest.mark.parametrize("name", [RECORDS, EVAL_INFO, CONFIG, "films/100000-success.mp4"])
def test_a_flipped_bit_in_any_file_is_found(folder: Path, name: str) -> None:
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(GlamError, match=f"{name}: damaged"):
        read_evaluation(folder)


def test_other_folders_are_no_evaluations(tmp_path: Path) -> None:
    assert not is_evaluation(tmp_path)
