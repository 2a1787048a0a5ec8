from results.document import Figures, Table, Words
from results.regimes import regimes


def records(grid, made, read):
    """Two regimes; in the second one retarget has not been run."""
    found = grid("regimes")
    for seed in (0, 1):
        found.cell("evaluation", ("stack-two", "glam-o", seed, "slow hand"), {"kinova": 100}, made.trials(180))
        found.cell("evaluation", ("stack-two", "retarget", seed, "slow hand"), {"kinova": 100}, made.trials(80))
        found.cell("evaluation", ("stack-two", "glam-o", seed, "no poses"), {"kinova": 100}, made.trials(150))
    found.cell("evaluation", ("stack-two", "retarget", 0, "no poses"), {"kinova": 100})
    found.cell("replay", ("stack-two", "glam-o", 0, "slow hand: umi to kinova"), {"kinova": 100}, made.replay(17))
    return read(found)


def test_every_regime_has_a_chart_and_says_who_is_ahead(grid, made, read):
    paper, found, figures, table, replays = regimes(records(grid, made, read)).blocks
    assert isinstance(paper, Words)
    assert found.text == (
        "Here: glam-o is significantly better than retarget in 1 of 1 regimes (stack-two: slow hand), and "
        "significantly worse in 0 (none). Too little has been run to compare with mip."
    )
    assert isinstance(figures, Figures)
    assert len(figures.drawn) == 2
    assert figures.images[0].name == "regimes.svg"
    assert isinstance(table, Table)
    assert table.rows[1][:3] == ("stack-two", "slow hand", "retarget")
    assert table.rows[1][-1] == "significantly better (over 2 trainings each)"
    assert table.rows[3][4:] == ("0 of 1", "not run", "-")
    assert replays.rows[0][:4] == ("stack-two", "slow hand", "glam-o", "umi to kinova")
    assert replays.rows[0][4].startswith("17 of 20")


def test_before_it_is_run_the_command_is_told(read, grid):
    assert regimes(read(grid("main"))).blocks == (Words("Not run yet: glam bench regimes."),)
