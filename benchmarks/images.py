"""Contact sheets of every task by every embodiment, the object masks of every task, and looks that vary.

    python benchmarks/images.py --out docs/images

One PNG per pair: six moments of a demonstration from left to right, the front camera above, the overhead one below.
`looks.png` shows the middle of six demonstrations that were recorded with `--vary-look` in the same way, `regimes.png`
that of one scene by several hands and by other cameras.
"""

import argparse
from pathlib import Path

from glam.sim.demonstrator import demonstrate
from glam.sim.embodiments import EMBODIMENTS
from glam.sim.expert import Disturbance
from glam.sim.sensors import USUAL_CAMERAS, CameraOffset
from glam.sim.tasks import TASKS
from glam.sim.world import Frame, World

# isort: split
import numpy as np
from numpy.typing import NDArray
from PIL import Image

Pixels = NDArray[np.uint8]

SEED = 1000
SIZE = 128
MOMENTS = 6
SOURCES = ("kinova", "umi", "human-hand")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("docs/images"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    middles = []
    for task in TASKS:
        for embodiment in EMBODIMENTS:
            frames = demonstration(task, embodiment)
            save(sheet(frames), out / f"{task}-{embodiment}.png")
            if embodiment == "kinova":
                middles.append(with_masks(frames[len(frames) // 2]))
    save(np.concatenate(middles), out / "masks.png")
    save(looks(), out / "looks.png")
    save(regimes(), out / "regimes.png")


def demonstration(task: str, embodiment: str) -> tuple[Frame, ...]:
    world = World(TASKS[task], EMBODIMENTS[embodiment], (SIZE, SIZE))
    frames = demonstrate(world, SEED, Disturbance()).frames
    world.close()
    return frames


def looks() -> Pixels:
    """The middle of some demonstrations whose look varies side by side, one row per camera."""
    world = World(TASKS["pick-place"], EMBODIMENTS["kinova"], (SIZE, SIZE), vary_look=True)
    columns = []
    for seed in range(SEED, SEED + MOMENTS):
        frames = demonstrate(world, seed, Disturbance()).frames
        columns.append(np.concatenate(list(frames[len(frames) // 2].images), axis=0))
    world.close()
    return np.concatenate(columns, axis=1)


def regimes() -> Pixels:
    """The middle of one demonstration by three hands, and by one of them filmed by cameras that stand elsewhere."""
    columns = []
    for embodiment, offset in (*((name, USUAL_CAMERAS) for name in SOURCES), ("umi", CameraOffset(10.0, 15.0))):
        world = World(TASKS["stack-two"], EMBODIMENTS[embodiment], (SIZE, SIZE), camera_offset=offset)
        frames = demonstrate(world, SEED, Disturbance()).frames
        columns.append(np.concatenate(list(frames[len(frames) // 2].images), axis=0))
        world.close()
    return np.concatenate(columns, axis=1)


def sheet(frames: tuple[Frame, ...]) -> Pixels:
    """Evenly spaced moments side by side, one row per camera."""
    moments = np.linspace(0, len(frames) - 1, MOMENTS).round().astype(int)
    return np.concatenate([np.concatenate(list(frames[t].images), axis=0) for t in moments], axis=1)


def with_masks(frame: Frame) -> Pixels:
    """Each camera's image beside its masks, every object painted with its mean colour."""
    columns = []
    for image, masks in zip(frame.images, frame.masks, strict=True):
        painted = np.full_like(image, 235)
        for channel in range(masks.shape[-1]):
            is_object = masks[..., channel] > 0
            painted[is_object] = image[is_object].mean(axis=0)
        columns += [image, painted]
    return np.concatenate(columns, axis=1)


def save(image: Pixels, path: Path) -> None:
    """As a PNG of 256 colours, so that sensor noise does not fill the file."""
    Image.fromarray(image).quantize(256, kmeans=3, dither=Image.Dither.NONE).save(path, optimize=True)
    print(path, f"{path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
