from pathlib import Path

import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.core.files import read_json, sha256
from glam.data.cache import decoded
from glam.data.check import check_dataset
from glam.data.latents import LatentsProvenance, read_latents
from glam.data.reader import Dataset
from glam.data.tables import read_parquet
from glam.stages.collect import CollectConfig, collect
from glam.stages.relabel import relabel, relabelled_folders, write_as_lerobot
from glam.world_models import runs
from glam.world_models.runs import label_episode, source_for


def hashes(root: Path) -> dict[str, str]:
    return {str(path): sha256(path) for path in sorted(root.rglob("*")) if path.is_file()}


def test_relabelling_leaves_the_dataset_unchanged(trained) -> None:
    before = hashes(trained.auxiliary)
    relabel(trained.run, trained.auxiliary, workers=1)
    assert hashes(trained.auxiliary) == before


def test_labels_are_the_idm_means_of_each_transition(trained) -> None:
    path = relabel(trained.run, trained.auxiliary, workers=1)
    model = runs.load(trained.run)
    frames = decoded(Dataset.open(trained.auxiliary), model.interface.pixels)
    stored = read_latents(path, frames.episodes, LatentsProvenance(frames.content_id, model.digest, "glam-o"))
    rows = np.arange(frames.episodes.lengths[0])
    expected = label_episode(model, source_for(model, "umi", frames), rows)
    np.testing.assert_array_equal(stored[rows[:-1]], expected)
    assert not stored[rows[-1]].any()


def test_a_dataset_with_other_features_is_refused(trained, tmp_path: Path) -> None:
    collect(CollectConfig("stack-two", "umi", image_size=32), tmp_path / "two", 1, workers=1)
    with pytest.raises(GlamError, match="objects"):
        relabel(trained.run, tmp_path / "two", workers=1)


def test_a_relabelled_copy_holds_the_labels_and_passes_the_check(trained, tmp_path: Path) -> None:
    before = hashes(trained.auxiliary)
    columns = {trained.auxiliary: relabel(trained.run, trained.auxiliary, workers=1)}
    (folder,) = write_as_lerobot(trained.run, columns, tmp_path / "out")
    assert folder == tmp_path / "out"
    assert check_dataset(folder) == ()
    assert hashes(trained.auxiliary) == before
    model = runs.load(trained.run)
    frames = decoded(Dataset.open(trained.auxiliary), model.interface.pixels)
    expected = label_episode(model, source_for(model, "umi", frames), np.arange(frames.episodes.lengths[0]))
    rows = read_parquet(folder / "data/chunk-000/file-000.parquet")["action.latent"].to_pylist()
    np.testing.assert_array_equal(rows, [*expected, expected[-1]])
    made_from = read_json(folder / "meta/glam.json")["description"]["latents"]
    assert (made_from["dataset"], made_from["model"], made_from["method"]) == (
        frames.content_id,
        model.digest,
        "glam-o",
    )
    assert made_from["normalizers"]["observation.ee_pose"]["mean"] == model.normalizer.pose.mean.tolist()


def test_several_datasets_get_a_folder_each(trained, tmp_path: Path) -> None:
    columns = {root: relabel(trained.run, root, workers=1) for root in (trained.target, trained.auxiliary)}
    folders = write_as_lerobot(trained.run, columns, tmp_path / "out")
    assert folders == (tmp_path / "out/kinova", tmp_path / "out/umi")
    assert [Dataset.open(folder).schema.role for folder in folders] == ["target", "auxiliary"]


def test_copies_appear_together_or_not_at_all(trained, tmp_path: Path) -> None:
    columns = {root: relabel(trained.run, root, workers=1) for root in (trained.target, trained.auxiliary)}
    columns[trained.auxiliary] = columns[trained.target]  # labels of another dataset
    with pytest.raises(GlamError, match="made for dataset"):
        write_as_lerobot(trained.run, columns, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_is_taken_is_refused(trained, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken/file").touch()
    with pytest.raises(GlamError, match=r"--as-lerobot .*taken: is not an empty folder"):
        relabelled_folders([trained.target], tmp_path / "taken")
    with pytest.raises(GlamError, match="not an empty folder"):
        relabelled_folders([trained.target], tmp_path / "taken/file")
    with pytest.raises(GlamError, match="inside the dataset"):
        relabelled_folders([trained.target], trained.target / "relabelled")
    with pytest.raises(GlamError, match="several datasets are called kinova"):
        relabelled_folders([trained.target, tmp_path / "other/kinova"], tmp_path / "out")
