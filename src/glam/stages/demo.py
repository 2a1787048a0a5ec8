"""`glam demo`: what the project can do so far, small, on one task."""

from pathlib import Path

from glam.core.progress import Progress, unseen
from glam.data.reader import Dataset
from glam.reports.data_view import sources_page
from glam.sim.embodiments import EMBODIMENTS
from glam.stages.collect import CollectConfig, collect

TASK = "stack-two"


def demo(out: Path, episodes: int, *, workers: int = 2, progress: Progress = unseen) -> Path:
    """Record demonstrations of every embodiment and show them side by side; returns the page."""
    datasets = []
    for number, embodiment in enumerate(EMBODIMENTS):

        def so_far(done: int, _: int, before: int = number * episodes) -> None:
            progress(before + done, len(EMBODIMENTS) * episodes)

        config = CollectConfig(TASK, embodiment)
        collected = collect(config, out / f"{TASK}-{embodiment}", episodes, workers=workers, progress=so_far)
        datasets.append(Dataset.open(collected.root))
    page = out / "index.html"
    sources_page(datasets, page)
    return page
