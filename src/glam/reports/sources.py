"""A page that shows the same task done by several embodiments, side by side."""

from collections.abc import Sequence
from pathlib import Path

from glam.data.reader import Dataset
from glam.reports.data_view import ROLES, episode_film, spread
from glam.reports.markup import Html
from glam.reports.page import card, film, grid, play_all, section, table, write_page

EPISODES_SHOWN = 3


def write_sources_page(datasets: Sequence[Dataset], out: Path) -> None:
    """Write the page: a table of the datasets, then some films of each."""
    columns = ("dataset", "episodes", "frames", "what it holds")
    rows = [(_name(data), len(data.episodes), len(data), ROLES[data.schema.role]) for data in datasets]
    parts = [section(_name(dataset), _films(dataset)) for dataset in datasets]
    instruction = datasets[0].episodes[0].task
    write_page(out, instruction, "One task, several embodiments.", table(columns, rows), play_all(), *parts)


def _films(dataset: Dataset) -> Html:
    cards = []
    for index in spread(dataset, EPISODES_SHOWN):
        shown = episode_film(dataset.episode(index), dataset.schema)
        cards.append(card(film(shown, f"Episode {index}: cameras in rows, object outlines on the right.")))
    return grid(*cards)


def _name(dataset: Dataset) -> str:
    """The embodiment that recorded a dataset; the folder where that is not known."""
    return str(dataset.provenance.get("description", {}).get("embodiment", "")) or dataset.root.name
