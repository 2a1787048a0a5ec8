import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.data import tiny

from glam.core.errors import GlamError
from glam.core.files import sha256
from glam.recipes import world_model
from glam.stages.relabel import relabel
from glam.stages.train_world_model import Callbacks, train_world_model
from glam.world_models import runs

SMOKE = world_model("glam-o", "smoke")


class StoppedError(Exception):
    """Stands for an interruption."""


def test_a_run_holds_all_that_is_needed_to_use_it(trained) -> None:
    loaded = runs.load(trained.run)
    record = json.loads((trained.run / "config.json").read_text())
    assert loaded.interface.objects == ("cube", "blue", "green", "yellow")
    assert record["config"]["method"] == "glam-o"
    assert len(record["inputs"]) == 2
    probes = [json.loads(line) for line in (trained.run / "metrics.jsonl").read_text().splitlines()]
    assert {"action_error", "next_iou", "source_accuracy"} <= set(probes[-1])
    assert {"gradient.alignment", "gradient.alignment.idm", "gradient.forward_pose.idm"} <= set(probes[-2])


def test_a_finished_run_is_left_alone(trained) -> None:
    before = sha256(trained.run / "model.safetensors")
    train_world_model(SMOKE, trained.target, [trained.auxiliary], trained.run)
    assert sha256(trained.run / "model.safetensors") == before


def test_an_interrupted_run_ends_with_the_same_weights(trained, tmp_path: Path) -> None:
    def stop(progress) -> None:
        if progress.step == 13:
            raise StoppedError

    with pytest.raises(StoppedError):
        train_world_model(SMOKE, trained.target, [trained.auxiliary], tmp_path / "run", Callbacks(training=stop))
    train_world_model(SMOKE, trained.target, [trained.auxiliary], tmp_path / "run")
    assert sha256(tmp_path / "run/model.safetensors") == sha256(trained.run / "model.safetensors")


def test_several_auxiliary_sources_need_no_other_architecture(trained, tmp_path: Path) -> None:
    train_world_model(SMOKE, trained.target, [trained.auxiliary, trained.auxiliary], tmp_path / "run")
    assert runs.load(tmp_path / "run").sizes == runs.load(trained.run).sizes


def test_a_run_with_other_settings_is_not_overwritten(trained) -> None:
    other = replace(SMOKE, fit=replace(SMOKE.fit, seed=1))
    with pytest.raises(GlamError, match="seed"):
        train_world_model(other, trained.target, [trained.auxiliary], trained.run)


def test_a_target_without_actions_is_refused_before_anything_is_written(trained, tmp_path: Path) -> None:
    with pytest.raises(GlamError, match="action"):
        train_world_model(SMOKE, trained.auxiliary, [trained.auxiliary], tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_missing_auxiliary_set_is_refused(trained, tmp_path: Path) -> None:
    with pytest.raises(GlamError, match="--aux"):
        train_world_model(SMOKE, trained.target, [], tmp_path / "run")
    with pytest.raises(GlamError, match="nowhere"):
        train_world_model(SMOKE, trained.target, [tmp_path / "nowhere"], tmp_path / "run")


def test_a_flipped_bit_in_a_checkpoint_is_a_clear_error(trained, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(trained.run, run)
    model = run / "model.safetensors"
    content = bytearray(model.read_bytes())
    content[len(content) // 2] ^= 1
    model.write_bytes(content)
    with pytest.raises(GlamError, match=r"model\.safetensors"):
        runs.load(run)


def test_sets_of_different_features_are_learnt_from_by_what_they_share(tmp_path: Path) -> None:
    tiny.record(tmp_path / "target", 3)
    tiny.record(tmp_path / "side", 3, replace(tiny.AUXILIARY, cameras=("side", "front"), objects=()))
    tiny.record(tmp_path / "blind", 3, replace(tiny.AUXILIARY, cameras=("front",), has_pose=False))
    auxiliary = [tmp_path / "side", tmp_path / "blind"]
    run = train_world_model(world_model("glam-no-pose", "smoke"), tmp_path / "target", auxiliary, tmp_path / "run")
    trained = runs.load(run)
    assert (trained.interface.cameras, trained.sizes.pose, trained.sizes.image.channels) == (
        ("front",),
        11,
        3,
    )  # the target knows its pose, and says that it does
    for name in ("target", "side", "blind"):
        assert relabel(run, tmp_path / name, workers=1).is_file()
    tiny.record(tmp_path / "other", 2, replace(tiny.AUXILIARY, cameras=("side",)))
    with pytest.raises(GlamError, match=r"cameras is \('side',\), but the world model was trained on \('front',\)"):
        relabel(run, tmp_path / "other", workers=1)
