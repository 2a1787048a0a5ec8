"""A checkpoint is complete or not there, two are kept, and damage is named with a way out."""

import errno
import shutil

import pytest
import torch

from glam.core import files, seals
from glam.core.errors import GlamError
from glam.training import checkpoint
from glam.training.checkpoint import Checkpoint


def made(step: int) -> Checkpoint:
    return Checkpoint(
        step,
        {"seconds": 1.5, "notes": {"a": [1]}},
        {
            "model": {"w": torch.full((2, 2), float(step))},
            "average": {},
            "optimiser": {"w.step": torch.tensor(float(step))},
        },
    )


def names(root):
    return sorted(path.name for path in root.iterdir())


def test_a_checkpoint_is_read_as_it_was_saved(tmp_path):
    checkpoint.save(tmp_path, made(500))
    found = checkpoint.load(tmp_path, 500)
    assert found.step == 500
    assert found.facts["notes"] == {"a": [1]}
    assert torch.equal(found.tensors["model"]["w"], torch.full((2, 2), 500.0))
    assert found.tensors["average"] == {}
    assert found.tensors["optimiser"]["w.step"].item() == 500.0


def test_the_newest_two_are_kept_and_strangers_are_left_alone(tmp_path):
    tmp_path.joinpath("step-notes.txt").write_text("mine")
    tmp_path.joinpath("best").mkdir()
    for step in (5, 10, 15, 100_000_000):
        checkpoint.save(tmp_path, made(step))
    assert checkpoint.steps(tmp_path) == [15, 100_000_000]
    assert names(tmp_path) == ["best", "step-00000015", "step-100000000", "step-notes.txt"]


def test_there_are_no_checkpoints_where_there_is_no_folder(tmp_path):
    assert checkpoint.steps(tmp_path / "absent") == []


def test_a_checkpoint_holds_no_other_files_than_its_own(tmp_path):
    checkpoint.save(tmp_path, made(5))
    expected = ["average.safetensors", "manifest.json", "model.safetensors", "optimiser.safetensors", "state.json"]
    assert names(tmp_path / "step-00000005") == expected


def test_a_failed_save_leaves_the_one_before_and_no_rubbish(tmp_path, monkeypatch):
    checkpoint.save(tmp_path, made(5))
    write_bytes = files.write_bytes

    def fill_the_disk(path, content):
        if path.name == "optimiser.safetensors":
            raise OSError(errno.ENOSPC, "No space left on device")
        write_bytes(path, content)

    monkeypatch.setattr(files, "write_bytes", fill_the_disk)
    with pytest.raises(GlamError, match=r"cannot be written \(No space left on device\); \d+ bytes are needed"):
        checkpoint.save(tmp_path, made(10))
    assert names(tmp_path) == ["step-00000005"]
    assert checkpoint.load(tmp_path, 5).step == 5


def test_what_is_not_finite_is_never_saved(tmp_path):
    checkpoint.save(tmp_path, made(5))
    bad = made(10)
    bad.tensors["optimiser"]["w.step"].fill_(float("nan"))
    with pytest.raises(GlamError, match=r"step-00000010/optimiser\.safetensors: tensor 'w\.step' holds a NaN"):
        checkpoint.save(tmp_path, bad)
    assert names(tmp_path) == ["step-00000005"]


def test_rubbish_of_a_crash_is_no_checkpoint_and_is_cleared(tmp_path):
    checkpoint.save(tmp_path, made(5))
    shutil.copytree(tmp_path / "step-00000005", tmp_path / ".step-00000010.123.glam.tmp")
    tmp_path.joinpath(".hidden").write_text("mine")
    assert checkpoint.steps(tmp_path) == [5]
    checkpoint.tidy(tmp_path)
    assert names(tmp_path) == [".hidden", "step-00000005"]


def test_a_checkpoint_that_a_crash_saved_from_removal_is_let_go_later(tmp_path):
    for step in (5, 10):
        checkpoint.save(tmp_path / "one", made(step))
    checkpoint.save(tmp_path / "other", made(15))
    (tmp_path / "other" / "step-00000015").rename(tmp_path / "one" / "step-00000015")
    checkpoint.tidy(tmp_path / "one")
    assert checkpoint.steps(tmp_path / "one") == [10, 15]


@pytest.mark.parametrize("name", ["model.safetensors", "optimiser.safetensors", "state.json", "manifest.json"])
@pytest.mark.parametrize("damage", ["flip", "truncate", "remove", "pickle"])
def test_damage_is_named_with_the_step_one_can_go_on_from(tmp_path, name, damage):
    for step in (5, 10):
        checkpoint.save(tmp_path, made(step))
    path = tmp_path / "step-00000010" / name
    content = path.read_bytes()
    if damage == "remove":
        path.unlink()
    else:
        middle = len(content) // 2
        flipped = content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :]
        path.write_bytes({"flip": flipped, "truncate": content[:middle], "pickle": b"\x80\x04N."}[damage])
    with pytest.raises(GlamError, match=rf"step-00000010/{name}: .*; or delete .*step-00000010 to resume from step 5"):
        checkpoint.load(tmp_path, 10)
    assert checkpoint.load(tmp_path, 5).step == 5


def test_the_only_checkpoint_has_no_other_to_go_on_from(tmp_path):
    checkpoint.save(tmp_path, made(5))
    (tmp_path / "step-00000005" / "model.safetensors").unlink()
    with pytest.raises(GlamError, match=r"model\.safetensors: cannot be read .* copy$"):
        checkpoint.load(tmp_path, 5)


def test_a_sealed_file_that_is_no_safetensors_is_refused_all_the_same(tmp_path):
    checkpoint.save(tmp_path, made(5))
    folder = tmp_path / "step-00000005"
    seals.write(folder, {"model.safetensors": b"\x80\x04N."}, also=set(names(folder)) - {seals.MANIFEST})
    with pytest.raises(GlamError, match=r"model\.safetensors: not a safetensors file"):
        checkpoint.load(tmp_path, 5)


def test_a_renamed_checkpoint_is_refused(tmp_path):
    checkpoint.save(tmp_path, made(5))
    (tmp_path / "step-00000005").rename(tmp_path / "step-00000050")
    with pytest.raises(GlamError, match=r"state\.json: is of step 5, not of 50"):
        checkpoint.load(tmp_path, 50)
