"""SAM 3 (https://arxiv.org/abs/2511.16719) through transformers: masks from words. The extra `[encoders]`.

Every frame is searched for what the words name. Of several things that fit, the one that was followed so far is
followed further. Neither the processor of transformers nor its tracker is used: both need torchvision.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor
from torch.nn import functional

from glam.core import files
from glam.core.errors import GlamError
from glam.core.workers import Progress
from glam.data.schema import MOST_MASK_CHANNELS
from glam.interop.segmenters.regions import Mask, overlap
from glam.interop.segmenters.segmenter import Images, Masks
from glam.training.reproducibility import require_device

FIRST_VERSION = "5.0"
"""Of transformers, that has SAM 3."""
_WORDS = 32  # tokens of a text, as the model was trained
_HUB = re.compile(r"[\w.-]+/[\w.-]+")


@dataclass(frozen=True)
class TextConfig:
    """When a mask is believed."""

    least_score: float = 0.5
    """Of the model's own: that the thing is there, times that this is it."""


@dataclass(frozen=True, eq=False)
class ByText:
    """SAM 3 and the texts to search for."""

    model: Any
    tokenizer: Any
    provenance: dict[str, str]
    texts: Mapping[str, str]
    """By object, in the order of the mask channels."""
    config: TextConfig = TextConfig()

    @property
    def objects(self) -> tuple[str, ...]:
        """Names in the order of the mask channels."""
        return tuple(self.texts)

    @property
    def notes(self) -> dict[str, Any]:
        """Model, texts and settings."""
        return {"model": self.provenance, "texts": dict(self.texts), "settings": vars(self.config)}

    @torch.inference_mode()
    def masks(self, episode: int, camera: str, images: Images, progress: Progress) -> dict[str, Masks]:
        """Masks of every object in one camera's video, independent of other videos."""
        del episode, camera
        found = {name: np.zeros(images.shape[:3], bool) for name in self.texts}
        last: dict[str, Mask] = {}
        for frame, image in enumerate(images):
            features = self.model.get_vision_features(self._pixels(image))
            for name, text in self.texts.items():
                guesses, scores = self._instances(features, text, image.shape[:2])
                mask = self._followed(guesses, scores, last.get(name))
                if mask.any():
                    found[name][frame] = last[name] = mask
            progress(frame + 1, len(images))
        return found

    def _pixels(self, image: NDArray[np.uint8]) -> Tensor:
        side = self.model.config.image_size
        size = (side, side) if isinstance(side, int) else (int(side[1]), int(side[0]))
        resized = np.asarray(Image.fromarray(image).resize(size, Image.Resampling.BILINEAR), np.float32)
        pixels = torch.from_numpy(resized / 127.5 - 1.0).permute(2, 0, 1)[None]  # the model's own scale: -1 to 1
        return pixels.to(next(self.model.parameters()).device)

    def _instances(self, features: Any, text: str, size: Sequence[int]) -> tuple[Masks, NDArray[np.float32]]:
        """Everything that the words may name: masks (G, Y, X) and scores (G,)."""
        words = self.tokenizer(text, return_tensors="pt", padding="max_length", max_length=_WORDS, truncation=True)
        device = next(self.model.parameters()).device
        answer = self.model(
            vision_embeds=features,
            input_ids=words["input_ids"].to(device),
            attention_mask=words["attention_mask"].to(device),
        )
        scores = (answer.pred_logits.sigmoid() * answer.presence_logits.sigmoid())[0]  # (G,)
        likely = scores >= self.config.least_score
        logits = answer.pred_masks[:, likely]
        if logits.shape[1]:
            logits = functional.interpolate(logits, tuple(size), mode="bilinear", align_corners=False)
        return (logits[0] > 0).cpu().numpy(), scores[likely].float().cpu().numpy()

    def _followed(self, guesses: Masks, scores: NDArray[np.float32], last: Mask | None) -> Mask:
        """The likeliest guess; near the last mask, of guesses that are about as likely."""
        if not len(scores):
            return np.zeros(guesses.shape[1:], bool)
        near = [0.0 if last is None else overlap(guess, last) for guess in guesses]
        return guesses[int(np.argmax(scores * (0.3 + np.array(near))))]


def open_sam3(source: str, texts: Mapping[str, str], device: str = "cpu") -> ByText:
    """Load model and tokenizer from a folder, or by name from the Hugging Face Hub."""
    folder = Path(source)
    if not folder.is_dir() and not _HUB.fullmatch(source):
        raise GlamError(f"--sam3 {source}: neither a folder nor a name such as facebook/sam3")
    require_device(device)
    modelling, tokenizers = _library()
    try:
        model = modelling.Sam3Model.from_pretrained(source, local_files_only=folder.is_dir(), use_safetensors=True)
        tokenizer = tokenizers.AutoTokenizer.from_pretrained(source, local_files_only=folder.is_dir())
    except (OSError, ValueError) as error:
        first = str(error).strip().split("\n")[0]
        raise GlamError(f"--sam3 {source}: cannot be loaded ({first}); give a folder that holds the model") from None
    return ByText(model.eval().to(device), tokenizer, _provenance(source, folder, model), texts)


def parse_texts(texts: Sequence[str]) -> dict[str, str]:
    """From texts such as `red=red cube`."""
    found = {}
    for text in texts:
        name, _, words = text.partition("=")
        if not (name and words.strip()):
            raise GlamError(f"--object {text}: with --sam3 write NAME=WORDS, such as red='red cube'")
        found[name] = words.strip()
    if not found:
        raise GlamError("no object; with --sam3 give --object NAME=WORDS, such as red='red cube'")
    if len(found) > MOST_MASK_CHANNELS:
        raise GlamError(f"{len(found)} objects; at most {MOST_MASK_CHANNELS} masks can be stored")
    return found


def _provenance(source: str, folder: Path, model: Any) -> dict[str, str]:
    if folder.is_dir():
        digests = [files.sha256(path) for path in sorted(folder.glob("*.safetensors"))]
        return {"model": "SAM 3", "sha256": " ".join(digests)}
    return {"model": "SAM 3", "hub": source, "commit": str(getattr(model.config, "_commit_hash", ""))}


def _library() -> tuple[Any, Any]:
    """The module with the model, and transformers itself; the former by its own name, as it shuns torchvision."""
    try:
        library = import_module("transformers")
    except ImportError:
        raise GlamError("glam data masks --sam3 needs transformers: pip install 'glam-robot[encoders]'") from None
    library.utils.logging.disable_progress_bar()
    try:
        return import_module("transformers.models.sam3.modeling_sam3"), library
    except ImportError:
        found = f"version {library.__version__} has none"
        raise GlamError(
            f"SAM 3 needs transformers {FIRST_VERSION} or newer; {found}: pip install -U transformers"
        ) from None
