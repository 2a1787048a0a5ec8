import json
import shutil
from pathlib import Path

import pytest
from tests.typed import Glam

from glam.core import seals
from glam.core.errors import GlamError
from glam.core.files import write_json
from glam.stages.replay import ReplayConfig, replay_dataset
from glam.stages.report import find, report


@pytest.fixture(scope="module")
def replay(evaluated, trained) -> Path:
    return replay_dataset(
        ReplayConfig("lift", episodes=1, films=1), trained.run, trained.auxiliary, evaluated.root / "re"
    )


@pytest.fixture(scope="module")
def page(evaluated, replay, tmp_path_factory: pytest.TempPathFactory) -> str:
    return report([evaluated.root], tmp_path_factory.mktemp("report") / "page.html").read_text()


def test_everything_below_a_folder_is_found(evaluated, trained, replay) -> None:
    found = find([evaluated.root])
    assert found.evaluations == [evaluated.evaluations["latent"], evaluated.evaluations["mip"]]
    assert found.policies == [evaluated.policies["latent"], evaluated.policies["mip"]]
    assert found.world_models == [trained.run]
    assert found.replays == [replay]
    assert found.datasets == [trained.target, trained.auxiliary]


def test_a_folder_that_is_given_twice_is_read_once(evaluated) -> None:
    assert find([evaluated.policies["mip"], evaluated.root]).policies == [
        evaluated.policies["mip"],
        evaluated.policies["latent"],
    ]


def test_the_page_shows_methods_films_world_model_and_replay(page: str) -> None:
    for words in (
        "<h1>lift by kinova</h1>",
        "lift: no significant difference between glam-o and mip",
        "glam-o, 2 labelled + 2 unlabelled",
        "<h2>World model glam-o</h2>",
        "By source",
        "Error of actions",
        "<h2>Replays</h2>",
        "umi on kinova",
        "<h2>Behind the numbers</h2>",
    ):
        assert words in page, words
    assert page.count("<video") == 3  # a failure of each policy, and a replay
    assert page.count("<img") == 8


def test_a_world_model_whose_datasets_are_elsewhere_has_no_images(trained, tmp_path: Path) -> None:
    shutil.copytree(trained.run, tmp_path / "run")
    text = report([tmp_path / "run"], tmp_path / "page.html").read_text()
    assert "<img" not in text
    assert "no image of the latent space" in text
    shutil.copytree(trained.target, tmp_path / "a")
    shutil.copytree(trained.auxiliary, tmp_path / "b")
    assert "<img" in report([tmp_path / "run", tmp_path / "a", tmp_path / "b"], tmp_path / "page.html").read_text()


def test_trainings_that_go_on_are_shown_by_their_curves(evaluated, trained, tmp_path: Path) -> None:
    for run in (evaluated.policies["mip"], trained.run):
        shutil.copytree(run, tmp_path / run.name)
        (tmp_path / run.name / "manifest.json").unlink()
    text = report([tmp_path], tmp_path / "page.html").read_text()
    assert text.count("training has not finished") == 2
    assert "Objective" in text


def test_an_old_evaluation_learns_its_lineage_from_the_policy_beside_it(evaluated, tmp_path: Path) -> None:
    old = shutil.copytree(evaluated.evaluations["latent"], tmp_path / "old")
    config = json.loads((old / "config.json").read_text())
    content = json.dumps({"evaluate": config["evaluate"], "policy": config["policy"]}).encode()
    seals.write(old, {"config.json": content}, also=seals.digests(old).keys() - {"config.json"})
    assert "latent succeeds in 0 of 3" in report([old], tmp_path / "page.html").read_text()
    both = report([old, evaluated.policies["latent"]], tmp_path / "page.html").read_text()
    assert "glam-o succeeds in 0 of 3" in both


def damaged(name: str, content: bytes):
    def damage(root: Path) -> None:
        (path,) = root.glob(name)
        path.write_bytes(content)

    return damage


def another_replay(content: bytes):
    return lambda root: seals.write(root, {"replay.json": content})


