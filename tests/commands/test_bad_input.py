"""Bad input of stage 1 as a user types it: exit code 2, one sentence that names file or flag, and nothing written."""

import json
import pickle
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.data import tiny
from tests.typed import Glam, refused

from glam.core import seals
from glam.data import layout
from glam.data.recording import publish, recording, save_episode
from glam.data.schema import EE_POSE, Episode, Schema
from glam.data.tables import parquet_bytes, read_parquet
from glam.recipes import world_model
from glam.training.artefact import MODEL

SMOKE = ("--preset", "smoke", "--threads", "1")


@pytest.fixture(autouse=True)
def _nothing_decoded_yet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GLAM_CACHE", str(tmp_path / "cache"))


def train(place: Path, *words: object, method: str = "glam-o") -> tuple[object, ...]:
    sets = ("--target", place / "target", "--aux", place / "aux")
    return ("train-world-model", method, *sets, "--out", place / "run", *SMOKE, *words)


def record(place: Path, name: str, schema: Schema, episodes: int = 3) -> None:
    """Put another dataset in the place of a sound one."""
    shutil.rmtree(place / name)
    tiny.record(place / name, episodes, schema)


def brief(place: Path) -> None:
    """Episodes that are shorter than the windows of a batch."""
    frames = world_model("glam", "smoke").batch.frames - 1
    shutil.rmtree(place / "aux")
    with recording(place / "aux", tiny.AUXILIARY, tiny.DESCRIPTION):
        for index in range(3):
            save_episode(place / "aux", tiny.AUXILIARY, index, cut_short(index, frames), {})
        publish(place / "aux", tiny.AUXILIARY, tiny.DESCRIPTION, 3)


def cut_short(index: int, frames: int) -> Episode:
    whole = tiny.episode(index, tiny.AUXILIARY)
    parts = ({key: rows[:frames] for key, rows in part.items()} for part in (whole.vectors, whole.images, whole.masks))
    return Episode(*parts, whole.task)


def without(schema: Schema, name: str) -> Callable[[Path], None]:
    return lambda place: record(place, name, replace(schema, objects=()))


def emptied(place: Path) -> None:
    shutil.rmtree(place / "aux")
    (place / "aux").mkdir()


def unfinished(place: Path) -> None:
    (place / "aux" / layout.INFO).unlink()


