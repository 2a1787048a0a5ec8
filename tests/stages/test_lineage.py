import shutil
from pathlib import Path

import pytest

from glam.core.errors import GlamError
from glam.data.reader import Dataset
from glam.stages.lineage import datasets_among, kind_of, lineage, places, world_models_among
from glam.training import artefact


def test_a_policy_tells_its_world_model_and_data(evaluated, trained) -> None:
    found = lineage(evaluated.policies["latent"])
    assert (found.method, found.world_model, found.name, found.seed) == ("latent", "glam-o", "glam-o", 0)
    assert [(source.name, source.embodiment, source.is_labelled) for source in found.data] == [
        ("kinova", "kinova", True),
        ("umi", "umi", False),
    ]
    assert [source.digest for source in found.data] == [
        Dataset.open(root).content_id for root in (trained.target, trained.auxiliary)
    ]
    assert [source.episodes for source in found.data] == [2, 2]  # of three, one is held out
    assert found.digest == artefact.load(evaluated.policies["latent"]).digest
    assert found.inputs["world_model"] == artefact.load(trained.run).digest


def test_a_policy_without_world_model_has_its_own_name(evaluated) -> None:
    found = lineage(evaluated.policies["mip"])
    assert (found.name, found.world_model, found.data_words) == ("mip", "", "2 labelled")


def test_inputs_that_were_moved_away_leave_their_digests(evaluated, tmp_path: Path) -> None:
    alone = shutil.copytree(evaluated.policies["latent"], tmp_path / "policy")
    found = lineage(alone)
    assert (found.name, found.data, found.data_words) == ("latent", (), "")
    assert len(found.inputs) == 3


def test_a_run_beside_that_is_broken_does_no_harm(evaluated, trained, tmp_path: Path) -> None:
    shutil.copytree(evaluated.policies["latent"], tmp_path / "policy")
    broken = shutil.copytree(trained.run, tmp_path / "broken")
    (broken / "model.safetensors").write_bytes(b"x")
    shutil.copytree(trained.target, tmp_path / "set")
    (tmp_path / "set/meta/glam.json").write_text("{")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd/config.json").write_text("{")
    shutil.copytree(trained.run, tmp_path / "world model")
    assert lineage(tmp_path / "policy").name == "glam-o"


def test_only_policies_have_a_lineage(trained) -> None:
    with pytest.raises(GlamError, match="not a policy"):
        lineage(trained.run)


def test_folders_are_looked_for_where_the_command_says_and_beside_the_run(tmp_path: Path) -> None:
    (tmp_path / "data/set").mkdir(parents=True)
    (tmp_path / "runs/run").mkdir(parents=True)
    (tmp_path / "runs/other").mkdir()
    command = ["glam", "--target", str(tmp_path / "data/set"), "--aux", "nowhere", "x" * 10_000]
    assert [path.name for path in places(tmp_path / "runs/run", command)] == ["set", "other", "run"]


def test_what_a_folder_holds_is_recognised(evaluated, trained) -> None:
    folders = [trained.target, trained.run, evaluated.policies["mip"], evaluated.evaluations["mip"]]
    assert [kind_of(folder) for folder in folders] == ["", "world-model", "policy", ""]
    assert [dataset.root for dataset in datasets_among(folders)] == [trained.target]
    assert [found.root for found in world_models_among(folders)] == [trained.run]
