"""A finished run rebuilds its model with nothing else, and says so when it cannot."""

import json
import shutil

import pytest
import torch

from glam.core import seals
from glam.core.errors import GlamError
from glam.training import artefact


@pytest.fixture
def root(trained, tmp_path):
    root = tmp_path / "run"
    shutil.copytree(trained, root)
    return root


def test_a_finished_run_gives_back_weights_config_and_documents(toy, root):
    found = artefact.load(root)
    assert found.kind == "toy"
    assert found.config["steps"] == 12
    assert found.documents == {"normalizer": {"mean": [0.0, 1.0]}}
    assert found.record["seed"] == 3
    assert found.record["inputs"] == {"data": "none"}
    assert found.record["command"] == ["toy"]
    assert found.record["versions"]["torch"] == torch.__version__
    module = found.into(toy.new_toy)
    assert all(torch.equal(tensor, found.weights[name]) for name, tensor in module.state_dict().items())


def test_the_folder_holds_what_is_documented(root):
    names = sorted(path.name for path in root.iterdir() if path.name != ".lock")
    assert names == [
        "checkpoints", "config.json", "manifest.json", "metrics.jsonl", "model.safetensors", "normalizer.json",
    ]  # fmt: skip


def test_the_digest_is_that_of_what_was_learnt(toy, root, tmp_path):
    digest, weights = artefact.load(root).digest, artefact.load(root).weights
    toy.train(tmp_path / "again")
    assert artefact.load(tmp_path / "again").digest == digest, "other times in the log, the same model"
    weights["head.0.bias"] += 1.0
    artefact.finish(root, weights, {})
    assert artefact.load(root).digest != digest


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "normalizer.json", "manifest.json"])
@pytest.mark.parametrize("damage", ["flip", "remove"])
def test_damage_is_refused_by_file(root, name, damage):
    path = root / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.unlink()
    if damage == "flip":
        path.write_bytes(content)
    expected = {"config.json": "config.json", "manifest.json": "not finished"} if damage == "remove" else {}
    with pytest.raises(GlamError, match=expected.get(name, name)):
        artefact.load(root)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda record: [], "not the record of a training"),
        (lambda record: {}, "its kind is missing or wrong"),
        (lambda record: record | {"config": None}, "its config is missing or wrong"),
        (lambda record: record | {"seed": "3"}, "its seed is missing or wrong"),
        (lambda record: record | {"command": [7]}, "its command or inputs are no text"),
        (lambda record: record | {"inputs": {"0": None}}, "its command or inputs are no text"),
    ],
)
def test_a_record_under_a_seal_that_fits_is_checked_all_the_same(root, change, sentence):
    record = change(json.loads((root / artefact.CONFIG).read_text()))
    others = [name for name in seals.digests(root) if name != artefact.CONFIG]
    seals.write(root, {artefact.CONFIG: seals.json_bytes(record)}, also=others)
    with pytest.raises(GlamError, match=rf"config\.json: .*{sentence}"):
        artefact.load(root)


def test_what_only_some_trainings_have_is_asked_for_by_name(root):
    found = artefact.load(root)
    assert found.setting("steps") == 12
    with pytest.raises(GlamError, match=r"config\.json: its config has no method, as that of a toy has"):
        found.method  # noqa: B018
    with pytest.raises(GlamError, match=r"has no sizes\.json under its seal"):
        found.document("sizes")


def test_an_unfinished_run_is_refused_with_its_step(root):
    (root / "manifest.json").unlink()
    with pytest.raises(
        GlamError, match=r"run: training has not finished \(step 12\); repeat the command that started it"
    ):
        artefact.load(root)


def test_a_folder_that_is_none_is_refused(tmp_path):
    with pytest.raises(GlamError, match=r"not the folder of a training \(it has no config\.json\)"):
        artefact.load(tmp_path)


def test_a_module_of_another_shape_is_refused(root):
    with pytest.raises(GlamError, match=r"model\.safetensors: made for another architecture"):
        artefact.load(root).into(lambda: torch.nn.Linear(2, 2))


def test_weights_that_are_not_finite_are_never_kept(root):
    weights = artefact.load(root).weights
    weights["head.0.bias"][0] = float("inf")
    with pytest.raises(GlamError, match=r"model\.safetensors: tensor 'head\.0\.bias' holds"):
        artefact.finish(root, weights, {})
    assert artefact.load(root).weights["head.0.bias"].isfinite().all()
