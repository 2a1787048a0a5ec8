"""`glam demo`: what the project can do so far, small, on one task."""

from pathlib import Path

from glam.core.progress import Part, Progress, unseen
from glam.data.reader import Dataset
from glam.reports.sources import write_sources_page
from glam.sim.embodiments import EMBODIMENTS
from glam.stages.collect import CollectConfig, collect

TASK = "stack-two"


def demo(out: Path, episodes: int, *, workers: int = 2, progress: Progress = unseen) -> Path:
    """Record demonstrations of every embodiment and show them side by side; returns the page."""
    datasets = []
    for number, embodiment in enumerate(EMBODIMENTS):
        part = Part(progress, number * episodes, len(EMBODIMENTS) * episodes)
        config = CollectConfig(TASK, embodiment)
        collected = collect(config, out / f"{TASK}-{embodiment}", episodes, workers=workers, progress=part)
        datasets.append(Dataset.open(collected.root))
    page = out / "index.html"
    write_sources_page(datasets, page)
    return page