@pytest.mark.parametrize(
    ("kind", "damage", "sentence"),
    [
        ("eval-mip", damaged("episodes.jsonl", b"{}\n"), "episodes.jsonl: damaged"),
        ("eval-mip", damaged("config.json", b"{"), "config.json: damaged"),
        ("eval-mip", damaged("eval_info.json", b"[]"), "eval_info.json: damaged"),
        ("mip", damaged("config.json", b"\xff"), "config.json: not valid JSON"),
        ("mip", damaged("model.safetensors", b"x"), "model.safetensors: damaged"),
        ("run", damaged("metrics.jsonl", b"{}\n"), "metrics.jsonl: damaged"),
        ("re", damaged("replay.json", b"[]"), "replay.json: damaged"),
        ("re", another_replay(b"[]"), "replay.json: ReplayRecord: [] is not an object"),
        ("re", another_replay(b'{"config": 1, "world_model": 2, "dataset": 3, "summary": {}}'), "replay.json"),
        ("re", damaged("*.mp4", b"x"), ".mp4: damaged"),
        ("re", seals.unseal, "its replay has not ended; run the same command again"),
    ],
)
def test_a_damaged_record_is_one_sentence_that_names_it(
    evaluated, replay, tmp_path: Path, kind: str, damage, sentence: str
) -> None:
    root = shutil.copytree(evaluated.root / kind, tmp_path / kind)
    damage(root)
    with pytest.raises(GlamError) as failure:
        report([root], tmp_path / "page.html")
    assert sentence in str(failure.value)
    assert not (tmp_path / "page.html").exists()


def test_an_unfinished_run_without_a_record_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"kind": "policy", "config": {}}')
    with pytest.raises(GlamError, match=r"config\.json: not the record of a training"):
        report([tmp_path], tmp_path / "page.html")


def test_a_damaged_film_is_named(evaluated, tmp_path: Path) -> None:
    root = shutil.copytree(evaluated.evaluations["mip"], tmp_path / "eval")
    next(root.glob("films/*.mp4")).write_bytes(b"x")
    with pytest.raises(GlamError, match=r"films/.*\.mp4"):
        report([root], tmp_path / "page.html")


def test_the_command_prints_the_path_of_the_page(evaluated, tmp_path: Path, glam: Glam) -> None:
    out = tmp_path / "pages/page.html"
    said = glam("report", evaluated.evaluations["mip"], evaluated.evaluations["latent"], "--out", out)
    assert (said.code, said.output.strip()) == (0, str(out))
    assert out.read_text().startswith("<!DOCTYPE html>")


@pytest.fixture
def place(evaluated, trained, tmp_path: Path) -> Path:
    """Folders of every kind, most of them useless."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "strange/inside").mkdir(parents=True)
    (tmp_path / "strange/config.json").write_text('{"kind": "recipe"}')
    (tmp_path / "file").write_text("x")
    (tmp_path / "kinova").symlink_to(trained.target)
    (tmp_path / "mip").symlink_to(evaluated.policies["mip"])
    return tmp_path


@pytest.mark.parametrize(
    ("folders", "sentence"),
    [
        (["nowhere"], "nowhere: no such folder"),
        (["file"], "file: no such folder"),
        (["empty"], "empty: nothing to report in it"),
        (["strange"], "strange: nothing to report in it"),
        (["mip", "empty"], "empty: nothing to report in it"),
        (["kinova"], "kinova: a dataset, and nothing that was trained on it"),
        (["mip", "--out", "empty"], "--out empty: is a folder"),
        ([], "give at least one"),
    ],
)
def test_bad_input_gets_one_sentence_and_code_two_and_writes_nothing(
    place: Path, glam: Glam, monkeypatch: pytest.MonkeyPatch, folders: list[str], sentence: str
) -> None:
    monkeypatch.chdir(place)
    before = sorted(place.rglob("*"))
    said = glam("report", *folders)
    assert said.code == 2
    lines = said.error.strip().splitlines()
    assert len(lines) == 1
    assert sentence in lines[0]
    assert sorted(place.rglob("*")) == before


def test_records_of_a_benchmark_become_a_table(tmp_path: Path) -> None:
    cell = {"task": "lift", "method": "mip", "seed": 0, "detail": "", "kind": "evaluation", "run": "mip-0"}
    run = {"kind": "evaluation", "name": "mip-0", "result": {"successes": 3, "episodes": 4}}
    write_json(tmp_path / "bench" / "records" / "main.json", {"benchmark": "main", "cells": [cell], "runs": [run]})
    text = report([tmp_path / "bench"], tmp_path / "page.html").read_text()
    assert "<h1>Benchmarks</h1>" in text
    assert "<h2>Benchmark main</h2>" in text
    assert "3 of 4" in text
