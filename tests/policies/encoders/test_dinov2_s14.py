"""DINOv2 through transformers, as a network of two small layers: the same code that runs the published one."""

import sys
from pathlib import Path

import pytest
import torch

from glam.core.errors import GlamError
from glam.policies.encoders.dinov2_s14 import DinoV2S14Config
from glam.policies.encoders.pretrained import HUB_FILE
from glam.training import tensors

MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet
TINY = DinoV2S14Config(side=42, width=16, layers=2, heads=2)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[torch.nn.Module, Path]:
    """A model of 5 x 5 patches as transformers saves it, and its file."""
    library = pytest.importorskip("transformers", reason="the extra [encoders] is not installed")
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "image_size": 70, "patch_size": 14}
    model = library.Dinov2Model(library.Dinov2Config(**sizes)).eval()
    folder = tmp_path_factory.mktemp("dino")
    model.save_pretrained(folder)
    return model, folder / HUB_FILE


def test_published_weights_give_the_same_tokens_at_another_size(published) -> None:
    """Positions are resized once, when weights are read, to what the published model makes of them each time."""
    model, path = published
    own = TINY.new_backbone().eval()
    TINY.fill(own, path.read_bytes(), path)
    images = torch.rand(3, 3, 42, 42)
    with torch.no_grad():
        tokens = own(images)
        normalized = (images - torch.tensor(MEAN).view(3, 1, 1)) / torch.tensor(DEVIATION).view(3, 1, 1)
        torch.testing.assert_close(tokens, model(normalized).last_hidden_state[:, 0])
    assert tokens.shape == (3, 16)
    assert tokens.std() > 0.1


def test_every_parameter_can_learn(published) -> None:
    own = TINY.new_backbone()
    own(torch.rand(2, 3, 42, 42)).square().sum().backward()
    assert all(parameter.grad is not None for parameter in own.parameters())


def changed(found: dict[str, torch.Tensor], change: str) -> dict[str, torch.Tensor]:
    found = dict(found)
    if change == "missing":
        del found["layernorm.weight"]
    if change == "stranger":
        found["head.weight"] = torch.ones(3)
    if change == "shape":
        found["layernorm.weight"] = torch.ones(17)
    if change == "positions":
        found["embeddings.position_embeddings"] = torch.ones(1, 25, 16)
    return found


@pytest.mark.parametrize("change", ["missing", "stranger", "shape", "positions"])
def test_other_weights_are_refused_with_one_sentence(published, change: str) -> None:
    _, path = published
    found = changed(tensors.from_bytes(path.read_bytes(), path), change)
    with pytest.raises(GlamError, match=f"^{path}: .*not weights of (this|a) DINOv2") as refusal:
        TINY.fill(TINY.new_backbone(), tensors.to_bytes(found, path), path)
    assert "\n" not in str(refusal.value)


def test_without_transformers_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers.models.dinov2", None)
    with pytest.raises(GlamError, match=r"transformers is not installed; pip install 'glam-robot\[encoders\]'"):
        TINY.new_backbone()
    with pytest.raises(GlamError, match="transformers is not installed"):
        TINY.published()


def test_weights_that_cannot_be_downloaded_are_one_sentence(published, monkeypatch: pytest.MonkeyPatch) -> None:
    def offline(repository: str, name: str, **options: str) -> str:
        assert (repository, name) == ("facebook/dinov2-small", "model.safetensors")
        assert len(options["revision"]) == 40
        raise OSError("we could not connect")

    monkeypatch.setattr("transformers.utils.cached_file", offline)
    with pytest.raises(GlamError, match="--encoder-weights"):
        TINY.published()
