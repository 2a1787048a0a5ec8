"""All sections together; those without a file of their own are looked at here."""

import re
from pathlib import Path

import pytest

from glam.bench import grids
from glam.evaluation.statistics import newcombe
from glam.reports.bars import points
from make_results import kept_films
from results.ablation import ablation
from results.costs import GRIDS, costs, hours
from results.document import Figures, Table, Words, images
from results.images import FOLDER
from results.page import Results, documents, write_documents, write_pages
from results.policies import policies
from results.record import Records, read_records
from results.sources import third_source, transfer
from results.world_models import world_models

DOCS = Path(__file__).parents[3] / "docs"


RECORDED = (
    "main", "scaling", "few-labels", "third-source", "transfer", "ablation", "smoothness", "world-models", "policies",
    "method", "tuning", "tasks", "heads", "regimes",
)  # fmt: skip


def tables(section):
    return [block for block in section.blocks if isinstance(block, Table)]


@pytest.fixture(scope="module")
def committed():
    return Results.of(read_records(DOCS / "results"), dict(kept_films(DOCS / "results")))


@pytest.fixture(scope="module")
def made_up(records):
    return Results.of(records)


def sections(found):
    return [*found.told, *found.details]


@pytest.mark.parametrize("name", ["results.md", "tables.md", "goals.md"])
def test_the_committed_pages_are_those_of_the_committed_records(name, committed):
    """`make results` writes them."""
    assert (DOCS / name).read_text(encoding="utf-8") == documents(committed)[name]


def test_the_committed_images_are_those_of_the_committed_records(committed):
    """But for the strips of films, whose bytes depend on the version of the program that compresses them."""
    made = {one.name: one.content for one in images(committed.told) if one.name.endswith(".svg")}
    assert {path.name: path.read_bytes() for path in (DOCS / FOLDER).glob("*.svg")} == made


def test_the_page_counts_the_costs_of_every_grid():
    assert set(GRIDS) >= grids.GRIDS.keys() - {"smoke"}


def test_a_folder_without_any_grid_is_shown_as_not_run():
    text = documents(Results.of(Records({})))["tables.md"]
    assert text.count("Not run yet: glam bench") == len(RECORDED)
    for name in RECORDED:
        assert f"Not run yet: glam bench {name}." in text


def test_a_third_source_stands_beside_the_papers(records):
    (table,) = tables(third_source(records))
    assert table.rows[1] == (
        "pick-place", "85.0 % [79.4, 89.3]", "60.0 % [53.1, 66.5]", "-25.0 [-33.1, -16.4]",
        "significantly worse (one training: spread of trainings unknown)",
        "15/20", "18/20",
    )  # fmt: skip


def test_every_replay_has_its_distances(records):
    (table,) = tables(transfer(records))
    assert (
        "lift",
        "glam-o",
        "umi to kinova-lab",
        "19 of 20 [76.4, 99.1]",
        "5.0",
        "10.0",
        "1.0",
        "90%",
    ) in table.rows
    assert ("stack-two", "glam-o", "umi to kinova", "not run", "-", "-", "-", "-") in table.rows


def test_ablations_are_compared_with_the_method_as_it_is(records):
    (section,) = ablation(records)
    (table,) = tables(section)
    rows = {(row[0], row[1]): row[2:] for row in table.rows}
    assert (
        rows["glam-o-unaligned", "without the alignment"][-1]
        == "-85.0 [-89.1, -78.7], significantly worse (one training: spread of trainings unknown)"
    )
    wrong = "poses off by 20 mm and 5 degrees"
    assert rows["glam-o", "the method as it is"][0] == "18 of 20 [69.9, 97.2]"
    assert rows["glam-o", wrong][:2] == ("11 of 20 [34.2, 74.2]", "17.0")
    assert rows["retarget", wrong][0] == "-"
    assert any(isinstance(block, Words) and block.text.startswith(f"Auxiliary {wrong}: glam-o is better than retarget")
               for block in section.blocks)  # fmt: skip


def test_world_models_have_probes_and_replays(records):
    probes, replays = tables(world_models(records))
    assert probes.rows == (
        ("glam-o", "1 of 1", "0.007", "-", "0.81", "0.14", "0.15", "-", "8", "-", "0.55", "0.51", "-", "0.72"),
        ("lapa", "0 of 1", "not run", *["-"] * 11),
    )
    assert replays.rows[0] == (
        "stack-two",
        "glam-o",
        "umi to kinova",
        "20 of 20 [83.9, 100.0]",
        "5.0",
        "10.0",
        "1.0",
        "90%",
    )


