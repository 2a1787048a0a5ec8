from results.document import Figures, Table
from results.few_labels import few_labels


def test_methods_stand_beside_each_other_by_their_labels_with_the_gap_where_both_were_run(records):
    paper, found, figures, _, table = few_labels(records).blocks
    assert paper.text.startswith("The paper: no such figure.")
    assert found.text == (
        "Here: glam-o +50.0 points over mip with 25, +33.0 points over mip with 100 labelled demonstrations."
    )
    assert isinstance(table, Table)
    assert table.rows[0] == (
        "25",
        "10.0 % [6.6, 14.9]",
        "60.0 % [53.1, 66.5]",
        "not run",
        "+50.0 [+41.5, +57.4]",
    )
    assert table.rows[1][2:] == ("not run", "not run", "-")
    assert [row[0] for row in table.rows] == ["25", "50", "100"]
    assert isinstance(figures, Figures)
    (drawn,) = figures.drawn
    assert "retarget" not in str(drawn)
