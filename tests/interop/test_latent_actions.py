from pathlib import Path

import numpy as np
import pytest
from tests.data import tiny

from glam.core.errors import GlamError
from glam.data.latents import LatentLabels, LatentsProvenance, write_relabelled_copy
from glam.data.reader import Dataset
from glam.interop.latent_actions import open_decoder, world_model_of
from glam.recipes import world_model
from glam.stages.train_world_model import train_world_model
from glam.world_models import runs
from glam.world_models.runs import decode_actions


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sets")
    tiny.record(root / "target", 3)
    tiny.record(root / "aux", 3, tiny.AUXILIARY)
    return root


def trained(sets: Path, method: str) -> Path:
    return train_world_model(world_model(method, "smoke"), sets / "target", [sets / "aux"], sets / method)


def test_latents_of_any_shape_become_actions_of_the_world_model(sets: Path) -> None:
    run = trained(sets, "glam-o")
    decode, model = open_decoder(run), runs.load(run)
    size = model.sizes.latent
    latents = np.random.default_rng(0).standard_normal((2, 5, size))
    expected = decode_actions(model, latents.reshape(-1, size).astype(np.float32))
    assert decode(latents).shape == (2, 5, 3)
    np.testing.assert_array_equal(decode(latents).reshape(-1, 3), expected)
    # Some processors round a product of one row otherwise than that of many.
    np.testing.assert_allclose(decode(latents[0, 0]), decode(latents)[0, 0], rtol=1e-5)
    assert decode.digest == model.digest


def test_what_is_no_latent_action_is_refused(sets: Path) -> None:
    decode = open_decoder(trained(sets, "glam-o"))
    size = decode.trained.sizes.latent
    with pytest.raises(GlamError, match=rf"last axis must have {size} entries"):
        decode(np.zeros((2, size + 1)))
    with pytest.raises(GlamError, match="last axis"):
        decode(np.float64(1.0) * np.ones(()))
    with pytest.raises(GlamError, match="finite"):
        decode(np.full(size, np.nan))


def test_a_world_model_without_action_decoder_is_refused(sets: Path) -> None:
    with pytest.raises(GlamError, match=r"lapa: this method learns no action decoder"):
        open_decoder(trained(sets, "lapa"))


def test_a_relabelled_copy_tells_its_world_model_and_others_tell_what_to_do(sets: Path, tmp_path: Path) -> None:
    dataset = Dataset.open(sets / "aux")
    labels = LatentLabels(
        np.zeros((len(dataset), 4), np.float32), LatentsProvenance(dataset.content_id, "a-model", "glam-o"), {}
    )
    write_relabelled_copy(dataset, labels, tmp_path / "relabelled")
    assert world_model_of(tmp_path / "relabelled") == "a-model"
    with pytest.raises(GlamError, match="relabel --as-lerobot"):
        world_model_of(sets / "aux")
