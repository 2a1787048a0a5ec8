"""A page about the quality of a dataset: every verdict with images of its episode, and curves of those with remarks."""

from pathlib import Path

import numpy as np

from glam.data.quality import Judged, Quality
from glam.data.reader import Dataset
from glam.data.schema import EE_POSE, GRIPPER, IMAGE_PREFIX, POSE_SIZE
from glam.reports.charts import ChartAxis, Series, line_chart
from glam.reports.films import png, tiled
from glam.reports.markup import Html
from glam.reports.page import beside, card, folded, grid, image, note, section, write_page
from glam_client.resizing import resize

_MOST = 60
"""Episodes with remarks, and sound ones, that are shown at most."""
_MOMENTS = 5
_SIDE = 96
_SECONDS = ChartAxis("time (s)", includes=(0.0,))


def write_quality(quality: Quality, out: Path) -> None:
    """Write the page to `out`."""
    doubtful = sorted((one for one in quality.episodes if one.remarks), key=lambda one: one.verdict)
    sound = [one for one in quality.episodes if not one.remarks]
    shown = [_doubtful(quality.dataset, one) for one in doubtful[:_MOST]]
    if len(doubtful) > _MOST:
        shown.append(note(f"{len(doubtful) - _MOST} more episodes with remarks are not shown."))
    chosen = [sound[number] for number in np.unique(np.linspace(0, len(sound) - 1, min(_MOST, len(sound))).astype(int))]
    images = grid(*(_sound(quality.dataset, one) for one in chosen))
    write_page(
        out,
        f"Quality of {quality.dataset.root.resolve().name}",
        f"{quality.sentence.rpartition(': ')[2]}, of {len(quality.episodes)} episodes.",
        *([section("The set as a whole", *map(note, quality.remarks))] if quality.remarks else []),
        section("Episodes with remarks", *(shown or [note("None.")])),
        section("Sound episodes", folded(f"{len(chosen)} of {len(sound)} shown", images)),
    )


def _doubtful(dataset: Dataset, one: Judged) -> Html:
    words = [note(f"{remark.verdict}: {remark.words}") for remark in one.remarks]
    faulty = [remark.frame for remark in one.remarks if remark.frame]
    strip = _strip(dataset, one, faulty[0] if faulty else None)
    return card(*words, beside(strip, grid(*_curves(dataset, one.episode)), wider="first"), title=_title(dataset, one))


def _sound(dataset: Dataset, one: Judged) -> Html:
    return card(_strip(dataset, one, None), title=_title(dataset, one))


def _title(dataset: Dataset, one: Judged) -> str:
    return f"Episode {one.episode}: {one.verdict}, {one.frames / dataset.schema.fps:.1f} s"


def _strip(dataset: Dataset, one: Judged, frame: int | None) -> Html:
    """Images at moments of the episode, one camera in each row; around `frame` if there is one."""
    rows = np.linspace(0, one.frames - 1, _MOMENTS).round().astype(int)
    if frame is not None:
        rows = np.clip(np.arange(_MOMENTS) - _MOMENTS // 2 + frame, 0, one.frames - 1)
    seen = [dataset.images(one.episode, IMAGE_PREFIX + camera)[rows] for camera in dataset.schema.cameras]
    tiles = [[resize(shot[None], (_SIDE, _SIDE)) for shot in shots] for shots in seen]
    words = f"frames {', '.join(map(str, rows))} of episode {one.episode}; {' and '.join(dataset.schema.cameras)}"
    return image(png(tiled(tiles)[0]), words)


def _curves(dataset: Dataset, episode: int) -> list[Html]:
    schema = dataset.schema
    if not schema.has_pose:
        return []
    poses = dataset.vectors(episode)[EE_POSE].astype(np.float64).reshape(-1, len(schema.arms), POSE_SIZE)
    time = np.arange(len(poses)) / schema.fps
    speed = np.linalg.norm(np.diff(poses[..., :3], axis=0), axis=-1) * schema.fps
    quick = [Series(arm, time[1:], speed[:, number]) for number, arm in enumerate(schema.arms)]
    opening = [Series(arm, time, poses[:, number, GRIPPER]) for number, arm in enumerate(schema.arms)]
    return [
        line_chart("Speed of the tool", quick, _SECONDS, ChartAxis("speed (m/s)", includes=(0.0,))),
        line_chart("Gripper", opening, _SECONDS, ChartAxis("opening (0 to 1)", includes=(0.0, 1.0))),
    ]
