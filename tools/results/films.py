"""Films of trials, some that succeed and some that fail, and strips of moments of replays, as in the paper."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from glam.evaluation.evaluations import SUCCESS
from glam.reports.films import halved, moments, png, read_film, tiled
from glam.reports.markup import Html, element
from glam.reports.page import film, image
from results.document import Block, Figures
from results.images import DocumentImage
from results.record import RecordedCell
from results.trials import Trials

Filmed = Mapping[str, Sequence[Path]]
"""Films by the name of the run; films of an evaluation are named by scene and outcome."""
NO_FILMS: Filmed = MappingProxyType({})
OF_A_METHOD = 2
"""Successes, and as many failures."""
MOMENTS = 5
"""Images in a strip."""


def film_blocks(methods: Sequence[Trials], filmed: Filmed) -> Iterator[Block]:
    """The films of some methods, where there are any."""
    for one in methods:
        paths = [path for cell in one.cells for path in filmed.get(cell.run, ())]
        shown = [figure for is_success in (True, False) for figure in _chosen(paths, is_success=is_success)]
        if shown:
            yield Figures(tuple(shown), f"Films of {one.name}", "Both cameras; before it plays, a film shows its end.")


def strips(cells: Sequence[RecordedCell], filmed: Filmed, note: str) -> Iterator[Block]:
    """A strip of moments of one replay of each source, task by task, where films of it are kept."""
    tasks = dict.fromkeys(cell.task for cell in cells if filmed.get(cell.run))
    for number, task in enumerate(tasks):
        found = {cell.detail: filmed[cell.run][0] for cell in cells if cell.task == task and filmed.get(cell.run)}
        rows = {detail: png(tiled([list(moments(path, MOMENTS))])) for detail, path in found.items()}
        words = f"{task}: {', '.join(rows)}"
        shown = [_captioned(image(strip, f"{task}, {detail}"), detail) for detail, strip in rows.items()]
        whole = png(tiled([list(moments(path, MOMENTS)) for path in found.values()]))
        images = (DocumentImage("transfer.png", f"{note} {words}", whole),) if number == 0 else ()
        yield Figures(tuple(shown), task, note, images)


def _captioned(shown: Html, words: str) -> Html:
    return element("figure", element("figcaption", words), shown, class_="strip")


def _chosen(paths: Sequence[Path], *, is_success: bool) -> Iterator[Html]:
    found = [path for path in paths if path.stem.endswith(SUCCESS) == is_success]
    for path in found[:OF_A_METHOD]:
        scene, _, outcome = path.stem.partition("-")
        words = "succeeds" if is_success else outcome.replace("failed-", "fails to ")
        yield film(halved(read_film(path)), f"Scene {scene}: {words}.")
