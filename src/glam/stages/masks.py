"""`glam data masks`: object masks for a dataset that has none, or other ones, in a copy of it."""

import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from glam.core import files
from glam.core.errors import GlamError
from glam.core.workers import Part, Pool, Progress, no_progress
from glam.data.masked_set import MaskedSet, Masks
from glam.data.reader import Dataset
from glam.data.schema import IMAGE_PREFIX, MASK_PREFIX
from glam.interop.segmenters.prompts import Prompt, Prompts, joined, write_prompts
from glam.interop.segmenters.proposals import ObjectAppearances, proposed
from glam.interop.segmenters.segmenter import Images, MaskMaker
from glam.reports.data_view import spread
from glam.reports.mask_images import ClickedFrame, click_sheet, mask_film, mask_sheet

_SHOWN = 8
"""Episodes in a sheet or video."""
_MOST_FRAMES_SHOWN = 120
"""In a sheet of clicks."""


@dataclass(frozen=True)
class Masked:
    """Result of making masks."""

    root: Path
    made: int
    """Frames of cameras that got masks in this run."""
    seconds: float
    """That this took."""
    hidden: tuple[tuple[int, str, str], ...]
    """Episode, camera and name of every object that shows in no frame of them."""
    images: tuple[Path, ...]
    """To judge the masks by."""


def make_masks(
    source: Path,
    out: Path,
    maker: MaskMaker,
    *,
    with_film: bool = False,
    progress: Progress = no_progress,
    pool: Pool | None = None,
) -> Masked:
    """Copy a dataset, with masks; resumes an interrupted run. With a pool, its machines segment."""
    dataset = Dataset.open(source)
    masked = MaskedSet.of(dataset, out, maker.objects, maker.notes)
    with masked.making():
        missing = masked.missing()
        cameras, lengths = len(dataset.schema.cameras), [record.length for record in dataset.episodes]
        before = cameras * (len(dataset) - sum(lengths[index] for index in missing))
        started, done = time.perf_counter(), before
        for index in missing if pool is None else ():
            masked.save(index, _episode(dataset, maker, index, Part(progress, done, cameras * len(dataset))))
            done += cameras * lengths[index]
        for index in pool.spread(_Segmenting(masked, maker), missing) if pool else ():
            done += cameras * lengths[index]
            progress(done, cameras * len(dataset))
        seconds = time.perf_counter() - started
        masked.publish()
    images = _images(Dataset.open(out), with_film=with_film)
    return Masked(out, done - before, seconds, tuple(masked.hidden_objects()), images)


@dataclass(frozen=True, eq=False)
class _Segmenting:
    """Work of a machine of a pool on one episode; it puts the masks aside itself."""

    masked: MaskedSet
    maker: MaskMaker

    def __call__(self, index: int) -> int:
        """The episode, when its masks are safe."""
        self.masked.save(index, _episode(self.masked.source, self.maker, index, no_progress))
        return index


def propose(
    dataset: Dataset, prompts: Prompts, appearances: ObjectAppearances, out: Path, progress: Progress = no_progress
) -> Prompts:
    """Write a click for every object, camera and episode into `out`, and a sheet beside it that shows them."""
    require_json(out)
    found: list[Prompt] = []
    frames: list[ClickedFrame] = []
    for index, record in enumerate(dataset.episodes):
        for camera in dataset.schema.cameras:
            images = dataset.images(index, IMAGE_PREFIX + camera)
            new = proposed(appearances, prompts, index, camera, images)
            here = [prompt for prompt in (*prompts.prompts, *new) if (prompt.episode, prompt.camera) == (index, camera)]
            lacking = len(prompts.objects) - len({prompt.object for prompt in here})
            frames.append(_clicked(index, camera, images, here, lacking))
            found += new
        progress(record.index + 1, len(dataset.episodes))
    whole = replace(joined(prompts, Prompts(prompts.objects, tuple(found))), colours={})
    files.write_bytes(sheet_beside(out), click_sheet(_chosen(frames), prompts.objects))
    write_prompts(out, whole)
    return whole


def require_json(prompts: Path) -> None:
    """Refuse a file that would not be recognised later, before the work rather than after it."""
    if prompts.suffix != ".json":
        raise GlamError(f"--propose {prompts}: write the name of a .json file")
    files.require_writable(prompts)


def sheet_beside(prompts: Path) -> Path:
    """Path of the image in which `propose` draws the clicks of a file."""
    return prompts.with_suffix(".png")


def _episode(dataset: Dataset, maker: MaskMaker, index: int, progress: Progress) -> dict[str, Masks]:
    """Masks of all cameras; the progress of each is stretched to its frames."""
    length, found = dataset.episodes[index].length, {}
    for number, camera in enumerate(dataset.schema.cameras):
        images = dataset.images(index, IMAGE_PREFIX + camera)

        def report(done: int, total: int, before: int = number * length) -> None:
            progress(before + done * length // total, total)

        masks = maker.masks(index, camera, images, report)
        stacked = np.stack([masks[name] for name in maker.objects], axis=-1)
        found[MASK_PREFIX + camera] = np.where(stacked, np.uint8(255), np.uint8(0))
    return found


def _images(dataset: Dataset, *, with_film: bool) -> tuple[Path, ...]:
    """Write a sheet, and a video if wanted, beside the folder of the dataset."""
    episodes = spread(dataset, _SHOWN)
    root = dataset.root.resolve()
    sheet, film = (root.with_name(f"{root.name}-masks.{suffix}") for suffix in ("png", "mp4"))
    files.write_bytes(sheet, mask_sheet(dataset, episodes))
    if not with_film:
        return (sheet,)
    files.write_bytes(film, mask_film(dataset, episodes))
    return sheet, film


def _clicked(index: int, camera: str, images: Images, prompts: list[Prompt], lacking: int) -> ClickedFrame:
    frame = prompts[0].frame if prompts else 0
    clicks = {prompt.object: prompt.on for prompt in prompts if prompt.frame == frame}
    is_doubtful = lacking > 0 or any(prompt.doubt for prompt in prompts)
    return ClickedFrame(f"episode {index}, {camera}, frame {frame}", images[frame], clicks, is_doubtful)


def _chosen(frames: list[ClickedFrame]) -> list[ClickedFrame]:
    """In their order, unless there are too many for one sheet: then the doubtful ones come first."""
    if len(frames) <= _MOST_FRAMES_SHOWN:
        return frames
    return sorted(frames, key=lambda frame: not frame.is_doubtful)[:_MOST_FRAMES_SHOWN]
