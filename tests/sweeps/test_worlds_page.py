"""docs/worlds.md says what docs/results/worlds.json says."""

import importlib.util
import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def load(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_table_of_the_page_is_that_of_the_record():
    maker = load(ROOT / "benchmarks/worlds_page.py")
    page, record = maker.PAGE.read_text(encoding="utf-8"), json.loads(maker.RECORD.read_text(encoding="utf-8"))
    assert maker.filled(page, record) == page
    assert set(re.findall(r"<!-- table (\w+) -->", page)) == set(maker.TABLES)


def test_every_pair_has_a_image_on_the_page():
    page = (ROOT / "docs/worlds.md").read_text(encoding="utf-8")
    for task in ("lift", "pick-place", "knock-down", "stack-two", "stack-three"):
        for body in ("kinova", "umi", "kinova-lab"):
            assert_shown(page, f"images/{task}-{body}.png")
    assert_shown(page, "images/looks.png")


def assert_shown(page: str, image: str) -> None:
    assert image in page
    assert 1_000 < (ROOT / "docs" / image).stat().st_size < 200_000
