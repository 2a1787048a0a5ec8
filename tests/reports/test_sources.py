from pathlib import Path

from glam.data.reader import Dataset
from glam.reports.sources import write_sources_page


def test_the_page_names_every_set_and_shows_its_films(target: Path, tmp_path: Path) -> None:
    dataset = Dataset.open(target)
    write_sources_page([dataset, dataset], tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert text.count("<h2>") == 2
    assert text.count("<video") == 2 * min(3, len(dataset.episodes))