def described(place: Path, name: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Change what a dataset says of its features, as a faulty conversion by other software would."""
    for file in (layout.MANIFEST, layout.RECORDING):
        (place / name / file).unlink()
    path = place / name / layout.INFO
    info = json.loads(path.read_text())
    change(info["features"])
    path.write_text(json.dumps(info))


def vacant(place: Path) -> None:
    """A whole set that holds no episode; we record none such, other software may."""
    described(place, "aux", lambda features: None)
    path = place / "aux" / layout.INFO
    path.write_text(json.dumps(json.loads(path.read_text()) | {"total_episodes": 0, "total_frames": 0}))
    table = place / "aux" / layout.EPISODES
    table.write_bytes(parquet_bytes(read_parquet(table).slice(0, 0)))


def resized(place: Path) -> None:
    def change(features: dict[str, Any]) -> None:
        for key, feature in features.items():
            if key.startswith(("observation.images.", "observation.masks.")):
                feature["shape"] = [32, 32, feature["shape"][2]]

    described(place, "aux", change)


def mismasked(place: Path) -> None:
    described(place, "aux", lambda features: features["observation.masks.front"].update(shape=[8, 8, 2]))


def cut(place: Path) -> None:
    described(place, "aux", lambda features: features[EE_POSE].update(shape=[9], names=None))


def uneven(place: Path) -> None:
    described(place, "aux", lambda features: features["observation.images.front"].update(shape=[32, 16, 3]))


def damaged(place: Path) -> None:
    flip(next((place / "aux").glob("videos/*/*/*.mp4")))


TRAINING = {
    "a target without actions": ("glam-o", lambda place: record(place, "target", tiny.AUXILIARY), r"/target: .*action"),
    "a target without masks": ("glam-o", without(tiny.TARGET, "target"), r"/target: has no object masks"),
    "an aux without masks": ("lapa-o", without(tiny.AUXILIARY, "aux"), r"/aux: objects is \(\), but the target"),
    "an aux with other cameras": (
        "glam",
        lambda place: record(place, "aux", replace(tiny.AUXILIARY, cameras=("side", "wrist"))),
        r"no camera is common to all datasets: .*/target has front, overhead; .*/aux has side, wrist",
    ),
    "an aux at another rate": (
        "clam",
        lambda place: record(place, "aux", replace(tiny.AUXILIARY, fps=5)),
        r"/aux: fps is 5, but the target .*/target has 10",
    ),
    "an aux with other arms": (
        "glam",
        lambda place: record(place, "aux", replace(tiny.AUXILIARY, arms=("left", "right"))),
        r"/aux: arms is",
    ),
    "an aux without poses": (
        "glam",
        lambda place: record(place, "aux", replace(tiny.AUXILIARY, has_pose=False)),
        r"/aux: has no end-effector pose, which this method needs",
    ),
    "an empty folder": ("glam", emptied, r"/aux: not a LeRobot dataset"),
    "a set without episodes": ("glam", vacant, r"/aux: .*episodes is 0"),
    "a set of one episode": ("glam", lambda place: record(place, "target", tiny.TARGET, 1), r"/target: .*at least 2"),
    "episodes shorter than a window": ("glam", brief, r"/aux: no episode has \d frames"),
    "an unfinished recording": ("glam", unfinished, r"/aux: unfinished recording"),
    "videos of another size than is said": ("glam", resized, r"/aux/videos/.*: frames of 16x16 pixels"),
    "masks of another size than images": ("glam", mismasked, r"/aux: observation.masks.front has shape \(8, 8, 2\)"),
    "cameras of different sizes": ("glam", uneven, r"/aux: cameras of different sizes \(front 32x16"),
    "a pose of the wrong size": ("glam", cut, r"/aux: observation.ee_pose has 9 entries"),
    "a damaged video": ("glam", damaged, r"/aux/videos/.*: damaged"),
}


@pytest.mark.parametrize("case", TRAINING)
def test_a_training_on_bad_data_is_refused(case: str, glam: Glam, place: Path) -> None:
    method, spoil, sentence = TRAINING[case]
    shutil.rmtree(place / "run")
    spoil(place)
    said = refused(glam, place, *train(place, method=method))
    assert re.search(sentence, said), said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--device", "cuda:7"), "device cuda:7: not available here; choose one of cpu"),
        (("--loggers", "wandb"), "logging to wandb needs the extra"),
        (("--steps", "-1"), "steps is -1"),
    ],
)
def test_settings_that_cannot_be_met_are_refused(
    words: tuple[str, ...], sentence: str, glam: Glam, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)  # as if it were not installed
    shutil.rmtree(place / "run")
    assert sentence in refused(glam, place, *train(place, *words))


def test_a_training_without_auxiliary_data_is_refused(glam: Glam, place: Path) -> None:
    words = ("train-world-model", "glam", "--target", place / "target", "--out", place / "new", *SMOKE)
    assert "--aux: give at least one" in refused(glam, place, *words)


def test_a_folder_that_holds_something_else_is_refused(glam: Glam, place: Path) -> None:
    words = ("train-world-model", "glam", "--target", place / "target", "--aux", place / "aux", *SMOKE)
    foreign = "/aux: holds data/chunk-000/file-000.parquet, which a training did not make"
    assert foreign in refused(glam, place, *words, "--out", place / "aux")


def test_other_settings_in_the_folder_of_a_run_are_refused_before_any_decoding(glam: Glam, place: Path) -> None:
    (place / "aux/meta/info.json").unlink()  # whoever decoded would stumble over this first
    said = refused(glam, place, *train(place, "--steps", 7))
    assert re.search(r"/run: started with another setting: config\.fit\.steps is \d+ there and 7 here", said)


def test_a_folder_that_is_not_there_is_called_so(glam: Glam, place: Path) -> None:
    assert "/nowhere: no such folder" in refused(glam, place, "inspect", place / "nowhere")


def flip(path: Path) -> None:
    """Change one bit in the middle of a file."""
    changed = bytearray(path.read_bytes())
    changed[len(changed) // 2] ^= 1
    path.write_bytes(changed)


class Trap:
    """What a pickle does when it is loaded."""

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return (exec, ("raise SystemExit('a pickle was run')",))


def pickled(run: Path) -> None:
    """Put a pickle in the place of the weights, under a seal that fits."""
    names = [name for name in seals.digests(run) if name != MODEL]
    seals.write(run, {MODEL: pickle.dumps(Trap())}, also=names)


USES = {
    "relabel": lambda place: ("relabel", "--world-model", place / "run", "--data", place / "aux"),
    "relabel as lerobot": lambda place: (*USES["relabel"](place), "--as-lerobot", place / "relabelled"),
    "replay": lambda place: (
        *("replay", "--world-model", place / "run", "--source", place / "aux", "--task", "lift"),
        *("--out", place / "replay"),
    ),
    "inspect": lambda place: ("inspect", place / "run"),
    "train again": train,
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("file", [MODEL, "normalizer.json"])
def test_a_flipped_bit_in_a_world_model_is_refused(use: str, file: str, glam: Glam, place: Path) -> None:
    flip(place / "run" / file)
    assert re.search(rf"/run/{file}: damaged .*; restore it from a copy", refused(glam, place, *USES[use](place)))


@pytest.mark.parametrize("use", USES)
def test_a_pickle_in_the_place_of_weights_is_refused_unread(use: str, glam: Glam, place: Path) -> None:
    pickled(place / "run")
    assert f"/run/{MODEL}: not a safetensors file" in refused(glam, place, *USES[use](place))


@pytest.mark.parametrize("part", ["model", "average", "optimiser"])
def test_a_flipped_bit_in_a_checkpoint_stops_the_resumption(part: str, glam: Glam, place: Path) -> None:
    (place / "run/manifest.json").unlink()  # not finished yet
    flip(place / f"run/checkpoints/step-00000020/{part}.safetensors")
    said = refused(glam, place, *train(place))
    assert f"/step-00000020/{part}.safetensors: damaged" in said
    assert "to resume from step 15" in said


def test_a_place_for_relabelled_copies_that_is_taken_is_refused(glam: Glam, place: Path) -> None:
    words = (*USES["relabel"](place), "--as-lerobot", place / "target")
    assert "--as-lerobot" in refused(glam, place, *words)


@pytest.mark.parametrize("use", ["inspect", "report"])
def test_a_flipped_bit_in_the_log_of_a_training_is_refused(use: str, glam: Glam, place: Path) -> None:
    flip(place / "run/metrics.jsonl")
    words = (use, place / "run", *(("--out", place / "page.html") if use == "report" else ()))
    assert "metrics.jsonl: damaged" in refused(glam, place, *words)


@pytest.mark.parametrize("size", [0, -4, 100_000])
def test_images_that_nobody_could_film_are_refused_before_anything_is_written(
    size: int, glam: Glam, place: Path
) -> None:
    few = ("--episodes", 1, "--workers", 1)
    words = ("collect", "lift", "--embodiment", "umi", "--out", place / "new", "--image-size", size, *few)
    assert str(size) in refused(glam, place, *words)


def test_a_set_that_the_world_model_cannot_read_is_not_relabelled(glam: Glam, place: Path) -> None:
    record(place, "aux", replace(tiny.AUXILIARY, fps=5))
    words = USES["relabel as lerobot"](place)
    assert "/aux: fps is 5, but the world model was trained on 10" in refused(glam, place, *words)