def test_policies_have_intervals_and_failing_stages(records):
    section = policies(records)
    table, differences = tables(section)
    assert differences.rows == (
        (
            "mip",
            points(newcombe(186, 200, 120, 200)),
            "significantly better (one training: spread of trainings unknown)",
        ),
    )
    assert table.rows[0][2:4] == ("2 of 2", "364 of 400")
    assert table.rows[0][5] == "[87.8, 93.4]"
    assert table.rows[0][-1] == "place 12, grasp 8, reach 8, release 8"
    assert len(next(block for block in section.blocks if isinstance(block, Figures)).drawn) == 3


def test_costs_are_counted_by_grid_and_by_cell(records):
    grids, cells = tables(costs(records))
    rows = {row[0]: row[1:] for row in grids.rows}
    assert rows["policies"] == ("3 of 3", "-", "0.50", "-", "0.05", "-", "-", "-", "-", "0.55")
    assert cells.rows[0] == ("lift", "10", "10.0", "8.3", "1.0", "19.3")


def test_what_cells_of_a_seed_share_costs_once(grid, made, read):
    shared = grid("main")
    for _ in range(2):
        shared.cell("evaluation", ("lift", "mip", 0, ""), {"kinova": 100}, made.trials(100))
    shared.cell("evaluation", ("lift", "mip", 1, ""), {"kinova": 100}, made.trials(100))
    assert hours(read(shared).grid("main"), 0) == pytest.approx((600 + 60 + 60) / 3600)


def test_demo_and_kills_are_told(records):
    seeds = tuple(
        {
            "seed": 0, "seconds_in_all": 480.0,
            "stages": [{"kind": "evaluation", "config": {"policy": {"method": method}}, "result": result}
                       for method, result in (("latent", {"successes": 45, "episodes": 100}),
                                              ("mip", {"successes": 6, "episodes": 100}))],
        } for _ in range(1)
    )  # fmt: skip
    section = costs(Records({}, seeds, records.kills))
    (table,) = tables(section)
    assert table.rows == (("0", "8.0", "45 of 100", "6 of 100", "+39.0 [+27.6, +49.3]"),)
    assert section.blocks[-1].text.endswith("0 finished runs lost, 0 made again.")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light")])
def test_a_browser_has_nothing_to_complain_about(browser, made_up, tmp_path, width, scheme):
    for page in write_pages(made_up, tmp_path / "page.html"):
        browser.open(page, width=width, scheme=scheme)
        assert browser.complaints() == []
        assert browser.requests() == []
        assert browser.run("document.documentElement.scrollWidth") <= width


def test_the_page_and_the_tables_have_the_same_sections(made_up, tmp_path):
    page, goals_page = write_pages(made_up, tmp_path / "page.html")
    for path, name, wanted in ((page, "tables.md", sections(made_up)), (goals_page, "goals.md", made_up.judged)):
        shown = re.findall("<h2>(.*?)</h2>", path.read_text())
        assert shown == [one.title for one in wanted]
        assert [line[3:] for line in documents(made_up)[name].splitlines() if line.startswith("## ")] == shown


def test_tables_are_folded_but_for_the_goals(made_up, tmp_path):
    page, goals_page = write_pages(made_up, tmp_path / "page.html")
    count = sum(isinstance(block, Table) for section in sections(made_up) for block in section.blocks)
    assert page.read_text().count("<details>") >= count
    assert "<details>" not in goals_page.read_text()


def test_the_short_page_has_images_and_no_table(made_up, tmp_path):
    written = list(write_documents(made_up, tmp_path))
    text = (tmp_path / "results.md").read_text()
    assert "|" not in text
    assert len(text.splitlines()) < 120
    for name in ("main", "scaling", "few_labels", "third_source", "ablation_stack_two", "smoothness", "trajectories"):
        assert f"(images/results/{name}.svg)" in text
        assert tmp_path / FOLDER / f"{name}.svg" in written


def test_images_of_the_past_are_deleted(made_up, tmp_path):
    old = tmp_path / FOLDER / "old.svg"
    old.parent.mkdir(parents=True)
    old.write_text("")
    list(write_documents(made_up, tmp_path))
    assert not old.exists()
