import pytest

import make_results
from glam.core.files import write_json


@pytest.fixture
def folder(tmp_path):
    """One cell of the main grid."""
    cell = {
        "task": "lift", "method": "glam-o", "seed": 0, "detail": "", "kind": "evaluation", "run": "latent-1",
        "learnt_from": [{"embodiment": "kinova-lab", "episodes": 100}], "seconds": {"evaluation": 60.0},
    }  # fmt: skip
    result = {"first_seed": 7, "outcomes": "1101", "successes": 3, "episodes": 4, "failed_stages": {"place": 1}}
    run = {"kind": "evaluation", "name": "latent-1", "needs": [], "result": result, "seconds": 60.0}
    write_json(tmp_path / "records" / "main.json", {"benchmark": "main", "cells": [cell], "runs": [run]})
    return tmp_path / "records"


def test_records_become_pages_and_documents_with_images(folder, tmp_path, capsys):
    page, docs = tmp_path / "page.html", tmp_path / "docs"
    make_results.main(["--records", str(folder), "--out", str(page), "--docs", str(docs)])
    names = ["results.md", "tables.md", "goals.md", "images/results/main.svg"]
    written = [*(docs / name for name in names), page, tmp_path / "goals-of-page.html"]
    assert capsys.readouterr().out.splitlines() == [str(path) for path in written]
    assert all(path.exists() for path in written)
    assert "<h1>Results</h1>" in page.read_text()
    assert "3 of 4" in page.read_text().replace("\N{NO-BREAK SPACE}", " ")
    assert "| glam-o | 100 kinova-lab | 1 of 1 | 3 of 4 |" in (docs / "tables.md").read_text()
    assert "(images/results/main.svg)" in (docs / "results.md").read_text()


def test_films_beside_the_records_belong_to_the_run_of_their_folder(folder):
    kept = folder / "films" / "main" / "latent-1" / "7-success.mp4"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"film")
    assert dict(make_results.kept_films(folder)) == {"latent-1": [kept]}
