"""Pages to look at datasets: facts, lengths of episodes, films and curves; and several datasets of one task."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from glam.core.errors import GlamError
from glam.data.reader import Dataset
from glam.data.schema import ACTION, EE_POSE, GRIPPER, IMAGE_PREFIX, MASK_PREFIX, POSE_SIZE, Episode, Schema
from glam.data.tracks import EE_TRACKS
from glam.reports.charts import PALETTE, ChartAxis, Series, histogram, line_chart, path_chart
from glam.reports.films import EncodedFilm, encode_film, enlarged, outlined, tiled
from glam.reports.markup import Html
from glam.reports.page import beside, card, facts, film, folded, grid, play_all, section, table, write_page
from glam.reports.track_images import FINGER_WORDS, with_tracks

ROLES = {
    "target": "target (with robot state and actions)",
    "auxiliary": "auxiliary (images and poses only, no robot state, no actions)",
}
EPISODES_SHOWN = 3
"""Of each of several datasets."""
_WIDEST_FILM = 800  # pixels; more only makes the page heavy
_NAMED = {"red": 0, "blue": 1, "green": 2, "purple": 3, "yellow": 4}  # places in the palette
_SECONDS = ChartAxis("time (s)", includes=(0.0,))


def spread(dataset: Dataset, count: int) -> tuple[int, ...]:
    """Numbers of `count` episodes, evenly spread over the set; all of them when it has fewer."""
    last = len(dataset.episodes) - 1
    return tuple(dict.fromkeys(int(number) for number in np.linspace(0, last, min(count, last + 1)).round()))


def write_data_view(dataset: Dataset, out: Path, episodes: Sequence[int]) -> None:
    """Write a page about `dataset` that shows the chosen episodes."""
    for index in episodes:
        if not 0 <= index < len(dataset.episodes):
            raise GlamError(f"{dataset.root}: no episode {index}; it has 0 to {len(dataset.episodes) - 1}")
    lead = (
        f"{len(dataset.episodes)} demonstrations with {len(dataset)} frames; films and curves of {len(episodes)} below."
    )
    shown = [_episode(dataset, index) for index in episodes]
    write_page(out, dataset.root.resolve().name, lead, _summary(dataset), section("Episodes", play_all(), *shown))


def write_sources_page(datasets: Sequence[Dataset], out: Path) -> None:
    """Write a page that shows the same task done by several embodiments: a table of the datasets, and films of each."""
    columns = ("dataset", "episodes", "frames", "what it holds")
    rows = [(_embodiment(data), len(data.episodes), len(data), ROLES[data.schema.role]) for data in datasets]
    parts = [section(_embodiment(dataset), _films(dataset)) for dataset in datasets]
    instruction = datasets[0].episodes[0].task
    write_page(out, instruction, "One task, several embodiments.", card(table(columns, rows)), play_all(), *parts)


def _films(dataset: Dataset) -> Html:
    cards = []
    for index in spread(dataset, EPISODES_SHOWN):
        shown = episode_film(dataset.episode(index), dataset.schema)
        cards.append(card(film(shown, f"Episode {index}: cameras in rows, object outlines on the right.")))
    return grid(*cards)


def _embodiment(dataset: Dataset) -> str:
    """The embodiment that recorded a dataset; the folder where that is not known."""
    return str(dataset.provenance.get("description", {}).get("embodiment", "")) or dataset.root.name


def _summary(dataset: Dataset) -> Html:
    lengths = np.array([record.length / dataset.schema.fps for record in dataset.episodes])
    chart = histogram(
        "Length of episodes",
        lengths,
        ChartAxis("length (s)"),
        ChartAxis("episodes", is_count=True),
        bins=int(np.clip(len(lengths) // 3, 5, 30)),
    )
    return section("Summary", beside(card(facts(_facts(dataset))), card(chart), wider="first"))


def _facts(dataset: Dataset) -> dict[str, object]:
    schema, description = dataset.schema, dataset.provenance.get("description", {})
    lengths = [record.length for record in dataset.episodes]
    size = sum(path.stat().st_size for path in dataset.root.rglob("*") if path.is_file())
    rows: dict[str, object] = {
        "Task": description.get("task", "not recorded"),
        "Instruction": "; ".join(sorted({record.task for record in dataset.episodes})),
        "Embodiment": description.get("embodiment", "not recorded"),
        "Role": ROLES[schema.role],
        "Episodes": f"{len(lengths)}",
        "Frames": f"{sum(lengths)} ({min(lengths)} to {max(lengths)} per episode)",
        "Rate": f"{schema.fps} frames per second, {sum(lengths) / schema.fps / 60:.1f} minutes in all",
        "Cameras": f"{', '.join(schema.cameras)}; {schema.image_size[1]} x {schema.image_size[0]} pixels",
        "Objects": ", ".join(schema.objects) or "no masks",
        "Arms": ", ".join(schema.arms) + ("" if schema.has_pose else "; no end-effector pose"),
        "Tracks": f"fingertips in {', '.join(schema.track_cameras)}" if schema.track_cameras else "",
        "State": _names(schema.state_names),
        "Action": _names(schema.action_names),
        "Size on disk": f"{size / 1e6:.1f} MB",
        "Seed": f"{description.get('seed', 'not recorded')}",
        "Made with": ", ".join(f"{name} {version}" for name, version in description.get("versions", {}).items()),
    }
    return {name: value for name, value in rows.items() if value}


def _names(names: tuple[str, ...]) -> Html:
    return folded(f"{len(names)} values", ", ".join(names)) if names else Html("")


def object_styles(objects: Sequence[str]) -> tuple[int, ...]:
    """Colours for objects, as places in the palette: an object that is called by a colour gets that one."""
    taken = {name: _NAMED[name] for name in objects if name in _NAMED}
    free = (style for style in range(len(PALETTE)) if style not in taken.values())
    return tuple(taken[name] if name in taken else next(free) for name in objects)


def _episode(dataset: Dataset, index: int) -> Html:
    episode, schema = dataset.episode(index), dataset.schema
    title = f"Episode {index}: {len(episode)} frames, {len(episode) / schema.fps:.1f} s"
    words = f"{' and '.join(schema.cameras)}, one above the other"
    if schema.track_cameras:
        words += f"; {FINGER_WORDS}"
    if schema.objects:
        words += f"; on the right with the outlines of {', '.join(schema.objects)}"
    shown = film(episode_film(episode, schema), f"{episode.task} Cameras: {words}.")
    return card(beside(shown, grid(*_charts(episode, schema)), wider="second"), title=title)


def episode_film(episode: Episode, schema: Schema) -> EncodedFilm:
    """Plain images on the left, outlined masks on the right, one row per camera."""
    rows = []
    for camera in schema.cameras:
        plain = enlarged(episode.images[IMAGE_PREFIX + camera], _enlargement(schema))
        if camera in schema.track_cameras:
            plain = with_tracks(plain, episode.vectors[EE_TRACKS], schema, camera)
        row = [plain]
        if schema.objects:
            masks = enlarged(episode.masks[MASK_PREFIX + camera], _enlargement(schema))
            colours = [_rgb(PALETTE[style]) for style in object_styles(schema.objects)]
            row.append(outlined(plain, masks, colours))
        rows.append(row)
    return encode_film(tiled(rows), schema.fps)


def _enlargement(schema: Schema) -> int:
    columns = 2 if schema.objects else 1
    return max(1, min(2, _WIDEST_FILM // (columns * schema.image_size[1])))


def _charts(episode: Episode, schema: Schema) -> list[Html]:
    time = np.arange(len(episode)) / schema.fps
    areas = [_areas(episode, schema, camera) for camera in schema.cameras if schema.objects]
    commanded = [
        Series(f"{name} command", time, episode.vectors[ACTION][:, entry].astype(float))
        for entry, name in enumerate(schema.action_names)
        if "gripper" in name
    ]
    if not schema.has_pose:
        return [*([_gripper(commanded)] if commanded else []), *areas]
    poses = episode.vectors[EE_POSE].reshape(len(episode), len(schema.arms), POSE_SIZE).astype(float)
    arms = [(arm, poses[:, number]) for number, arm in enumerate(schema.arms)]
    path = [Series(arm, pose[:, 0], pose[:, 1]) for arm, pose in arms]
    height = [Series(arm, time, pose[:, 2]) for arm, pose in arms]
    speed = [
        Series(arm, time[1:], np.linalg.norm(np.diff(pose[:, :3], axis=0), axis=1) * schema.fps) for arm, pose in arms
    ]
    measured = [Series(f"{arm} measured", time, pose[:, GRIPPER]) for arm, pose in arms]
    return [
        path_chart("Path of the tool from above (dot: start)", path, ChartAxis("x (m)"), ChartAxis("y (m)")),
        line_chart("Height of the tool", height, _SECONDS, ChartAxis("z (m)", includes=(0.0,))),
        line_chart("Speed of the tool", speed, _SECONDS, ChartAxis("speed (m/s)", includes=(0.0,))),
        _gripper(measured + commanded),
        *areas,
    ]


def _gripper(series: Sequence[Series]) -> Html:
    return line_chart("Gripper", series, _SECONDS, ChartAxis("opening (0 to 1)", includes=(0.0, 1.0)))


def _areas(episode: Episode, schema: Schema, camera: str) -> Html:
    time, masks = np.arange(len(episode)) / schema.fps, episode.masks[MASK_PREFIX + camera]
    styles = object_styles(schema.objects)
    series = [
        Series(name, time, np.count_nonzero(masks[..., channel], axis=(1, 2)).astype(float), styles[channel])
        for channel, name in enumerate(schema.objects)
    ]
    return line_chart(f"Mask area, {camera}", series, _SECONDS, ChartAxis("pixels", includes=(0.0,), is_count=True))


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
