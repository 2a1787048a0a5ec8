"""The page about datasets that are to be trained on together shows what was compared, first images side by side."""

from pathlib import Path

import numpy as np
from tests.data import tiny
from tests.data.matching.test_rules import OTHER, TARGET

from glam.data.matching import DatasetComparison
from glam.data.matching.rules import Mismatch
from glam.data.matching.views import View
from glam.reports.comparison_page import write_comparison


def test_first_images_differences_and_facts_are_on_the_page(tmp_path: Path) -> None:
    view = View(np.zeros((8, 8, 3), np.uint8), np.zeros((24, 24, 3)))
    facts = [vars(TARGET) | {"views": {"front": view}}, vars(OTHER) | {"views": {"front": view}}]
    found = Mismatch("warning", "images", "the images of front look upside down", "turn them")
    comparison = DatasetComparison(tuple(type(TARGET)(**one) for one in facts), (found,))
    write_comparison(comparison, tmp_path / "check.html")
    page = (tmp_path / "check.html").read_text()
    assert page.count("data:image/png;base64,") == 2
    assert "the images of front look upside down" in page
    assert page.count("no such camera") == 2 * (len(tiny.TARGET.cameras) - 1)
