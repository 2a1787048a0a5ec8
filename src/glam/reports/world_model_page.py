"""A page about a trained world model: verdicts, probes and curves, the latent space, and decoded images."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.reports.charts import PALETTE, ChartAxis, Series, line_chart, scatter_chart
from glam.reports.data_view import object_styles
from glam.reports.films import enlarged, png, tiled
from glam.reports.markup import Html, element, joined
from glam.reports.page import beside, card, facts, folded, grid, note, section, table, write_page
from glam.reports.page import image as shown_image
from glam.world_models.verdicts import MEANINGS, SEVERITIES, Line, Verdict, last_probes

Points = NDArray[np.float32]
Image = NDArray[np.float32]
"""(C, Y, X) in 0..1, all views stacked."""

_STEP = ChartAxis("step", includes=(0.0,))
_CHARTS = {
    "Error of actions": (("action_error", "train_action_error"), ChartAxis("fraction of variance", is_log=True)),
    "Error of the next state": (("feature_vs_copy", "pose_vs_copy"), ChartAxis("x no change", includes=(0.0, 1.0))),
    "Overlap of decoded masks": (("iou", "next_iou"), ChartAxis("IoU", includes=(0.0, 1.0))),
    "Accuracy of a source classifier": (("source_accuracy",), ChartAxis("accuracy", includes=(0.0, 1.0))),
    "Active latent entries": (("active_dimensions",), ChartAxis("entries", includes=(0.0,), is_count=True)),
    "Codes in use": (("codes_used",), ChartAxis("codes", includes=(0.0,), is_count=True)),
    "Spread of the image feature": (("feature_std",), ChartAxis("standard deviation", includes=(0.0,))),
    "Divergence from the prior": (("kl",), ChartAxis("KL (nats)", includes=(0.0,))),
    "Width of the posterior": (("width",), ChartAxis("standard deviation", is_log=True)),
}
"""Title: probes, by their names or the part before a slash, and their axis. Others get a chart by their name."""
_LINES = {
    "action_error": "held out",
    "train_action_error": "training",
    "feature_vs_copy": "image feature",
    "pose_vs_copy": "pose",
    "iou": "this frame",
    "next_iou": "next frame",
}
"""Names of lines in these charts, where the probe's own name is no word."""
LATENT_WORDS = "Latent actions of held-out episodes along their first two principal components (fraction of variance)."
_TIMES = {
    "first fifth": 3,
    "second": 1,
    "third": 2,
    "fourth": 4,
    "last fifth": 6,
}  # neighbours get different marks
_COLUMNS = ("recorded", "decoded", "next", "predicted")
_NIGHT = 52  # brightness of a pixel without any object, above that of the gaps between images
_ENLARGEMENT = 4


@dataclass(frozen=True)
class TransitionImages:
    """One transition of a held-out episode: recorded, decoded and predicted images."""

    title: str
    """Such as `episode 3, frame 17`."""
    recorded: Image
    decoded: Image
    following: Image
    predicted: Image


@dataclass(frozen=True)
class SourceView:
    """Latent actions and images of one source."""

    name: str
    latents: tuple[Points, ...]
    """(T - 1, d) of each held-out episode."""
    transitions: tuple[TransitionImages, ...]


@dataclass(frozen=True)
class Subject:
    """Facts about the run that a page describes."""

    name: str
    facts: Mapping[str, object]
    cameras: tuple[str, ...]
    objects: tuple[str, ...]
    """Names of the mask channels of each view; empty for RGB."""
    meanings: Mapping[str, str] = field(default_factory=lambda: MEANINGS)
    """One line on each probe."""


def write_world_model_page(
    out: Path, subject: Subject, verdicts: Sequence[Verdict], lines: Sequence[Line], views: Sequence[SourceView]
) -> None:
    """Write the page; without `views` it has no latent space and no images."""
    ask = note("Give glam inspect the datasets of the training (--target, --aux) to see the latent space and images.")
    curves = list(probe_curves(lines, subject.meanings))
    parts = [
        section("Verdict", beside(card(verdict_list(verdicts)), card(facts(subject.facts)), wider="first")),
        _latent_space(views) if views else ask,
        *([section("Decoded images", *transition_images(subject, views))] if any(v.transitions for v in views) else []),
        section("Probes", *_probes(last_probes(lines), subject.meanings)),
        *([section("Probes during training", card(grid(*curves)))] if curves else []),
        section("Training", card(grid(*training_curves(lines)))),
    ]
    write_page(out, subject.name, summary(verdicts), *parts)


