"""SAM 2 (https://arxiv.org/abs/2408.00714) as ONNX files through onnxruntime: the extra `[masks]`, no torch."""

from collections import OrderedDict
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.interop.segmenters.mosaic import MASK, Mosaic
from glam.interop.segmenters.sam_weights import SAM2_TINY, PublishedModel, read_weights
from glam.interop.segmenters.segmenter import Guesses, Hint, Images

# ImageNet's, with which the encoder was trained.
_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
_DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)
_FEATURES = ("image_embed", "high_res_feats_0", "high_res_feats_1")
_KEPT = 2  # canvases: a video is processed forwards, and then backwards from the click
_MOST_PER_SIDE = 16

Features = dict[str, NDArray[np.float32]]


@dataclass(frozen=True, eq=False)
class OnnxSam:
    """Encoder and decoder, ready to run."""

    encoder: Any
    decoder: Any
    published: PublishedModel
    per_side: int = 0
    """Images per row and column of a canvas; 0 for as many as cost no detail."""
    opened: tuple[Path, int] | None = None
    """Where it was opened, and on how many threads."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Open the same files again on another machine: sessions cannot be sent."""
        assert self.opened is not None, "only what open_sam made can be sent"
        return open_sam, (*self.opened, self.per_side, self.published)

    @property
    def provenance(self) -> dict[str, str]:
        """Model, digests of both files, and how images were shown to it."""
        files = {"encoder": self.published.encoder.sha256, "decoder": self.published.decoder.sha256}
        return {"model": self.published.title, "images_per_side": str(self.per_side or "fitting"), **files}

    def encode_video(self, images: Images) -> "OnnxEncodedVideo":
        """Prepare a video; frames are encoded when they are first needed."""
        size = (images.shape[1], images.shape[2])
        mosaic = Mosaic(size, self.per_side) if self.per_side else Mosaic.fitting(size)
        return OnnxEncodedVideo(self, images, mosaic)

    def encode(self, canvas: NDArray[np.uint8]) -> Features:
        """Features of a canvas (1024, 1024, 3) for the decoder."""
        scaled = (canvas.astype(np.float32) / 255.0 - _MEAN) / _DEVIATION
        outputs = self.encoder.run(list(_FEATURES), {"image": scaled.transpose(2, 0, 1)[None]})
        return dict(zip(_FEATURES, outputs, strict=True))

    def decode(self, features: Features, hint: Hint) -> Guesses:
        """Masks (G, 256, 256) of the whole canvas; places of the hint are on the canvas."""
        feed = {
            "point_coords": np.array(hint.points, np.float32).reshape(1, -1, 2),
            "point_labels": np.array(hint.kinds, np.float32)[None],
            # A mask of the frame before would be possible here; it holds moving things back (docs/masks.md).
            "mask_input": np.zeros((1, 1, MASK, MASK), np.float32),
            "has_mask_input": np.zeros(1, np.float32),
        }
        masks, scores = self.decoder.run(["masks", "iou_predictions"], features | feed)
        return Guesses(masks[0], scores[0])


@dataclass(frozen=True, eq=False)
class OnnxEncodedVideo:
    """Video that is encoded canvas by canvas."""

    model: OnnxSam
    images: Images
    mosaic: Mosaic
    _seen: "OrderedDict[int, Features]" = field(default_factory=OrderedDict)

    def guesses(self, frame: int, hint: Hint) -> Guesses:
        """Masks of one frame, at the size of the images."""
        canvas, number = divmod(frame, self.mosaic.count)
        places = self.mosaic.on_canvas(number, np.array(hint.points, np.float32).reshape(-1, 2))
        asked = Hint(tuple((float(x), float(y)) for x, y in places), hint.kinds)
        found = self.model.decode(self._features(canvas), asked)
        return Guesses(np.stack([self.mosaic.cut(number, mask) for mask in found.logits]), found.scores)

    def _features(self, canvas: int) -> Features:
        if canvas not in self._seen:
            first = canvas * self.mosaic.count
            shown = self.mosaic.canvas(self.images[first : first + self.mosaic.count])
            self._seen[canvas] = self.model.encode(shown)
            if len(self._seen) > _KEPT:
                self._seen.popitem(last=False)
        return self._seen[canvas]


def open_sam(weights: Path, threads: int, per_side: int = 0, model: PublishedModel = SAM2_TINY) -> OnnxSam:
    """Read the published files and make them ready, on so many threads."""
    if threads < 1 or not 0 <= per_side <= _MOST_PER_SIDE:
        allowed = f"must be at least 1, and between 0 and {_MOST_PER_SIDE}"
        raise GlamError(f"--threads {threads} and --per-side {per_side} {allowed}")
    encoder, decoder = read_weights(weights, model)
    return OnnxSam(_session(encoder, threads), _session(decoder, threads), model, per_side, (weights, threads))


def _session(content: bytes, threads: int) -> Any:
    library = _library()
    options = library.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # its remarks on a file's optimisations say nothing to a user
    try:
        return library.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors have no common type, and depend on its version
        remedy = "pip install -U onnxruntime"
        problem = f"onnxruntime {library.__version__} cannot run the published files ({type(error).__name__})"
        raise GlamError(f"{problem}; try another version: {remedy}") from error


def _library() -> Any:
    try:
        return import_module("onnxruntime")
    except ImportError:
        raise GlamError("glam data masks needs onnxruntime: pip install 'glam-robot[masks]'") from None
