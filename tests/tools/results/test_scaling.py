from results.document import Figures, Table, Words
from results.scaling import MIP, MORE_LABELLED, MORE_UNLABELLED, curves, labels_needed, scaling


def test_points_lie_on_three_curves_by_all_demonstrations(records):
    found = curves(records.grid("scaling"))
    assert list(found[MIP]) == list(found[MORE_UNLABELLED]) == [100, 200, 300, 400, 500]
    assert list(found[MORE_LABELLED]) == [100, 200, 300]
    assert found[MORE_LABELLED][100].successes == found[MORE_UNLABELLED][100].successes == 145
    assert not found[MORE_LABELLED][200].is_run


def test_the_labels_that_mip_needs_are_told(records):
    words = labels_needed(curves(records.grid("scaling")))
    assert words.startswith("mip reaches glam-o with 100 + 400 demonstrations (92.5 %")
    assert words.endswith("with 500 labelled demonstrations, 5.0 times as many labels.")


def grown(grid, made, mip):
    scaling = grid("scaling")
    scaling.cell("evaluation", ("stack-two", "glam-o", 0, "a"), {"kinova": 100, "umi": 400}, made.trials(190))
    for number, successes in mip.items():
        scaling.cell("evaluation", ("stack-two", "mip", 0, str(number)), {"kinova": number}, made.trials(successes))
    return scaling


def test_that_mip_never_gets_there_is_told_as_well(read, grid, made):
    found = curves(read(grown(grid, made, {100: 90, 400: 150})).grid("scaling"))
    assert "mip does not reach" in labels_needed(found)
    assert labels_needed(found).endswith("with up to 400 labelled demonstrations.")


def test_without_mip_nothing_can_be_said(read, grid, made):
    assert "too few runs yet" in labels_needed(curves(read(grown(grid, made, {})).grid("scaling")))


def test_the_section_has_both_charts_and_a_table_with_gaps(records):
    paper, words, figures, table = scaling(records).blocks
    assert isinstance(paper, Words)
    assert "needs 5 times as many labels" in paper.text
    assert words.text.startswith("Here: mip reaches glam-o")
    assert isinstance(figures, Figures)
    assert len(figures.drawn) == 2
    assert figures.images[0].name == "scaling.svg"
    assert isinstance(table, Table)
    assert table.rows[1] == ("200", "69.0 % [62.3, 75.0]", "77.5 % [71.2, 82.7]", "not run")
    assert table.rows[4][3] == "-"