def summary(verdicts: Sequence[Verdict]) -> str:
    """Number of verdicts of each severity, as a sentence."""
    counts = {kind: sum(verdict.severity == kind for verdict in verdicts) for kind in SEVERITIES}
    problems, warnings = (f"{counts[kind]} {kind}{'' if counts[kind] == 1 else 's'}" for kind in SEVERITIES[:2])
    return f"{problems}, {warnings}, {counts['ok']} ok."


def verdict_list(verdicts: Sequence[Verdict]) -> Html:
    """Each verdict with its remedy."""
    items = [
        element(
            "li",
            element("strong", verdict.severity, class_="badge"),
            element(
                "div",
                element("p", _sentence(verdict.finding)),
                *([note(f"Try: {verdict.remedy}.")] if verdict.remedy else []),
            ),
            class_=verdict.severity,
        )
        for verdict in verdicts
    ]
    return element("ul", *items, class_="verdicts")


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _latent_space(views: Sequence[SourceView]) -> Html:
    by_source, by_time = latent_charts(views)
    return section("Latent space", note(LATENT_WORDS), beside(card(by_source), card(by_time), wider="first"))


def latent_charts(views: Sequence[SourceView]) -> tuple[Html, Html]:
    """Charts of latent actions in their principal plane, by source and by time; needs at least one view."""
    plane, shares = principal_plane(np.concatenate([latents for view in views for latents in view.latents]))
    counts = [sum(map(len, view.latents)) for view in views]
    by_source = np.split(plane, np.cumsum(counts)[:-1])
    time = np.concatenate([np.linspace(0.0, 1.0, len(latents)) for view in views for latents in view.latents])
    fifth = np.minimum((len(_TIMES) * time).astype(int), len(_TIMES) - 1)
    axes = [ChartAxis(f"component {number} ({share:.0%})") for number, share in enumerate(shares, 1)]
    sources = [Series(view.name, at[:, 0], at[:, 1]) for view, at in zip(views, by_source, strict=True)]
    parts = [plane[fifth == part] for part in range(len(_TIMES))]
    times = [Series(name, at[:, 0], at[:, 1], style) for at, (name, style) in zip(parts, _TIMES.items(), strict=True)]
    return (
        scatter_chart("By source", sources, axes[0], axes[1]),
        scatter_chart("By time in the episode", times, axes[0], axes[1]),
    )


def principal_plane(points: Points) -> tuple[NDArray[np.float64], tuple[float, float]]:
    """Points (N, d) along their two directions of greatest variance, (N, 2), and the fraction of it in each."""
    centred = points.astype(np.float64) - points.mean(0, dtype=np.float64)
    variances, directions = np.linalg.eigh(centred.T @ centred)  # ascending
    first_two = directions[:, :-3:-1]
    # The sign of a direction is arbitrary: the largest entry is made positive.
    signs = np.sign(first_two[np.abs(first_two).argmax(0), [0, 1]])
    shares = variances[:-3:-1] / max(float(variances.sum()), np.finfo(float).tiny)
    return centred @ (first_two * signs), (float(shares[0]), float(shares[1]))


def transition_images(subject: Subject, views: Sequence[SourceView]) -> Iterator[Html]:
    """Recorded, decoded and predicted images of each source that has some."""
    yield note(
        f"Frames of held-out episodes where the image changes most. Rows: {' and '.join(subject.cameras)}. "
        "Columns: the recorded frame, the frame decoded from its state, the next frame, and its prediction."
    )
    for view in views:
        if view.transitions:
            yield card(grid(*(_transition(subject, images) for images in view.transitions)), title=view.name)


def _transition(subject: Subject, images: TransitionImages) -> Html:
    columns = [_views(part, subject) for part in (images.recorded, images.decoded, images.following, images.predicted)]
    rows = [[enlarged(column[camera], _ENLARGEMENT) for column in columns] for camera in range(len(subject.cameras))]
    heads = element("div", *(element("span", name) for name in _COLUMNS), class_="heads", aria_hidden="true")
    drawn = shown_image(png(tiled(rows, gap=4)), f"{images.title}: {', '.join(_COLUMNS)}")
    return element("figure", heads, drawn, element("figcaption", images.title, class_="note"), class_="transition")


def _views(image: Image, subject: Subject) -> list[NDArray[np.uint8]]:
    """Each camera's part of an image in colours. (Y, X, 3) each."""
    return [coloured(part, subject.objects) for part in np.split(image, len(subject.cameras))]


