import pytest

from glam.core.errors import GlamError
from glam.core.files import write_json
from glam.stages.results import Given, results, write_markdown


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


def test_records_are_told_from_other_folders(folder, tmp_path):
    other = tmp_path / "runs"
    other.mkdir()
    assert Given.of([folder, other]) == Given((folder,), (other,))


def test_records_become_a_page_and_tables(folder, tmp_path):
    given = Given.of([folder])
    text = results(given, tmp_path / "page.html").read_text()
    assert "<h1>Results</h1>" in text
    assert "3 of 4" in text.replace("\N{NO-BREAK SPACE}", " ")
    assert "| glam-o | 100 kinova-lab | 1 of 1 | 3 of 4 |" in write_markdown(given, tmp_path / "t.md").read_text()


def test_films_of_the_runs_are_shown_where_their_folder_is_given(folder, evaluated, tmp_path):
    (film, *_) = sorted(evaluated.evaluations["latent"].glob("films/*.mp4"))
    shown = tmp_path / "bench" / "evaluation"
    shown.mkdir(parents=True)
    (shown / "latent-1").symlink_to(evaluated.evaluations["latent"])
    text = results(Given.of([folder, tmp_path / "bench"]), tmp_path / "page.html").read_text()
    assert text.count("<video") == len(list(film.parent.iterdir()))


def test_films_that_lie_beside_the_records_are_shown_with_nothing_else(folder, evaluated, tmp_path):
    (film, *_) = sorted(evaluated.evaluations["latent"].glob("films/*.mp4"))
    kept = folder / "films" / "main" / "latent-1"
    kept.mkdir(parents=True)
    (kept / film.name).write_bytes(film.read_bytes())
    text = results(Given.of([folder]), tmp_path / "page.html").read_text()
    assert text.count("<video") == 1


def test_the_command_writes_both(folder, tmp_path, glam):
    page, tables = tmp_path / "page.html", tmp_path / "tables.md"
    said = glam("report", folder, "--out", page, "--markdown", tables)
    assert said.code == 0
    assert said.output.splitlines() == [str(tables), str(page)]
    assert page.exists()


def test_what_cannot_be_is_refused(folder, tmp_path):
    with pytest.raises(GlamError, match=r"--markdown .*is made of records"):
        write_markdown(Given((), (tmp_path,)), tmp_path / "t.md")
    with pytest.raises(GlamError, match="a second folder of records"):
        results(Given((folder, tmp_path), ()), tmp_path / "page.html")
    with pytest.raises(GlamError, match=r"--out .*is a folder"):
        results(Given.of([folder]), tmp_path)
