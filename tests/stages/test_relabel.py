from pathlib import Path

import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.core.files import sha256
from glam.data.cache import decoded
from glam.data.latents import Provenance, read_latents
from glam.data.reader import Dataset
from glam.stages.collect import CollectConfig, collect
from glam.stages.relabel import relabel
from glam.world_models import registry
from glam.world_models.labelling import label_episode, source_for


def hashes(root: Path) -> dict[str, str]:
    return {str(path): sha256(path) for path in sorted(root.rglob("*")) if path.is_file()}


def test_relabelling_leaves_the_dataset_unchanged(trained) -> None:
    before = hashes(trained.auxiliary)
    relabel(trained.run, trained.auxiliary, workers=1)
    assert hashes(trained.auxiliary) == before


def test_labels_are_the_idm_means_of_each_transition(trained) -> None:
    path = relabel(trained.run, trained.auxiliary, workers=1)
    model = registry.load(trained.run)
    frames = decoded(Dataset.open(trained.auxiliary), model.interface.pixels)
    stored = read_latents(path, frames.episodes, Provenance(frames.content_id, model.digest, "glam-o"))
    rows = np.arange(frames.episodes.lengths[0])
    expected = label_episode(model, source_for(model, "umi", frames), rows)
    np.testing.assert_array_equal(stored[rows[:-1]], expected)
    assert not stored[rows[-1]].any()


def test_a_dataset_with_other_features_is_refused(trained, tmp_path: Path) -> None:
    collect(CollectConfig("stack-two", "umi", image_size=32), tmp_path / "two", 1, workers=1)
    with pytest.raises(GlamError, match="objects"):
        relabel(trained.run, tmp_path / "two", workers=1)