def coloured(view: Image, objects: Sequence[str]) -> NDArray[np.uint8]:
    """RGB unchanged; masks with a colour for each object."""
    if not objects:
        return np.moveaxis((255 * view).round().astype(np.uint8), 0, -1)
    colours = np.array([list(bytes.fromhex(PALETTE[style][1:])) for style in object_styles(objects)], float)
    lit = _NIGHT + np.tensordot(view, colours - _NIGHT, axes=(0, 0))  # (Y, X, 3)
    return lit.round().clip(0, 255).astype(np.uint8)


def _probes(probes: Mapping[str, float], meanings: Mapping[str, str]) -> Iterator[Html]:
    known = [name for name in meanings if name in probes]
    rows = [(joined([element("strong", name), note(meanings[name])]), _short(probes[name])) for name in known]
    yield card(table(("probe", "value"), rows))
    per_entry = [name for name in meanings if f"{name}/0" in probes]
    others = {name: value for name, value in probes.items() if name.partition("/")[0] not in meanings}
    if per_entry:
        entries = range(sum(name.startswith(f"{per_entry[0]}/") for name in probes))
        cells = [(entry, *(_short(probes[f"{name}/{entry}"]) for name in per_entry)) for entry in entries]
        words = [note(f"{name}: {meanings[name]}") for name in per_entry]
        yield card(folded("Each latent entry", *words, table(("entry", *per_entry), cells)))
    if others:
        values = [(name, _short(value)) for name, value in others.items()]
        yield card(folded("Other measurements", table(("name", "value"), values)))


def _short(value: float) -> float:
    rounded = float(f"{value:.3g}")
    return int(rounded) if rounded.is_integer() else rounded


def probe_curves(lines: Sequence[Line], meanings: Mapping[str, str] = MEANINGS) -> Iterator[Html]:
    """Every probe that has a meaning over the steps of a training; nothing if there was only one validation."""
    validations = [line for line in lines if line["split"] == "validation"]
    if len(validations) < 2:
        return
    charted = {name for names, _ in _CHARTS.values() for name in names}
    others = [name for name in meanings if name not in charted]
    own = {name.replace("_", " ").capitalize(): ((name,), ChartAxis("value")) for name in others}
    for title, (names, axis) in (_CHARTS | own).items():
        keys = [key for key in validations[-1] if key.partition("/")[0] in names]
        if keys:
            series = [_curve(_LINES.get(key, key.replace("/", " ")), key, validations) for key in keys]
            yield line_chart(title, series, _STEP, axis)


def training_curves(lines: Sequence[Line]) -> Iterator[Html]:
    """Losses, gradient and learning rate over the steps."""
    taken = [line for line in lines if line["split"] == "train"]
    for key in dict.fromkeys(name for line in taken for name in line if name.startswith("loss")):
        title = "Objective" if key == "loss" else f"Loss: {key.removeprefix('loss.').replace('_', ' ')}"
        yield line_chart(title, [_curve(title, key, taken)], _STEP, ChartAxis("nats", is_log=True))
    for title, keys in _gradients(taken).items():
        drawn = [_curve(key.split(".")[1].replace("_", " "), key, taken) for key in keys]
        yield line_chart(title, drawn, _STEP, ChartAxis("norm", is_log=True))
    norm, rate = _curve("norm", "grad_norm", taken), _curve("rate", "learning_rate", taken)
    yield line_chart("Gradient before clipping", [norm], _STEP, ChartAxis("norm", is_log=True))
    yield line_chart(
        "Learning rate", [replace(rate, y=1000.0 * rate.y)], _STEP, ChartAxis("thousandths", includes=(0.0,))
    )


def _gradients(lines: Sequence[Line]) -> dict[str, list[str]]:
    """Gradient norms of all losses that ever pull on a part, by the title of their chart."""
    charts: dict[str, list[str]] = {}
    for key in dict.fromkeys(name for line in lines for name in line if name.startswith("gradient.")):
        _, _, part = key.removeprefix("gradient.").partition(".")
        if part and any(line.get(key, 0.0) > 0 for line in lines):
            charts.setdefault(f"Gradients on {part.replace('_', ' ')}", []).append(key)
    return charts


def _curve(name: str, key: str, lines: Sequence[Mapping[str, Any]]) -> Series:
    known = [(line["step"], line[key]) for line in lines if key in line]
    values = np.array(known, float).reshape(-1, 2)
    return Series(name, values[:, 0], values[:, 1])
