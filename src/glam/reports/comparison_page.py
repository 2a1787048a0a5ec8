"""A page about datasets that are to be trained on together: first images side by side, differences, facts."""

from pathlib import Path

from glam.data.matching import DatasetComparison, table, verdict
from glam.data.matching.views import View
from glam.reports.films import enlarged, png
from glam.reports.markup import Html
from glam.reports.page import card, grid, image, note, section, write_page
from glam.reports.page import table as rows

_WIDTH = 320
"""Pixels to which small images are enlarged."""


def write_comparison(comparison: DatasetComparison, out: Path) -> None:
    """Write the page to `out`."""
    lead = verdict(comparison)
    findings = [(one.severity, one.topic, one.problem, one.remedy) for one in comparison.mismatches]
    said = rows(("", "topic", "difference", "what to do"), findings) if findings else note("None was found.")
    sets = [str(facts.root) for facts in comparison.facts]
    compared = [(topic, *words, grave) for topic, words, grave in table(comparison)]
    write_page(
        out,
        "Comparison of datasets",
        lead[0].upper() + lead[1:] + ".",
        section("First images", *(_camera(comparison, camera) for camera in _cameras(comparison))),
        section("Differences", said),
        section("Facts", rows(("topic", *sets, "verdict"), compared)),
    )


def _cameras(comparison: DatasetComparison) -> list[str]:
    """Cameras of all sets; those of the target first."""
    return list(dict.fromkeys(camera for facts in comparison.facts for camera in facts.schema.cameras))


def _camera(comparison: DatasetComparison, camera: str) -> Html:
    shown = []
    for facts in comparison.facts:
        view = facts.views.get(camera)
        name = str(facts.root)
        shown.append(card(_shown(view, f"{camera} of {name}") if view else note("no such camera"), title=name))
    return card(grid(*shown), title=camera)


def _shown(view: View, description: str) -> Html:
    return image(png(enlarged(view.first, max(1, _WIDTH // view.first.shape[1]))), description)
